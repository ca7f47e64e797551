import * as z from "zod";
import { exists, type ItemUpdate } from "../../platform/storage/table.ts";
import { accountKeys } from "./keys.ts";

/** Tiers of an account; only an operator changes them. */
export const accountTypes = ["Free", "Premium", "Admin"] as const;
export const accountType = z.enum(accountTypes);
export type AccountType = z.infer<typeof accountType>;

/** How an account signs in: with a password here, or through an external identity provider. */
export const oauthType = z.enum(["Credentials", "IdentityProviderA", "IdentityProviderB"]);

/** An account as its owner sees it; a password is never part of it. */
export const account = z
  .object({
    id: z.int().meta({ example: 1 }),
    username: z.string().meta({ example: "amina" }),
    email: z.string().meta({ example: "amina@example.com" }),
    organization: z.string().meta({ example: "Makerere University" }),
    account_type: accountType,
    oauth_type: oauthType,
    full_name: z.string().nullable().meta({ example: "Amina Nakato" }),
    organization_type: z.string().nullable().meta({ example: "Research" }),
    sector: z
      .array(z.string())
      .nullable()
      .meta({ example: ["Education"] }),
    email_verified: z.boolean().meta({ example: false }),
    default_language: z.string().optional().meta({
      example: "lug",
      description:
        "Of recordings, for clients that cannot name a language; ISO 639-3. Absent until one is set",
    }),
  })
  .meta({ id: "Account" });
export type Account = z.infer<typeof account>;

/** What decides about an account's requests: an item of its own, which every request reads and writes. */
export const accountAccess = z.object({
  account_type: accountType,
  disabled: z.boolean(),
  /** Raised to revoke every token and reset link of the account at once: each holds the value it was made at. */
  token_epoch: z.int(),
  email_verified: z.boolean(),
  /** In which language its recordings are when nobody says so, ISO 639-3. */
  default_language: z.string().optional(),
  /** Since when the account is being deleted. It signs nobody in any more; what is left of it is removed step by step. */
  deletion_began: z.string().optional(),
});
export type AccountAccess = z.infer<typeof accountAccess>;

/** What else is stored of an account, but for the hash of its password. */
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
});
type AccountProfile = z.infer<typeof accountProfile>;

/** A profile with the hash of its password, for comparing one; who signs in elsewhere has none until they set one. */
export const profileWithPassword = accountProfile.extend({ password_hash: z.string().optional() });

/** An account as it is stored, without the hash of its password: whoever needs that asks for it by name. */
export type StoredAccount = AccountProfile & AccountAccess & { readonly has_password: boolean };

/** An account with the hash of its password. */
export type AccountWithPassword = StoredAccount & Pick<z.infer<typeof profileWithPassword>, "password_hash">;

/** What the two items of an account say, without the hash. */
export const toStoredAccount = (profile: unknown, access: AccountAccess): StoredAccount => {
  const { password_hash: hash, ...others } = profileWithPassword.parse(profile);
  return { ...others, ...access, has_password: hash !== undefined };
};

/** An account as its owner sees it. */
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
  ...(item.default_language === undefined ? {} : { default_language: item.default_language }),
});

/** An account at one epoch: what proved a right to it counts for this epoch only. */
export interface AccountAtEpoch {
  readonly userId: number;
  readonly tokenEpoch: number;
}

/**
 * The changes, to be written together, that set a new password and revoke every token and reset link of the account. They
 * fail when the password was changed since the epoch: what proved the right to set it, the old password or a mailed link,
 * no longer does.
 */
export const passwordChange = (
  { userId, tokenEpoch }: AccountAtEpoch,
  passwordHash: string,
): ItemUpdate[] => [
  {
    Key: accountKeys.profile(userId),
    UpdateExpression: "SET password_hash = :hash",
    ...exists,
    ExpressionAttributeValues: { ":hash": passwordHash },
  },
  {
    Key: accountKeys.access(userId),
    // The ids of revoked tokens can go: their epoch has ended.
    UpdateExpression: "SET revoked = :none ADD token_epoch :one",
    ConditionExpression: "token_epoch = :epoch",
    ExpressionAttributeValues: { ":none": {}, ":one": 1, ":epoch": tokenEpoch },
  },
];
