import * as z from "zod";
import { exists, type ItemUpdate } from "../../platform/storage/table.ts";
import { type AccountAccess, accountType } from "./account-access.ts";
import { accountKeys } from "./keys.ts";

/** How an owner signs in: with a password here, or through an external identity provider. */
export const oauthType = z
  .enum(["Credentials", "IdentityProviderA", "IdentityProviderB"])
  .describe("How the account was created: with a password, or through an identity provider");

/** The documentation of the fields of a profile. */
export const profileTexts = {
  full_name: "The full name of the person",
  organization: "Where the person works or studies; `Unknown` until it is set",
  organization_type: "The kind of organization, such as `Research`",
  sector: "The sectors in which the organization works",
  keywords: "Names and terms in the recordings of the account, which models get with each of them",
} as const;

/** The terms that the owner of an account has accepted, and when. */
export const acceptedTerms = z
  .object({
    version: z.string().meta({ example: "2026-11-24", description: "The version of the terms" }),
    at: z.iso.datetime().describe("When it was accepted"),
  })
  .meta({ id: "AcceptedTerms", description: "The terms that the owner has accepted; absent when none were" });
export type AcceptedTerms = z.infer<typeof acceptedTerms>;

/** An account as the API returns it, without any password. */
export const account = z
  .object({
    id: z.int().meta({ example: 1, description: "The number of the account, which never changes" }),
    username: z.string().meta({ example: "amina", description: "The name to log in with" }),
    email: z
      .string()
      .meta({ example: "amina@example.com", description: "The address for mails about the account" }),
    organization: z.string().meta({ example: "Makerere University", description: profileTexts.organization }),
    account_type: accountType,
    oauth_type: oauthType,
    full_name: z.string().nullable().meta({ example: "Amina Nakato", description: profileTexts.full_name }),
    organization_type: z
      .string()
      .nullable()
      .meta({ example: "Research", description: profileTexts.organization_type }),
    sector: z
      .array(z.string())
      .nullable()
      .meta({ example: ["Education"], description: profileTexts.sector }),
    email_verified: z.boolean().meta({
      example: false,
      description: "Whether the owner has proved the address",
    }),
    accepted_terms: acceptedTerms.optional(),
    default_language: z.string().optional().meta({
      example: "lug",
      description:
        "The language of recordings for clients that cannot name one; ISO 639-3. Absent until it is set",
    }),
    default_languages: z
      .array(z.string())
      .optional()
      .meta({
        example: ["lug", "eng"],
        description:
          "Without `default_language`: the languages that recordings may be in, of which one is determined; ISO 639-3. Absent until they " +
          "are set",
      }),
    keywords: z
      .array(z.string())
      .optional()
      .meta({ example: ["Sekitoleko"], description: profileTexts.keywords }),
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof account>;

/** The profile item of an account, without the hash of its password. */
const accountProfile = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  organization: z.string(),
  oauth_type: oauthType,
  full_name: z.string().optional(),
  organization_type: z.string().optional(),
  sector: z.array(z.string()).optional(),
  created_at: z.string(),
  accepted_terms: acceptedTerms.optional(),
});
type AccountProfile = z.infer<typeof accountProfile>;

/**
 * A profile with the hash of its password; an owner who signs in elsewhere has none until they set one. What a second factor
 * consists of, only `second-factors.ts` reads.
 */
export const profileWithPassword = accountProfile.extend({
  password_hash: z.string().optional(),
  second_factor: z.object({}).optional(),
});

/** A stored account, without the hash of its password. */
export type StoredAccount = AccountProfile &
  AccountAccess & { readonly has_password: boolean; readonly has_second_factor: boolean };

/** An account with the hash of its password. */
export type AccountWithPassword = StoredAccount & Pick<z.infer<typeof profileWithPassword>, "password_hash">;

/** Combines the two items of an account, without the hash. */
export const toStoredAccount = (profile: unknown, access: AccountAccess): StoredAccount => {
  const { password_hash: hash, second_factor: factor, ...others } = profileWithPassword.parse(profile);
  return {
    ...others,
    ...access,
    has_password: hash !== undefined,
    has_second_factor: factor !== undefined,
  };
};

/** Formats an account for the API. */
export const toAccount = (item: StoredAccount): Account => ({
  id: item.id,
  username: item.username,
  email: item.email,
  organization: item.organization,
  account_type: item.account_type,
  oauth_type: item.oauth_type,
  full_name: item.full_name ?? null,
  organization_type: item.organization_type ?? null,
  sector: item.sector ?? null,
  email_verified: item.email_verified,
  ...(item.accepted_terms === undefined ? {} : { accepted_terms: item.accepted_terms }),
  ...(item.default_language ? { default_language: item.default_language } : {}),
  ...(item.default_languages?.length ? { default_languages: item.default_languages } : {}),
  ...(item.keywords?.length ? { keywords: item.keywords } : {}),
});

/** An account at one epoch: what proved a right to it counts for this epoch only. */
export interface AccountAtEpoch {
  readonly userId: number;
  readonly tokenEpoch: number;
}

/** The change that revokes every token and reset link of the account. It fails when they were revoked since the epoch. */
export const nextEpoch = ({ userId, tokenEpoch }: AccountAtEpoch): ItemUpdate => ({
  Key: accountKeys.access(userId),
  // The ids of revoked tokens can go: their epoch has ended.
  UpdateExpression: "SET revoked = :none ADD token_epoch :one",
  ConditionExpression: "token_epoch = :epoch",
  ExpressionAttributeValues: { ":none": {}, ":one": 1, ":epoch": tokenEpoch },
});

/** The change that revokes every token, session and reset link of an account, at any epoch. */
export const anyNextEpoch = (userId: number): ItemUpdate => ({
  Key: accountKeys.access(userId),
  UpdateExpression: "SET revoked = :none ADD token_epoch :one",
  ...exists,
  ExpressionAttributeValues: { ":none": {}, ":one": 1 },
});

/**
 * The changes, to be written together, that set a new password and revoke every token and reset link of the account. They
 * fail when the password was changed since the epoch: what proved the right to set it, the old password or a mailed link,
 * no longer does.
 */
export const passwordChange = (seen: AccountAtEpoch, passwordHash: string): ItemUpdate[] => [
  {
    Key: accountKeys.profile(seen.userId),
    UpdateExpression: "SET password_hash = :hash",
    ...exists,
    ExpressionAttributeValues: { ":hash": passwordHash },
  },
  nextEpoch(seen),
];

/**
 * The changes, to be written together, that the first proof of an address makes: someone else may have registered it, so
 * every password, second factor, token, session, key and identity from before ends. They fail when the address was verified, or the
 * password changed, since the epoch.
 *
 * @param passwordHash `undefined` for an owner who signs in through an identity provider.
 */
export const firstProof = (
  { userId, tokenEpoch }: AccountAtEpoch,
  passwordHash: string | undefined,
): ItemUpdate[] => [
  {
    Key: accountKeys.profile(userId),
    ...exists,
    ...(passwordHash === undefined
      ? { UpdateExpression: "REMOVE password_hash, second_factor, second_factor_setup" }
      : {
          UpdateExpression: "SET password_hash = :hash REMOVE second_factor, second_factor_setup",
          ExpressionAttributeValues: { ":hash": passwordHash },
        }),
  },
  {
    Key: accountKeys.access(userId),
    UpdateExpression:
      "SET revoked = :none, token_epoch = :next, proved_epoch = :next, email_verified = :yes REMOVE api_keys",
    ConditionExpression: "token_epoch = :epoch AND email_verified = :no",
    ExpressionAttributeValues: {
      ":none": {},
      ":next": tokenEpoch + 1,
      ":epoch": tokenEpoch,
      ":yes": true,
      ":no": false,
    },
  },
];
