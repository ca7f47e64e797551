import { type StageCatalogue, stageCatalogue } from "../../platform/catalogue/stage-catalogue.ts";
import { builtInProfiles } from "./built-in-profiles.ts";
import { completeProfiles } from "./complete-profiles.ts";
import type { ModelProfile } from "./profile-schema.ts";

/** Returns a profile of the service or of the stage, as it is written; `undefined` when there is none of the name. */
export const findProfile = (
  name: string,
  own: StageCatalogue["profiles"] = stageCatalogue.profiles,
): Readonly<Record<string, unknown>> | undefined =>
  new Map<string, Readonly<Record<string, unknown>>>([
    ...Object.entries(own ?? {}),
    ...Object.entries(builtInProfiles),
  ]).get(name);

/** Returns a profile with its defaults; without a name, only these. @throws Error when there is none of the name. */
export const profileNamed = (name: string | undefined): ModelProfile => {
  const profile =
    name === undefined ? completeProfiles.unnamed : new Map(Object.entries(completeProfiles.named)).get(name);
  if (profile === undefined) throw new Error(`There is no profile "${name}".`);
  return profile;
};
