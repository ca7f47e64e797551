import * as z from "zod";
import { languageField, languageForms, transcriptionLanguages } from "../../platform/catalogue/languages.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { keywordList, text } from "../../platform/validation/fields.ts";
import { type Account, profileTexts, type StoredAccount, toAccount } from "../access/account.ts";
import type { AccountsRepository } from "../repositories/accounts-repository.ts";
import { shortText } from "../sign-in/fields.ts";

/** The values of an organisation type in a changed profile. */
export const organizationTypes = [
  "NGO",
  "Government",
  "Private Sector",
  "Research",
  "Individual",
  "Other",
] as const;

const recordingLanguage = languageField(transcriptionLanguages.map(({ code }) => code));

/** In how many languages a recording is tried. */
const maxDefaultLanguages = 3;

/** Each request of an account reads them, so they are few. */
export const maxAccountKeywords = 50;

/** Names and terms of an account's recordings. */
export const accountKeywords = keywordList(maxAccountKeywords);

export const profileRequest = z
  .object({
    full_name: shortText.nullish().meta({ example: "Amina Nakato", description: profileTexts.full_name }),
    organization: shortText.nullish().describe(profileTexts.organization),
    organization_type: text()
      .max(200)
      .nullish()
      .meta({ example: "Research", description: `One of ${organizationTypes.join(", ")}` }),
    sector: z.array(text().max(200)).max(50).nullish().describe(profileTexts.sector),
    default_language: z
      .union([z.literal(""), recordingLanguage])
      .nullish()
      .meta({
        override: { type: ["string", "null"] },
        example: "lug",
        description: `Of recordings, for clients that cannot name a language: ${languageForms}. An empty text removes it`,
      }),
    default_languages: z
      .array(recordingLanguage)
      .max(maxDefaultLanguages)
      .nullish()
      .meta({
        override: {
          type: ["array", "null"],
          items: { type: "string" },
          maxItems: maxDefaultLanguages,
        },
        example: ["lug", "eng"],
        description:
          "The languages that recordings may be in, if there is no `default_language`; one is determined. An empty list removes them",
      }),
    keywords: accountKeywords.nullish().meta({
      example: ["Sekitoleko", "Ntungamo"],
      description: `${profileTexts.keywords}. At most ${maxAccountKeywords}; an empty list removes them`,
    }),
  })
  .meta({ id: "ProfileRequest" });
export type ProfileRequest = z.infer<typeof profileRequest>;

export const profileStatus = z
  .object({
    is_complete: z.boolean().meta({ example: false, description: "Whether no field is missing" }),
    missing_fields: z
      .array(z.enum(["full_name", "organization", "organization_type", "sector"]))
      .describe("The fields without a value; the organization `Unknown` counts as none"),
  })
  .meta({ id: "ProfileStatus" });
export type ProfileStatus = z.infer<typeof profileStatus>;

interface Accounts {
  readonly accounts: AccountsRepository;
}

const existing = (item: StoredAccount | undefined): StoredAccount => {
  if (!item) throw new AppError("unauthenticated");
  return item;
};

/** Returns the caller's account. */
export const getAccount = async (userId: number, { accounts }: Accounts): Promise<Account> =>
  toAccount(existing(await accounts.find({ id: userId })));

/**
 * Changes the given fields; null and absent ones stay.
 *
 * @throws AppError `bad_request` for an unknown organisation type or a blank sector.
 */
export const updateProfile = async (
  userId: number,
  changes: ProfileRequest,
  { accounts }: Accounts,
): Promise<Account> => {
  const { organization_type: type, sector } = changes;
  if (type && !organizationTypes.some((known) => known === type)) {
    throw new AppError("bad_request", {
      message: `organization_type must be one of ${organizationTypes.join(", ")}.`,
      param: "organization_type",
    });
  }
  if (sector?.some((entry) => entry.trim() === "")) {
    throw new AppError("bad_request", { message: "A sector must not be blank.", param: "sector" });
  }
  if (changes.keywords) await accounts.setKeywords(userId, changes.keywords);
  const { default_language, default_languages } = changes;
  await accounts.setLanguages(userId, {
    default_language: default_language ?? undefined,
    default_languages: default_languages ? [...new Set(default_languages)] : undefined,
  });
  const changed = await accounts.updateProfile(userId, {
    ...(changes.full_name ? { full_name: changes.full_name } : {}),
    ...(changes.organization ? { organization: changes.organization } : {}),
    ...(type ? { organization_type: type } : {}),
    ...(sector ? { sector: sector.map((entry) => entry.trim()) } : {}),
  });
  return toAccount(existing(changed));
};

/** Returns the fields of a profile that have no value yet; the organisation `Unknown` counts as none. */
export const getProfileStatus = async (userId: number, { accounts }: Accounts): Promise<ProfileStatus> => {
  const item = existing(await accounts.find({ id: userId }));
  const missing: ProfileStatus["missing_fields"] = [];
  if (!item.full_name) missing.push("full_name");
  if (item.organization === "Unknown") missing.push("organization");
  if (!item.organization_type) missing.push("organization_type");
  if (!item.sector?.length) missing.push("sector");
  return { is_complete: missing.length === 0, missing_fields: missing };
};
