import { type CryptoKey, errors, jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { SigningKeySource } from "./signing-keys.ts";

const issuer = "language-ai-service";
const tokenType = "at+jwt";

const claims = z.object({
  sub: z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number),
  jti: z.string().min(1),
  exp: z.int().optional(),
});

/** What a token's signature vouches for. Whether it was revoked since only the table knows. */
export interface TokenClaims {
  readonly userId: number;
  readonly tokenId: string;
}

/** Signs and verifies access tokens: JWT, HS256, type `at+jwt` (RFC 9068). */
export interface Tokens {
  /** @param lifetimeSeconds `undefined` for a token that does not expire. */
  sign(token: TokenClaims, lifetimeSeconds: number | undefined): Promise<string>;
  /** The claims, or `undefined` when the token is malformed, forged or expired. */
  verify(token: string): Promise<TokenClaims | undefined>;
}

const maximumRemembered = 1_000;

/** Tokens signed with the keys of a source. Signatures that were verified once are remembered, revocation never. */
export const createTokens = (keySource: SigningKeySource): Tokens => {
  const remembered = new Map<string, z.output<typeof claims>>();

  const verifyWith = async (token: string, keys: readonly CryptoKey[]) => {
    for (const key of keys) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ["HS256"],
          issuer,
          audience: issuer,
          typ: tokenType,
          requiredClaims: ["sub", "jti", "iat"],
          clockTolerance: 30,
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

  const verifySignature = async (token: string) => {
    const { accepted } = await keySource.get();
    const payload = await verifyWith(token, accepted);
    if (payload !== "unknown signature") return payload;
    const { accepted: newest } = await keySource.reload();
    if (newest === accepted) return undefined;
    const again = await verifyWith(token, newest);
    return again === "unknown signature" ? undefined : again;
  };

  const isExpired = ({ exp }: z.output<typeof claims>) => exp !== undefined && exp * 1_000 <= Date.now();

  return {
    sign: async ({ userId, tokenId }, lifetimeSeconds) => {
      const issuedAt = Math.floor(Date.now() / 1_000);
      const jwt = new SignJWT()
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
      let known = remembered.get(token);
      if (!known) {
        const parsed = claims.safeParse(await verifySignature(token));
        if (!parsed.success) return undefined;
        known = parsed.data;
        if (remembered.size >= maximumRemembered) remembered.clear();
        remembered.set(token, known);
      }
      return isExpired(known) ? undefined : { userId: known.sub, tokenId: known.jti };
    },
  };
};

/** The token of an `Authorization` header, or `undefined` when there is none (RFC 6750, section 2.1). */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? "")?.[1];
