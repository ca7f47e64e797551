import type { Deprecation } from "../../shared/http/operation.ts";
import { defaultLegacySettings, deprecatedSince } from "./settings.ts";

/** What the declarations of all deprecated routes have in common. */
export const replacedBy = (successor: Deprecation["successor"]) =>
  ({
    tag: "Deprecated (v1)",
    deprecated: { since: deprecatedSince, sunset: new Date(defaultLegacySettings.sunset), successor },
  }) as const;
