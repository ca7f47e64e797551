import type { AccountAccess, AccountType } from "./account-access.ts";
import { type Credential, isKey, isOwn } from "./api-keys.ts";
import type { TokenClaims } from "./tokens.ts";

/** The token that replaced another: what is needed to sign it again. */
export interface TokenSuccessor {
  readonly tokenId: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  /** The digest of the `Idempotency-Key` of the request. */
  readonly keyDigest: string;
}

/** The caller: the holder of a valid credential. */
export interface Caller {
  readonly userId: number;
  readonly accountType: AccountType;
  /** The id of the key; `undefined` for a token. */
  readonly keyId: string | undefined;
  /** The account's own token; `undefined` for a key or a token with scopes. */
  readonly token: TokenClaims | undefined;
  /** The language of the account's recordings when a request names none, ISO 639-3. */
  readonly defaultLanguage: string | undefined;
  /** The languages that they may be in when there is no such language, ISO 639-3. */
  readonly defaultLanguages: readonly string[];
  /** Names and terms in the account's recordings. */
  readonly keywords: readonly string[] | undefined;
  /** Set when the token was replaced by a request that this one repeats; the token is valid for nothing else. */
  readonly successor?: TokenSuccessor;
}

/** Returns the caller with a credential. */
export const callerWith = (
  credential: Credential,
  access: Pick<AccountAccess, "account_type" | "default_language" | "default_languages" | "keywords">,
): Caller => ({
  userId: credential.userId,
  accountType: access.account_type,
  keyId: isKey(credential) ? credential.keyId : undefined,
  token: isOwn(credential) ? credential : undefined,
  defaultLanguage: access.default_language || undefined,
  defaultLanguages: access.default_languages ?? [],
  keywords: access.keywords,
});

/** The account that a use case works for, and the signal that ends it. */
export interface RequestContext {
  readonly userId: number;
  readonly signal: AbortSignal;
}
