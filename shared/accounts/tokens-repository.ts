import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { TokenClaims } from "../auth/tokens.ts";
import type { Table } from "../storage/table.ts";
import { tokenItem } from "./issued-tokens.ts";
import { accountKeys } from "./keys.ts";

/** Why a transaction is cancelled when a parallel one has replaced the token, or is doing so. Throttling is another matter. */
const takenByAnother: ReadonlySet<string> = new Set(["ConditionalCheckFailed", "TransactionConflict"]);

/** A token to be stored. */
export interface NewToken extends TokenClaims {
  readonly tokenEpoch: number;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
}

/** Issued tokens in the table. */
export type TokensRepository = ReturnType<typeof createTokensRepository>;

/** The repository of issued tokens over the service's table; access pattern T1 of this folder's README. */
export const createTokensRepository = ({ client, name: TableName }: Table) => {
  const toItem = ({ userId, tokenId, tokenEpoch, expiresAt }: NewToken) => ({
    ...accountKeys.token(userId, tokenId),
    token_id: tokenId,
    token_epoch: tokenEpoch,
    created_at: new Date().toISOString(),
    expires_at: expiresAt,
  });

  return {
    add: async (token: NewToken): Promise<void> => {
      await client.send(new PutCommand({ TableName, Item: toItem(token) }));
    },

    /**
     * Replaces a token by a new one of the same account, in one transaction.
     *
     * @returns `false` when the old token is no longer valid; of parallel calls with one token only one succeeds.
     */
    rotate: async (
      old: TokenClaims,
      next: { readonly tokenId: string; readonly expiresAt: number | undefined },
    ): Promise<boolean> => {
      const Key = accountKeys.token(old.userId, old.tokenId);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      if (!Item) return false;
      // The epoch is carried over: should the password change meanwhile, the new token is as revoked as the old.
      const { token_epoch: tokenEpoch } = tokenItem.parse(Item);
      try {
        await client.send(
          new TransactWriteCommand({
            TransactItems: [
              { Delete: { TableName, Key, ConditionExpression: "attribute_exists(PK)" } },
              { Put: { TableName, Item: toItem({ ...next, userId: old.userId, tokenEpoch }) } },
            ],
          }),
        );
        return true;
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        if (error.CancellationReasons?.some(({ Code = "" }) => takenByAnother.has(Code))) return false;
        throw error;
      }
    },
  };
};
