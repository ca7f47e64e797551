import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod";
import type { TokenClaims } from "../auth/tokens.ts";
import type { Table } from "../storage/table.ts";
import { credentialAccess, requireAccess } from "./access.ts";
import { accountKeys } from "./keys.ts";

/**
 * So many replaced tokens of an account may not have expired yet: an item that every request writes must stay small, and
 * whoever has a token could make it grow.
 */
export const mostRevokedTokens = 200;

/** In place of the time at which a token expires: never. */
const never = 0;

const revokedItem = z.object({ revoked: z.record(z.string(), z.number()) });

/** What came of revoking a token: it is done, or the account must wait until so many seconds from now. */
export type Revocation =
  | { readonly kind: "revoked" }
  | { readonly kind: "too-many"; readonly endsIn: number | undefined };

/** Revoked tokens in the table. */
export type TokensRepository = ReturnType<typeof createTokensRepository>;

/** The repository of revoked tokens over the service's table; access pattern A5 of this folder's README. */
export const createTokensRepository = ({ client, name: TableName }: Table, now: () => number = Date.now) => {
  const removeExpired = async (userId: number, ids: readonly string[]): Promise<void> => {
    await client.send(
      new UpdateCommand({
        TableName,
        Key: accountKeys.access(userId),
        UpdateExpression: `REMOVE ${ids.map((_, index) => `revoked.#t${index}`).join(", ")}`,
        ConditionExpression: "attribute_exists(revoked)",
        ExpressionAttributeNames: Object.fromEntries(ids.map((id, index) => [`#t${index}`, id])),
      }),
    );
  };

  const revoke = async (token: TokenClaims): Promise<Revocation> => {
    const { userId, tokenId, tokenEpoch, tokenExpiresAt = never } = token;
    try {
      await client.send(
        new UpdateCommand({
          TableName,
          Key: accountKeys.access(userId),
          UpdateExpression: "SET revoked.#token = :end",
          ConditionExpression:
            "token_epoch = :epoch AND disabled = :no AND attribute_not_exists(revoked.#token) AND size(revoked) < :most",
          ExpressionAttributeNames: { "#token": tokenId },
          ExpressionAttributeValues: {
            ":end": tokenExpiresAt,
            ":epoch": tokenEpoch,
            ":no": false,
            ":most": mostRevokedTokens,
          },
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return { kind: "revoked" };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = error.Item && unmarshall(error.Item);
      const seconds = now() / 1_000;
      requireAccess(credentialAccess(item, token, seconds), token, undefined);
      const ends = Object.entries(revokedItem.parse(item).revoked).filter(([, end]) => end !== never);
      const expired = ends.flatMap(([id, end]) => (end <= seconds ? [id] : []));
      if (expired.length === 0) {
        const first = Math.min(...ends.map(([, end]) => end));
        return { kind: "too-many", endsIn: ends.length === 0 ? undefined : Math.ceil(first - seconds) };
      }
      await removeExpired(userId, expired);
      return revoke(token);
    }
  };

  return {
    /**
     * Revokes a token, which no call of the account can use any more. Of parallel calls with one token only one succeeds.
     *
     * @throws AppError `unauthenticated` when it was revoked before, `forbidden` when its account is disabled.
     */
    revoke,
  };
};
