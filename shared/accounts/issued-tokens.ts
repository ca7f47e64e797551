import * as z from "zod";
import type { TokenClaims } from "../auth/tokens.ts";
import type { ItemTable } from "../storage/item-table.ts";
import { type StoredAccount, storedAccount } from "./account.ts";
import { accountKeys } from "./keys.ts";

/** An issued token as it is stored. */
export const tokenItem = z.object({
  token_id: z.string(),
  token_epoch: z.int(),
  created_at: z.string(),
  /** Unix seconds, also the table's time-to-live attribute; absent for tokens that do not expire. */
  expires_at: z.int().optional(),
});

/** Issued tokens as every request looks at them: what imports this file loads no SDK. */
export interface IssuedTokens {
  /**
   * The account a token belongs to, in one round trip.
   *
   * @returns `undefined` when the token was revoked or its account is gone.
   */
  findAccount(token: TokenClaims): Promise<StoredAccount | undefined>;
}

/** Issued tokens in the service's table; access pattern T1 of this folder's README. */
export const createIssuedTokens = (table: ItemTable): IssuedTokens => ({
  findAccount: async ({ userId, tokenId }) => {
    const items = await table.readItems([accountKeys.profile(userId), accountKeys.token(userId, tokenId)]);
    const profile = items.find((item) => item["SK"] === "PROFILE");
    const token = items.find((item) => item["SK"] !== "PROFILE");
    if (!profile || !token) return undefined;
    const found = storedAccount.parse(profile);
    return tokenItem.parse(token).token_epoch === found.token_epoch ? found : undefined;
  },
});
