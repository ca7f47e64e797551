import { timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Item, Table } from "../../platform/storage/table.ts";
import { type AccountAccess, accountAccess } from "./account-access.ts";
import { type Credential, isKey, isOutOfScope, isOwn, type KeyClaims, type Scope } from "./api-keys.ts";
import type { TokenSuccessor } from "./caller.ts";
import { accountKeys } from "./keys.ts";

/**
 * A key in the map `api_keys` of its account's access item: `h` its digest, `s` its scopes (absent for all), `e` when it
 * expires, `l` its max number of tasks a month, `u` when it was last used. Times are Unix seconds. It also has its counters
 * of tasks by month, such as `M2026-11`. The names are short because every request writes the item.
 */
export const storedKey = z.looseObject({
  h: z.string(),
  s: z.set(z.string()).optional(),
  e: z.int().optional(),
  l: z.int().optional(),
  m: z.int().optional(),
  u: z.int().optional(),
});
export type StoredKey = z.infer<typeof storedKey>;

/** A token that was replaced by a request with an `Idempotency-Key`. */
const replacedToken = z
  .object({ end: z.number(), id: z.string(), at: z.int(), key: z.string() })
  .transform(({ end, id, at, key }) => ({ end, successor: { tokenId: id, issuedAt: at, keyDigest: key } }));

const revokedToken = z.union([z.number().transform((end) => ({ end, successor: undefined })), replacedToken]);

/**
 * The revoked tokens of an access item by their ids: when each expires (Unix seconds, 0 for never), and the token that
 * replaced it if that may be returned again.
 */
export const revokedTokens = z
  .object({ revoked: z.record(z.string(), revokedToken).default({}) })
  .transform(({ revoked }) => revoked);

/** Formats a replaced token as {@link revokedTokens} reads it. */
export const toReplacedToken = (end: number, { tokenId, issuedAt, keyDigest }: TokenSuccessor) =>
  ({ end, id: tokenId, at: issuedAt, key: keyDigest }) satisfies z.input<typeof replacedToken>;

/** How long the successor of a token is returned again. */
export const successorSeconds = 60;

/** The status of an account for one of its credentials. */
export interface CredentialAccess extends AccountAccess {
  /** Whether the credential is valid: a token that was not revoked, a key that was not revoked and has not expired. */
  readonly isValid: boolean;
  /** The stored key, if the credential is a valid key. */
  readonly key: StoredKey | undefined;
  /** The token that replaced this one, if both are of this epoch. */
  readonly successor?: TokenSuccessor | undefined;
}

/** Each request parses one entry of a map, or none, to save time. */
const revokedMap = z.object({ revoked: z.record(z.string(), z.unknown()).optional() });
const keysMap = z.object({ api_keys: z.record(z.string(), z.unknown()).optional() });

/** Returns the key that a caller has sent. Digests are compared in constant time, as a precaution. */
const keyOf = (item: Item, { keyId, keyDigest }: KeyClaims, seconds: number): StoredKey | undefined => {
  const { api_keys: keys = {} } = keysMap.parse(item);
  const stored = Object.hasOwn(keys, keyId) ? storedKey.parse(keys[keyId]) : undefined;
  if (!stored || (stored.e !== undefined && stored.e <= seconds)) return undefined;
  const [known, sent] = [Buffer.from(stored.h), Buffer.from(keyDigest)];
  return known.length === sent.length && timingSafeEqual(known, sent) ? stored : undefined;
};

/** Returns the status of a credential, or `undefined` when there is no such account. @param seconds the present Unix time. */
export const credentialAccess = (
  item: Item | undefined,
  credential: Credential,
  seconds: number,
): CredentialAccess | undefined => {
  if (item?.["token_epoch"] === undefined) return undefined;
  const access = accountAccess.parse(item);
  if (isKey(credential)) {
    const key = keyOf(item, credential, seconds);
    return { ...access, isValid: key !== undefined, key };
  }
  if (access.token_epoch !== credential.tokenEpoch) return { ...access, isValid: false, key: undefined };
  const { revoked = {} } = revokedMap.parse(item);
  if (!Object.hasOwn(revoked, credential.tokenId)) return { ...access, isValid: true, key: undefined };
  const { successor } = revokedToken.parse(revoked[credential.tokenId]);
  return { ...access, isValid: false, key: undefined, successor };
};

/**
 * Returns the token that replaced the one that was sent, for a caller that may not have received it; `undefined` when the
 * token was replaced more than a minute ago, or with another `Idempotency-Key`, or its account is disabled.
 *
 * @param keyDigest the digest of the `Idempotency-Key` that was sent.
 * @param seconds the present Unix time.
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
 * Checks a token whose signature and expiry are valid, or a key whose checksum is.
 *
 * @param scope the scope that a key, or a token with scopes, needs; `any` when each may do this, `undefined` when none may.
 * @returns the access of its account.
 * @throws AppError `unauthenticated` when the credential was revoked or has expired, or its account is gone; `forbidden` when
 * the account is disabled; `insufficient_scope` when the credential does not have the scope.
 */
export const requireAccess = (
  access: CredentialAccess | undefined,
  credential: Credential,
  scope: Scope | "any" | undefined,
): AccountAccess => {
  if (!access?.isValid) throw new AppError("unauthenticated");
  if (access.disabled) throw new AppError("forbidden");
  if (isOwn(credential) || scope === "any") return access;
  const kind = isKey(credential) ? "key" : "token";
  if (scope === undefined) {
    throw new AppError("insufficient_scope", {
      message:
        kind === "key"
          ? "An API key cannot do this; use the account's token."
          : "This token is for some tasks only; use the account's own token.",
    });
  }
  const isAllowed = !isOutOfScope(credential, scope) && access.key?.s?.has(scope) !== false;
  if (isAllowed) return access;
  throw new AppError("insufficient_scope", { message: `This ${kind} does not have the scope '${scope}'.` });
};

/** Reads what {@link credentialAccess} needs of the access item, and these counters. */
export const readAccessItem = (
  table: Pick<Table, "read">,
  credential: Credential,
  counters: readonly string[],
  signal?: AbortSignal,
): Promise<Item | undefined> => {
  const own = isKey(credential) ? "api_keys.#own" : "revoked.#own";
  const fixed =
    "account_type, disabled, token_epoch, email_verified, default_language, default_languages, keywords";
  return table.read(
    {
      Key: accountKeys.access(credential.userId),
      ProjectionExpression: [fixed, own, ...counters.map((_, index) => `#c${index}`)].join(", "),
      ExpressionAttributeNames: {
        "#own": isKey(credential) ? credential.keyId : credential.tokenId,
        ...Object.fromEntries(counters.map((name, index) => [`#c${index}`, name])),
      },
    },
    signal,
  );
};

/** Reads the status of a credential; `undefined` when there is no such account. */
export const readAccess = async (
  table: Pick<Table, "read">,
  credential: Credential,
): Promise<CredentialAccess | undefined> =>
  credentialAccess(await readAccessItem(table, credential, []), credential, Date.now() / 1_000);

const activity = z.object({ disabled: z.boolean(), deletion_began: z.string().optional() }).optional();

/** Whether an account exists, is not disabled, and its deletion has not started. */
export const isActiveAccount = async (table: Pick<Table, "read">, userId: number): Promise<boolean> => {
  const Key = accountKeys.access(userId);
  const access = activity.parse(await table.read({ Key, ProjectionExpression: "disabled, deletion_began" }));
  return access !== undefined && !access.disabled && access.deletion_began === undefined;
};
