import { type StageCatalogue, stageCatalogue } from "../../platform/catalogue/stage-catalogue.ts";
import { builtInProfiles } from "./built-in-profiles.ts";
import { type ModelProfile, profileSchema } from "./profile-schema.ts";

/** All profiles with their defaults. */
export interface CompleteProfiles {
  /** What is expected of a model without a profile. */
  readonly unnamed: ModelProfile;
  readonly named: Readonly<Record<string, ModelProfile>>;
}

/** Returns the profiles of the service and of a stage, with their defaults. @throws ZodError for one that is wrong. */
export const completeProfilesWith = (own: StageCatalogue["profiles"]): CompleteProfiles => ({
  unnamed: profileSchema.parse({}),
  named: Object.fromEntries(
    Object.entries({ ...own, ...builtInProfiles }).map(([name, given]) => [name, profileSchema.parse(given)]),
  ),
});

/**
 * The profiles of the service and of its stage. The build replaces this value with what it is then
 * (`infra/bundling/built-profiles.ts`): to read the profiles took 8% of the start of `chat` (November 2026).
 */
export const completeProfiles = completeProfilesWith(stageCatalogue.profiles);
