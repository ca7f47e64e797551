import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Item, Table } from "../../platform/storage/table.ts";
import { type AccountAccess, accountAccess } from "./account.ts";
import { type Credential, isKey, isOutOfScope, isOwn, type KeyClaims, type Scope } from "./api-keys.ts";
import type { TokenSuccessor } from "./caller.ts";
import { accountKeys } from "./keys.ts";

/**
 * What decides about a key's requests, in the map `api_keys` of its account's access item. The names are short because the
 * item is written with every request: `h` its digest, `s` its scopes (without them all), `e` when it expires, `l` how many
 * tasks it may do in a month, `u` when it was used last. Times are Unix seconds. Beside them stand its counters of tasks by
 * month, as `M2026-11`.
 */
export const storedKey = z.looseObject({
  h: z.string(),
  s: z.set(z.string()).optional(),
  e: z.int().optional(),
  l: z.int().optional(),
  u: z.int().optional(),
});
export type StoredKey = z.infer<typeof storedKey>;

/** Of a token that was replaced by a request with an `Idempotency-Key`: the names are short, as those of keys are. */
const replacedToken = z
  .object({ end: z.number(), id: z.string(), at: z.int(), key: z.string() })
  .transform(({ end, id, at, key }) => ({ end, successor: { tokenId: id, issuedAt: at, keyDigest: key } }));

const revokedToken = z.union([z.number().transform((end) => ({ end, successor: undefined })), replacedToken]);

/**
 * The tokens of an access item that were revoked one by one, by their ids: when each expires anyway (Unix seconds, 0 for
 * never), and the token that took its place if that may have to be given again.
 */
export const revokedTokens = z
  .object({ revoked: z.record(z.string(), revokedToken).default({}) })
  .transform(({ revoked }) => revoked);

/** A token that was replaced, as {@link revokedTokens} reads it. */
export const toReplacedToken = (end: number, { tokenId, issuedAt, keyDigest }: TokenSuccessor) =>
  ({ end, id: tokenId, at: issuedAt, key: keyDigest }) satisfies z.input<typeof replacedToken>;

/** For how long the token that took another's place is given again. */
export const successorSeconds = 60;

/** What is known of an account when one of its credentials is used. */
export interface CredentialAccess extends AccountAccess {
  /** The credential opens the account: a token that was not replaced, a key that was not revoked and has not expired. */
  readonly stands: boolean;
  /** What is kept of the key, where the credential is one that stands. */
  readonly key: StoredKey | undefined;
  /** What took the place of the token, where it is one of this epoch. */
  readonly successor?: TokenSuccessor | undefined;
}

/** Every request looks at one of its entries, or at none: the others are not worth their time. */
const revokedMap = z.object({ revoked: z.record(z.string(), z.unknown()).optional() });
const keysMap = z.object({ api_keys: z.record(z.string(), z.unknown()).optional() });

/** The key of an access item that a caller has sent. Digests are compared in constant time, though they tell nothing. */
const keyOf = (item: Item, { keyId, keyDigest }: KeyClaims, seconds: number): StoredKey | undefined => {
  const { api_keys: keys = {} } = keysMap.parse(item);
  const stored = Object.hasOwn(keys, keyId) ? storedKey.parse(keys[keyId]) : undefined;
  if (!stored || (stored.e !== undefined && stored.e <= seconds)) return undefined;
  const [known, sent] = [Buffer.from(stored.h), Buffer.from(keyDigest)];
  return known.length === sent.length && timingSafeEqual(known, sent) ? stored : undefined;
};

/**
 * What an access item says about a credential; `undefined` when there is no such account.
 *
 * @param seconds the moment that keys expire by, in Unix time.
 */
export const credentialAccess = (
  item: Item | undefined,
  credential: Credential,
  seconds: number,
): CredentialAccess | undefined => {
  if (item?.["token_epoch"] === undefined) return undefined;
  const access = accountAccess.parse(item);
  if (isKey(credential)) {
    const key = keyOf(item, credential, seconds);
    return { ...access, stands: key !== undefined, key };
  }
  if (access.token_epoch !== credential.tokenEpoch) return { ...access, stands: false, key: undefined };
  const { revoked = {} } = revokedMap.parse(item);
  if (!Object.hasOwn(revoked, credential.tokenId)) return { ...access, stands: true, key: undefined };
  const { successor } = revokedToken.parse(revoked[credential.tokenId]);
  return { ...access, stands: false, key: undefined, successor };
};

/**
 * The token that took the place of the one that was sent, for who has asked for it and may not have got the answer.
 *
 * @param keyDigest of the `Idempotency-Key` that was sent, where a token can be asked for.
 * @param seconds the moment, in Unix time.
 * @returns `undefined` when the token was replaced more than a minute ago, with another key or none, or its account is disabled.
 */
export const repeatedSuccessor = (
  access: CredentialAccess | undefined,
  keyDigest: string | undefined,
  seconds: number,
): TokenSuccessor | undefined => {
  const { disabled, successor } = access ?? {};
  if (!successor || disabled || successor.keyDigest !== keyDigest) return undefined;
  return seconds - successor.issuedAt < successorSeconds ? successor : undefined;
};

/**
 * Decides about a credential, of a token whose signature and expiry are right or a key whose checksum is.
 *
 * @param scope what a key, or a token for some tasks, has to be allowed; `any` for what every one may do, `undefined` for what
 * none may.
 * @returns what its account may do.
 * @throws AppError `unauthenticated` when the credential was revoked or has expired, or its account is gone; `forbidden` when
 * that is disabled; `insufficient_scope` when the key, or the token for some tasks, was not made for this.
 */
export const requireAccess = (
  access: CredentialAccess | undefined,
  credential: Credential,
  scope: Scope | "any" | undefined,
): AccountAccess => {
  if (!access?.stands) throw new AppError("unauthenticated");
  if (access.disabled) throw new AppError("forbidden");
  if (isOwn(credential) || scope === "any") return access;
  const kind = isKey(credential) ? "key" : "token";
  if (scope === undefined) {
    throw new AppError("insufficient_scope", {
      message:
        kind === "key"
          ? "A key cannot do this; the account's token can."
          : "This token is for some tasks only; the account's own token can do this.",
    });
  }
  const isAllowed = !isOutOfScope(credential, scope) && access.key?.s?.has(scope) !== false;
  if (isAllowed) return access;
  throw new AppError("insufficient_scope", { message: `This ${kind} does not have the scope '${scope}'.` });
};

/** Reads what decides about a credential, and no more of the item; `undefined` when there is no such account. */
export const readAccess = async (
  table: Pick<Table, "read">,
  credential: Credential,
  signal?: AbortSignal,
): Promise<CredentialAccess | undefined> => {
  const own = isKey(credential) ? "api_keys.#own" : "revoked.#own";
  const item = await table.read(
    {
      Key: accountKeys.access(credential.userId),
      ProjectionExpression: `account_type, disabled, token_epoch, email_verified, default_language, ${own}`,
      ExpressionAttributeNames: { "#own": isKey(credential) ? credential.keyId : credential.tokenId },
    },
    signal,
  );
  return credentialAccess(item, credential, Date.now() / 1_000);
};
