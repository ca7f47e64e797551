import * as z from "zod";
import type { Endpoint } from "../../shared/http/exchange.ts";
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

/** The UTC day from which the routes may stop working. RFC 8594: not before they are deprecated. */
const sunset = z.iso.date().refine((day) => new Date(day) >= deprecatedSince, {
  error: "The sunset cannot be before the routes were deprecated, on 2026-06-01.",
});

/**
 * Whether the routes of the providers work. The specification lists them, and also says that version 2.1 has removed them, so
 * each stage decides.
 */
const providerRoutes = z.enum(["answer", "gone"]);

export const legacySettings = z.object({
  vendors: z
    .object({ a: vendorName, b: vendorName })
    .refine(({ a, b }) => a !== b, { error: "The two providers need different names." }),
  sunset,
  providerRoutes,
});
export type LegacySettings = z.output<typeof legacySettings>;

export const defaultLegacySettings: LegacySettings = {
  vendors: { ...defaultVendors },
  sunset: "2027-12-01",
  providerRoutes: "answer",
};

export const legacySettingsEnvironment = {
  ...vendorsEnvironment,
  LEGACY_SUNSET: sunset,
  LEGACY_PROVIDER_ROUTES: providerRoutes,
};

/** The common part of all deprecated routes. */
export const replacedBy = (successor: Deprecation["successor"]) =>
  ({
    tag: "Deprecated (v1)",
    deprecated: {
      since: deprecatedSince,
      sunset: new Date(defaultLegacySettings.sunset),
      successor,
      guide: "/docs/guides/from-v1",
    },
  }) as const;

/** Puts a stage's names of the providers into the paths of operations. */
export const inStage = <Declared extends Operation>(
  operations: readonly Declared[],
  { vendors }: Pick<LegacySettings, "vendors">,
): Declared[] =>
  operations.map((operation) => ({ ...operation, path: inVendorsNames(operation.path, vendors) }));

/** Returns 410 for every request, without reading its token or body. */
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
      ...(deprecated ? { message: `This route has been removed. Use ${deprecated.successor}.` } : {}),
    });
  },
});

/** Applies a stage's settings to an endpoint: its path, its sunset, and whether it still works. */
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
