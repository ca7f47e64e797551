import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Table } from "../../platform/storage/table.ts";
import {
  credentialAccess,
  repeatedSuccessor,
  requireAccess,
  revokedTokens,
  successorSeconds,
  toReplacedToken,
} from "../access/access.ts";
import type { TokenSuccessor } from "../access/caller.ts";
import { accountKeys } from "../access/keys.ts";
import type { TokenClaims } from "../access/tokens.ts";

/**
 * So many replaced tokens of an account may not have expired yet: an item that every request writes must stay small, and
 * whoever has a token could make it grow.
 */
export const maxRevokedTokens = 200;

/** DynamoDB takes at most 4 KB of expression. */
const maxForgotten = 50;

/** In place of the time at which a token expires: never. */
const never = 0;

/** What came of revoking a token: it is done, or the account must wait until so many seconds from now. */
export type Revocation =
  | { readonly kind: "revoked" }
  /** A parallel request with the same `Idempotency-Key` has done it. */
  | { readonly kind: "replaced"; readonly successor: TokenSuccessor }
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

  /**
   * Leaves of tokens that were replaced only when they expire, once nobody is given their successors again: every request
   * writes the item.
   */
  const forgetSuccessors = async ({ userId, tokenEpoch }: TokenClaims, item: unknown): Promise<void> => {
    const since = now() / 1_000 - successorSeconds;
    const old = Object.entries(revokedTokens.parse(item))
      .filter(([, { successor }]) => successor !== undefined && successor.issuedAt < since)
      .slice(0, maxForgotten);
    if (old.length === 0) return;
    await client.send(
      new UpdateCommand({
        TableName,
        Key: accountKeys.access(userId),
        UpdateExpression: `SET ${old.map((_, index) => `revoked.#t${index} = :e${index}`).join(", ")}`,
        ConditionExpression: "token_epoch = :epoch",
        ExpressionAttributeNames: Object.fromEntries(old.map(([id], index) => [`#t${index}`, id])),
        ExpressionAttributeValues: {
          ":epoch": tokenEpoch,
          ...Object.fromEntries(old.map(([, { end }], index) => [`:e${index}`, end])),
        },
      }),
    );
  };

  const revoke = async (token: TokenClaims, successor?: TokenSuccessor): Promise<Revocation> => {
    const { userId, tokenId, tokenEpoch, tokenExpiresAt = never } = token;
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: accountKeys.access(userId),
          UpdateExpression: "SET revoked.#token = :end",
          ConditionExpression:
            "token_epoch = :epoch AND disabled = :no AND attribute_not_exists(revoked.#token) AND size(revoked) < :most",
          ExpressionAttributeNames: { "#token": tokenId },
          ExpressionAttributeValues: {
            ":end": successor ? toReplacedToken(tokenExpiresAt, successor) : tokenExpiresAt,
            ":epoch": tokenEpoch,
            ":no": false,
            ":most": maxRevokedTokens,
          },
          ...(successor ? { ReturnValues: "ALL_NEW" } : {}),
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      // The token is replaced, whatever becomes of others: what is not forgotten now is with the next one.
      if (Attributes) await forgetSuccessors(token, Attributes).catch(() => undefined);
      return { kind: "revoked" };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const item = error.Item && unmarshall(error.Item);
      const seconds = now() / 1_000;
      const access = credentialAccess(item, token, seconds);
      const known = repeatedSuccessor(access, successor?.keyDigest, seconds);
      if (known) return { kind: "replaced", successor: known };
      requireAccess(access, token, undefined);
      const ends = Object.entries(revokedTokens.parse(item)).filter(([, { end }]) => end !== never);
      const expired = ends.flatMap(([id, { end }]) => (end <= seconds ? [id] : []));
      if (expired.length === 0) {
        const first = Math.min(...ends.map(([, { end }]) => end));
        return { kind: "too-many", endsIn: ends.length === 0 ? undefined : Math.ceil(first - seconds) };
      }
      await removeExpired(userId, expired);
      return revoke(token, successor);
    }
  };

  return {
    /**
     * Revokes a token, which no call of the account can use any more. Of parallel calls with one token only one succeeds,
     * and those that have the same `Idempotency-Key` learn what has taken its place.
     *
     * @param successor what takes its place, where that may have to be given again: it is noted with the revocation, in the
     * same write.
     * @throws AppError `unauthenticated` when it was revoked before, `forbidden` when its account is disabled.
     */
    revoke,
  };
};
