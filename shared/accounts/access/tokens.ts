import { randomBytes } from "node:crypto";
import { type CryptoKey, errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../../platform/config/secrets.ts";

/** The keys of tokens: `current` signs, all `accepted` ones verify. The second is from before a rotation. */
export interface SigningKeys {
  readonly current: CryptoKey;
  readonly accepted: readonly CryptoKey[];
}

/** Returns the signing keys; `reload` reads the newest when a signature is unknown. */
export type SigningKeySource = CachedSecret<SigningKeys>;

/** A key for HS256 must be at least as long as its hash (RFC 7518, section 3.2). */
const minSecretBytes = 32;

const isLongEnough = (secret: string | undefined): secret is string =>
  secret !== undefined && Buffer.byteLength(secret) >= minSecretBytes;

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);

/**
 * Signing keys from a secret, read on first use, every five minutes, and when a signature is unknown. The result is the same object as
 * long as the secret is the same. A current secret that is too short is an error; a previous one is ignored.
 *
 * @param read returns the secret's current or previous value.
 */
export const createSigningKeySource = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): SigningKeySource => {
  let last: { readonly secrets: string; readonly keys: SigningKeys } | undefined;
  return cacheSecret({
    name: "token signing key",
    load: async () => {
      const [current, previous] = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      if (!isLongEnough(current)) {
        throw new Error(`The token signing secret has fewer than ${minSecretBytes} bytes.`);
      }
      const secrets = JSON.stringify([current, previous]);
      if (last?.secrets === secrets) return last.keys;
      const key = await importKey(current);
      const accepted = isLongEnough(previous) ? [key, await importKey(previous)] : [key];
      last = { secrets, keys: { current: key, accepted } };
      return last.keys;
    },
  });
};

const issuer = "language-ai-service";
const tokenType = "at+jwt";

/** A token to be signed. */
export interface NewToken {
  readonly userId: number;
  /** From {@link newTokenId}. */
  readonly tokenId: string;
  /** The account's `token_epoch` at sign-in: the token is valid for this epoch only. */
  readonly tokenEpoch: number;
  /** Limits the token to these tasks; it cannot manage its account. `undefined` for the account's own token. */
  readonly scopes?: readonly string[] | undefined;
}

/** The claims of a token with a valid signature. Only the table shows whether it was revoked. */
export interface TokenClaims extends NewToken {
  /** Unix seconds; absent for a token that does not expire. */
  readonly tokenExpiresAt?: number | undefined;
}

/**
 * Reads a signed payload; `undefined` when it is not ours. We do not use a schema, because zod would be a third of the
 * authorizer's start. Older tokens without `epoch` are refused; their holders sign in again.
 */
const readClaims = ({ sub, jti, exp, epoch, scope }: JWTPayload): TokenClaims | undefined => {
  const isOurs =
    typeof sub === "string" &&
    /^[1-9]\d{0,15}$/.test(sub) &&
    typeof jti === "string" &&
    jti !== "" &&
    typeof epoch === "number" &&
    Number.isSafeInteger(epoch) &&
    (exp === undefined || Number.isSafeInteger(exp)) &&
    (scope === undefined || typeof scope === "string");
  if (!isOurs) return undefined;
  const claims = { userId: Number(sub), tokenId: jti, tokenEpoch: epoch, tokenExpiresAt: exp };
  return scope === undefined ? claims : { ...claims, scopes: scope.split(" ") };
};

/** Returns 96 random bits: unique within an account, and short in the item of revoked tokens. */
export const newTokenId = (): string => randomBytes(12).toString("base64url");

/** Signs and verifies access tokens: JWT, HS256, type `at+jwt` (RFC 9068). */
export interface Tokens {
  /**
   * @param lifetimeSeconds `undefined` for a token that does not expire.
   * @param issuedAt Unix seconds, by default now. Signing a token again with the same time returns the same text.
   */
  sign(token: NewToken, lifetimeSeconds: number | undefined, issuedAt?: number): Promise<string>;
  /** The claims, or `undefined` when the token is malformed, forged or expired. */
  verify(token: string): Promise<TokenClaims | undefined>;
}

const maxVerified = 1_000;

/** Tokens signed with the keys of a source. Verified signatures are cached as long as the keys are the same; revocation is not. */
export const createTokens = (keySource: SigningKeySource): Tokens => {
  const verified = new Map<string, TokenClaims>();
  let verifiedWith: SigningKeys | undefined;

  const verifyWith = async (token: string, keys: readonly CryptoKey[]) => {
    for (const key of keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          issuer,
          audience: issuer,
          typ: tokenType,
          requiredClaims: ["sub", "jti", "iat"],
        });
        return payload;
      } catch (error) {
        if (error instanceof errors.JWSSignatureVerificationFailed) continue;
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    }
    return "unknown signature";
  };

  const verifySignature = async (token: string, { accepted }: SigningKeys) => {
    const payload = await verifyWith(token, accepted);
    if (payload !== "unknown signature") return payload;
    const { accepted: newest } = await keySource.reload();
    if (newest === accepted) return undefined;
    const again = await verifyWith(token, newest);
    return again === "unknown signature" ? undefined : again;
  };

  const isExpired = ({ tokenExpiresAt }: TokenClaims) =>
    tokenExpiresAt !== undefined && tokenExpiresAt * 1_000 <= Date.now();

  return {
    sign: async (
      { userId, tokenId, tokenEpoch, scopes },
      lifetimeSeconds,
      issuedAt = Math.floor(Date.now() / 1_000),
    ) => {
      // RFC 9068 separates scopes with spaces.
      const jwt = new SignJWT({ epoch: tokenEpoch, ...(scopes ? { scope: scopes.join(" ") } : {}) })
        .setProtectedHeader({ alg: "HS256", typ: tokenType })
        .setIssuer(issuer)
        .setAudience(issuer)
        .setSubject(String(userId))
        .setJti(tokenId)
        .setIssuedAt(issuedAt);
      if (lifetimeSeconds !== undefined) jwt.setExpirationTime(issuedAt + lifetimeSeconds);
      return jwt.sign((await keySource.get()).current);
    },

    verify: async (token) => {
      const keys = await keySource.get();
      if (verified.size >= maxVerified || keys !== verifiedWith) verified.clear();
      verifiedWith = keys;
      let known = verified.get(token);
      if (!known) {
        const payload = await verifySignature(token, keys);
        known = payload && readClaims(payload);
        if (!known) return undefined;
        // The keys may have changed meanwhile.
        if (keys === verifiedWith) verified.set(token, known);
      }
      return isExpired(known) ? undefined : known;
    },
  };
};

/** Returns the token of an `Authorization` header, or `undefined` (RFC 6750, section 2.1). */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? "")?.[1];
