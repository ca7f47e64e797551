import type { Item, Table } from "../../platform/storage/table.ts";
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
 * The max number of revoked tokens of an account that have not expired: every request writes the item that holds them, and
 * any client with a token can make it grow.
 */
export const maxRevokedTokens = 200;

/** DynamoDB takes at most 4 KB of expression. */
const maxForgotten = 50;

/** The expiry time of a token that never expires. */
const never = 0;

/** The result of revoking a token. */
export type Revocation =
  | { readonly kind: "revoked" }
  /** A parallel request with the same `Idempotency-Key` has replaced it. */
  | { readonly kind: "replaced"; readonly successor: TokenSuccessor }
  /** @property endsIn seconds until the first of the revoked tokens expires; `undefined` when none ever does. */
  | { readonly kind: "too-many"; readonly endsIn: number | undefined };

/** Revoked tokens in the table. */
export type TokensRepository = ReturnType<typeof createTokensRepository>;

const removeExpired = async (table: Table, userId: number, ids: readonly string[]): Promise<void> => {
  await table.update({
    Key: accountKeys.access(userId),
    UpdateExpression: `REMOVE ${ids.map((_, index) => `revoked.#t${index}`).join(", ")}`,
    ConditionExpression: "attribute_exists(revoked)",
    ExpressionAttributeNames: Object.fromEntries(ids.map((id, index) => [`#t${index}`, id])),
  });
};

/** Keeps only the expiry of tokens whose successors are no longer returned: every request writes the item. */
const forgetSuccessors = async (
  table: Table,
  { userId, tokenEpoch }: TokenClaims,
  item: Item,
  seconds: number,
): Promise<void> => {
  const since = seconds - successorSeconds;
  const old = Object.entries(revokedTokens.parse(item))
    .filter(([, { successor }]) => successor !== undefined && successor.issuedAt < since)
    .slice(0, maxForgotten);
  if (old.length === 0) return;
  await table.update({
    Key: accountKeys.access(userId),
    UpdateExpression: `SET ${old.map((_, index) => `revoked.#t${index} = :e${index}`).join(", ")}`,
    ConditionExpression: "token_epoch = :epoch",
    ExpressionAttributeNames: Object.fromEntries(old.map(([id], index) => [`#t${index}`, id])),
    ExpressionAttributeValues: {
      ":epoch": tokenEpoch,
      ...Object.fromEntries(old.map(([, { end }], index) => [`:e${index}`, end])),
    },
  });
};

/** Adds a token to the revoked ones of its account, if it is valid and there are not too many. */
const writeRevocation = (table: Table, token: TokenClaims, successor: TokenSuccessor | undefined) => {
  const { userId, tokenId, tokenEpoch, tokenExpiresAt = never } = token;
  return table.update({
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
  });
};

const revoke = async (
  table: Table,
  token: TokenClaims,
  successor: TokenSuccessor | undefined,
  seconds: number,
): Promise<Revocation> => {
  const { applied, item } = await writeRevocation(table, token, successor);
  if (applied) {
    // The token is replaced, even if this fails: the next revocation forgets what remains.
    if (successor) await forgetSuccessors(table, token, item, seconds).catch(() => undefined);
    return { kind: "revoked" };
  }
  const access = credentialAccess(item, token, seconds);
  const known = repeatedSuccessor(access, successor?.keyDigest, seconds);
  if (known) return { kind: "replaced", successor: known };
  requireAccess(access, token, undefined);
  const ends = Object.entries(revokedTokens.parse(item)).filter(([, { end }]) => end !== never);
  const expired = ends.flatMap(([id, { end }]) => (end <= seconds ? [id] : []));
  if (expired.length === 0) {
    const first = ends.reduce((earliest, [, { end }]) => Math.min(earliest, end), Number.POSITIVE_INFINITY);
    return { kind: "too-many", endsIn: ends.length === 0 ? undefined : Math.ceil(first - seconds) };
  }
  await removeExpired(table, token.userId, expired);
  return revoke(table, token, successor, seconds);
};

/** The revoked tokens in the service's table; access pattern A5 of the README in `shared/accounts`. */
export const createTokensRepository = (table: Table, now: () => number = Date.now) => ({
  /**
   * Revokes a token. Of parallel calls with one token only one succeeds; the others with the same `Idempotency-Key` get its
   * successor.
   *
   * @param successor the token that replaces it, if a repeated request may need it again; stored by the same write.
   * @throws AppError `unauthenticated` when the token was revoked before, `forbidden` when its account is disabled.
   */
  revoke: (token: TokenClaims, successor?: TokenSuccessor): Promise<Revocation> =>
    revoke(table, token, successor, now() / 1_000),
});
