import type { CryptoKey } from "jose";

/** The keys tokens are signed with: the first signs, all are accepted (the second is from before a rotation). */
export interface SigningKeys {
  readonly current: CryptoKey;
  readonly accepted: readonly CryptoKey[];
}

/** Gives the signing keys; `reload` asks for the newest when a signature is unknown. */
export interface SigningKeySource {
  get(): Promise<SigningKeys>;
  /** The keys as they are now, or the ones at hand when they were loaded less than a minute ago. */
  reload(): Promise<SigningKeys>;
}

const reloadAfterMilliseconds = 60_000;

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);

/**
 * Signing keys kept in a secret.
 *
 * @param read gives the secret's current and previous value.
 */
export const createSigningKeySource = (
  read: (version: "AWSCURRENT" | "AWSPREVIOUS") => Promise<string | undefined>,
): SigningKeySource => {
  let loadedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<SigningKeys> | undefined;

  const load = async (): Promise<SigningKeys> => {
    const [current, previous] = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
    if (!current) throw new Error("The token signing secret has no value.");
    const keys = await Promise.all([current, ...(previous ? [previous] : [])].map(importKey));
    const [first] = keys;
    if (!first) throw new Error("The token signing secret cannot be used as a key.");
    return { current: first, accepted: keys };
  };

  const start = (): Promise<SigningKeys> => {
    loadedAt = performance.now();
    loading = load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  return {
    get: () => loading ?? start(),
    reload: () => (loading && performance.now() - loadedAt < reloadAfterMilliseconds ? loading : start()),
  };
};
