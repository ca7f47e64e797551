import type { AccountType } from "../accounts/account.ts";
import { type Credential, isKey } from "./api-keys.ts";
import type { TokenClaims } from "./tokens.ts";

/** Who is calling: the holder of a credential that stands, admitted with this request. */
export interface Caller {
  readonly userId: number;
  readonly accountType: AccountType;
  /** Of the key that was sent; `undefined` for a token. */
  readonly keyId: string | undefined;
  /** `undefined` for a key: what needs one is not for keys. */
  readonly token: TokenClaims | undefined;
}

/** The caller with a credential of an account of this tier. */
export const callerWith = (credential: Credential, accountType: AccountType): Caller =>
  isKey(credential)
    ? { userId: credential.userId, accountType, keyId: credential.keyId, token: undefined }
    : { userId: credential.userId, accountType, keyId: undefined, token: credential };

/** On whose behalf a use case works, and until when. */
export interface RequestContext {
  readonly userId: number;
  readonly signal: AbortSignal;
}
