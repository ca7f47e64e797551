import * as z from "zod";
import type { Endpoint } from "../../shared/http/endpoint.ts";
import type { Deprecation, Operation } from "../../shared/http/operation.ts";
import {
  defaultVendors,
  inVendorsNames,
  isVendorsPath,
  vendorName,
  vendorsEnvironment,
} from "../../shared/platform/config/vendors.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";

/** Version 2, which deprecated version 1, came out in June 2026 (specification, Versioning, rule 2). */
const deprecatedSince = new Date("2026-06-01T00:00:00Z");

/** The day from whose beginning, in UTC, nobody may count on the routes any more. RFC 8594: never before they are deprecated. */
const sunset = z.iso.date().refine((day) => new Date(day) >= deprecatedSince, {
  error: "The sunset cannot be before the routes were deprecated, on 2026-06-01.",
});

/**
 * Whether the routes of the providers answer: the specification lists them as answering and says that version 2.1 has
 * removed them, so a stage decides.
 */
const providerRoutes = z.enum(["answer", "gone"]);

/** What a stage decides about the deprecated routes. */
export const legacySettings = z.object({
  vendors: z
    .object({ a: vendorName, b: vendorName })
    .refine(({ a, b }) => a !== b, { error: "The two providers need different names." }),
  sunset,
  providerRoutes,
});
export type LegacySettings = z.output<typeof legacySettings>;

/** A stage that decides nothing. */
export const defaultLegacySettings: LegacySettings = {
  vendors: { ...defaultVendors },
  sunset: "2026-12-01",
  providerRoutes: "answer",
};

/** The settings as variables of the function. */
export const legacySettingsEnvironment = {
  ...vendorsEnvironment,
  LEGACY_SUNSET: sunset,
  LEGACY_PROVIDER_ROUTES: providerRoutes,
};

/** What the declarations of all deprecated routes have in common. */
export const replacedBy = (successor: Deprecation["successor"]) =>
  ({
    tag: "Deprecated (v1)",
    deprecated: { since: deprecatedSince, sunset: new Date(defaultLegacySettings.sunset), successor },
  }) as const;

/** The operations where a stage has them: under the names it has for the providers. */
export const inStage = <Declared extends Operation>(
  operations: readonly Declared[],
  { vendors }: Pick<LegacySettings, "vendors">,
): Declared[] =>
  operations.map((operation) => ({ ...operation, path: inVendorsNames(operation.path, vendors) }));

/** Answers everybody alike, whatever is in the request: nothing is left that a token or a body could be for. */
const gone = ({ id, method, path, summary, tag, response, deprecated }: Operation): Endpoint => ({
  operation: {
    id,
    method,
    path,
    summary,
    tag,
    auth: "public",
    response,
    errors: ["gone"],
    ...(deprecated ? { deprecated } : {}),
  },
  prepare: () => {
    throw new AppError("gone", {
      ...(deprecated ? { message: `This address has been given up; use ${deprecated.successor}.` } : {}),
    });
  },
});

/** An endpoint as a stage wants it: its path, its sunset, and whether it answers at all. */
export const applySettings = (endpoint: Endpoint, settings: LegacySettings): Endpoint => {
  const [operation = endpoint.operation] = inStage([endpoint.operation], settings);
  const { deprecated } = operation;
  const decided: Operation = {
    ...operation,
    ...(deprecated ? { deprecated: { ...deprecated, sunset: new Date(settings.sunset) } } : {}),
  };
  return settings.providerRoutes === "gone" && isVendorsPath(endpoint.operation.path)
    ? gone(decided)
    : { ...endpoint, operation: decided };
};
