import type { CryptoKey } from "jose";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../config/secrets.ts";

/** The keys tokens are signed with: the first signs, all are accepted (the second is from before a rotation). */
export interface SigningKeys {
  readonly current: CryptoKey;
  readonly accepted: readonly CryptoKey[];
}

/** Gives the signing keys; `reload` asks for the newest when a signature is unknown. */
export type SigningKeySource = CachedSecret<SigningKeys>;

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);

/**
 * Signing keys kept in a secret, read on first use and again when a signature is unknown.
 *
 * @param read gives the secret's current and previous value.
 */
export const createSigningKeySource = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): SigningKeySource =>
  cacheSecret({
    name: "token signing key",
    load: async () => {
      const [current, previous] = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      if (!current) throw new Error("The token signing secret has no value.");
      const key = await importKey(current);
      return { current: key, accepted: previous ? [key, await importKey(previous)] : [key] };
    },
  });
