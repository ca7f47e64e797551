import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { TokenClaims } from "../auth/tokens.ts";
import { dependencyUnavailable } from "../errors/dependency-failure.ts";
import type { Table } from "../storage/table.ts";
import { type AccountItem, accountItem } from "./accounts-repository.ts";
import { accountKeys } from "./keys.ts";

const tokenItem = z.object({
  token_id: z.string(),
  token_epoch: z.int(),
  created_at: z.string(),
  /** Unix seconds, also the table's time-to-live attribute; absent for tokens that do not expire. */
  expires_at: z.int().optional(),
});

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
     * The account a token belongs to, in one round trip.
     *
     * @returns `undefined` when the token was revoked or its account is gone.
     */
    findAccount: async ({ userId, tokenId }: TokenClaims): Promise<AccountItem | undefined> => {
      const keys = [accountKeys.profile(userId), accountKeys.token(userId, tokenId)];
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } } }),
      );
      // DynamoDB tells of throttling so, without an error, and leaves out what it did not read.
      if (UnprocessedKeys?.[TableName]) throw dependencyUnavailable();
      const items = Responses?.[TableName] ?? [];
      const profile = items.find((item) => item["SK"] === "PROFILE");
      const token = items.find((item) => item["SK"] !== "PROFILE");
      if (!profile || !token) return undefined;
      const found = accountItem.parse(profile);
      return tokenItem.parse(token).token_epoch === found.token_epoch ? found : undefined;
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
