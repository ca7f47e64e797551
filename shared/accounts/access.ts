import * as z from "zod";
import type { TokenClaims } from "../auth/tokens.ts";
import { AppError } from "../errors/app-error.ts";
import type { Item, ItemTable } from "../storage/item-table.ts";
import { type AccountAccess, accountAccess } from "./account.ts";
import { accountKeys } from "./keys.ts";

/** What is known of an account when one of its tokens is used. */
export interface TokenAccess extends AccountAccess {
  /** The token was replaced by another. */
  readonly isRevoked: boolean;
}

const revokedTokens = z.object({ revoked: z.record(z.string(), z.unknown()).optional() });

/** What an access item says about a token; `undefined` when there is no such account. */
export const tokenAccess = (item: Item | undefined, { tokenId }: TokenClaims): TokenAccess | undefined => {
  if (item?.["token_epoch"] === undefined) return undefined;
  const { revoked = {} } = revokedTokens.parse(item);
  return { ...accountAccess.parse(item), isRevoked: Object.hasOwn(revoked, tokenId) };
};

/** Whether a token whose signature and expiry are right was not revoked since. */
export const tokenStands = (
  access: TokenAccess | undefined,
  { tokenEpoch }: TokenClaims,
): access is TokenAccess => access !== undefined && !access.isRevoked && access.token_epoch === tokenEpoch;

/**
 * Decides about a token whose signature and expiry are right.
 *
 * @returns what its account may do.
 * @throws AppError `unauthenticated` when the token was revoked, or its account is gone; `forbidden` when that is disabled.
 */
export const requireAccess = (access: TokenAccess | undefined, token: TokenClaims): AccountAccess => {
  if (!tokenStands(access, token)) throw new AppError("unauthenticated");
  if (access.disabled) throw new AppError("forbidden");
  return access;
};

/** Reads what decides about a token, and no more of the item; `undefined` when there is no such account. */
export const readAccess = async (
  table: Pick<ItemTable, "read">,
  token: TokenClaims,
  signal?: AbortSignal,
): Promise<TokenAccess | undefined> => {
  const item = await table.read(
    {
      Key: accountKeys.access(token.userId),
      ProjectionExpression: "account_type, disabled, token_epoch, email_verified, revoked.#token",
      ExpressionAttributeNames: { "#token": token.tokenId },
    },
    signal,
  );
  return tokenAccess(item, token);
};
