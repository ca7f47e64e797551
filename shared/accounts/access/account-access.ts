import * as z from "zod";

/** The tiers of accounts; only an operator changes them. */
export const accountTypes = ["Free", "Premium", "Admin"] as const;
export const accountType = z
  .enum(accountTypes)
  .describe("The tier of the account, which decides its limits; only an operator changes it");
export type AccountType = z.infer<typeof accountType>;

/** The access item of an account, which every request reads and writes. */
export const accountAccess = z.object({
  account_type: accountType,
  disabled: z.boolean(),
  /** Raising it revokes every token and reset link of the account: each holds the epoch of its creation. */
  token_epoch: z.int(),
  email_verified: z.boolean(),
  /** The epoch that started with the owner's first proof of the address: identities of earlier ones have ended. */
  proved_epoch: z.int().optional(),
  /** The language of its recordings when a request names none, ISO 639-3; empty when it was removed. */
  default_language: z.string().optional(),
  /** The languages that its recordings may be in, of which one is determined, ISO 639-3. Earlier versions stored none. */
  default_languages: z.array(z.string()).optional(),
  /** Names and terms in its recordings, which models get with each of them. */
  keywords: z.array(z.string()).optional(),
  /** When the deletion of the account started: no one can sign in, and its data is removed step by step. */
  deletion_began: z.string().optional(),
});
export type AccountAccess = z.infer<typeof accountAccess>;
