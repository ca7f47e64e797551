import * as z from "zod";
import { defaultVendors, vendorName, vendorsEnvironment } from "../../shared/config/vendors.ts";

/** Version 2, which deprecated version 1, came out in June 2026 (specification, Versioning, rule 2). */
export const deprecatedSince = new Date("2026-06-01T00:00:00Z");

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
