import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { type Credential, isKey, type KeyClaims, type Scope } from "../auth/api-keys.ts";
import { AppError } from "../errors/app-error.ts";
import type { Item, ItemTable } from "../storage/item-table.ts";
import { type AccountAccess, accountAccess } from "./account.ts";
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

/** What is known of an account when one of its credentials is used. */
export interface CredentialAccess extends AccountAccess {
  /** The credential opens the account: a token that was not replaced, a key that was not revoked and has not expired. */
  readonly stands: boolean;
  /** What is kept of the key, where the credential is one that stands. */
  readonly key: StoredKey | undefined;
}

const revokedTokens = z.object({ revoked: z.record(z.string(), z.unknown()).optional() });
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
  const { revoked = {} } = revokedTokens.parse(item);
  const stands = access.token_epoch === credential.tokenEpoch && !Object.hasOwn(revoked, credential.tokenId);
  return { ...access, stands, key: undefined };
};

/**
 * Decides about a credential, of a token whose signature and expiry are right or a key whose checksum is.
 *
 * @param scope what a key has to be allowed; `any` for what every key may do, `undefined` for what none may.
 * @returns what its account may do.
 * @throws AppError `unauthenticated` when the credential was revoked or has expired, or its account is gone; `forbidden` when
 * that is disabled; `insufficient_scope` when the key was not made for this.
 */
export const requireAccess = (
  access: CredentialAccess | undefined,
  credential: Credential,
  scope: Scope | "any" | undefined,
): AccountAccess => {
  if (!access?.stands) throw new AppError("unauthenticated");
  if (access.disabled) throw new AppError("forbidden");
  if (!isKey(credential) || scope === "any") return access;
  if (scope === undefined) {
    throw new AppError("insufficient_scope", {
      message: "Keys do nothing about the account: its token does.",
    });
  }
  const allowed = access.key?.s;
  if (!allowed || allowed.has(scope)) return access;
  throw new AppError("insufficient_scope", { message: `This key was not made for the scope ${scope}.` });
};

/** Reads what decides about a credential, and no more of the item; `undefined` when there is no such account. */
export const readAccess = async (
  table: Pick<ItemTable, "read">,
  credential: Credential,
  signal?: AbortSignal,
): Promise<CredentialAccess | undefined> => {
  const own = isKey(credential) ? "api_keys.#own" : "revoked.#own";
  const item = await table.read(
    {
      Key: accountKeys.access(credential.userId),
      ProjectionExpression: `account_type, disabled, token_epoch, email_verified, ${own}`,
      ExpressionAttributeNames: { "#own": isKey(credential) ? credential.keyId : credential.tokenId },
    },
    signal,
  );
  return credentialAccess(item, credential, Date.now() / 1_000);
};
