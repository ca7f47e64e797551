import type { AccountAccess, AccountType } from "./account.ts";
import { type Credential, isKey, isOwn } from "./api-keys.ts";
import type { TokenClaims } from "./tokens.ts";

/** The token that took the place of another: what has to be known to sign it again. */
export interface TokenSuccessor {
  readonly tokenId: string;
  /** Unix seconds. */
  readonly issuedAt: number;
  /** Of the `Idempotency-Key` that it was asked for with. */
  readonly keyDigest: string;
}

/** Who is calling: the holder of a credential that stands, admitted with this request. */
export interface Caller {
  readonly userId: number;
  readonly accountType: AccountType;
  /** Of the key that was sent; `undefined` for a token. */
  readonly keyId: string | undefined;
  /** The account's own; `undefined` for a key, and a token for some tasks: what needs one is not for these. */
  readonly token: TokenClaims | undefined;
  /** In which language the account's recordings are when nobody says so, ISO 639-3. */
  readonly defaultLanguage: string | undefined;
  /** That the token was replaced, by a request which this one repeats; it opens nothing else any more. */
  readonly successor?: TokenSuccessor;
}

/** The caller with a credential of an account. */
export const callerWith = (
  credential: Credential,
  access: Pick<AccountAccess, "account_type" | "default_language">,
): Caller => ({
  userId: credential.userId,
  accountType: access.account_type,
  keyId: isKey(credential) ? credential.keyId : undefined,
  token: isOwn(credential) ? credential : undefined,
  defaultLanguage: access.default_language,
});

/** On whose behalf a use case works, and until when. */
export interface RequestContext {
  readonly userId: number;
  readonly signal: AbortSignal;
}
