import { hkdfSync } from "node:crypto";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../../platform/config/secrets.ts";
import { openBytes, sealBytes } from "../../platform/storage/sealed-bytes.ts";

/** The service's secrets that seal those of second factors: the current one, and the one before a rotation. */
export type FactorKeySource = CachedSecret<readonly [current: string, previous?: string]>;

/** Shorter ones could be guessed by a reader of the table. */
const minSecretBytes = 32;

/** @param read returns the secret's current or previous value. */
export const createFactorKeySource = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): FactorKeySource =>
  cacheSecret({
    name: "key of second factors",
    load: async () => {
      const [current, previous] = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      if (current === undefined || Buffer.byteLength(current) < minSecretBytes)
        throw new Error(`The secret of second factors has fewer than ${minSecretBytes} bytes.`);
      return previous === undefined ? [current] : [current, previous];
    },
  });

/** A key of one account, so the sealed secret of another account is useless there. */
const keyOf = (secret: string, userId: number): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, String(userId), "language-ai-service second factor", 32));

/** A secret that was sealed. */
export interface OpenedSecret {
  readonly secret: Uint8Array;
  /** Whether it was sealed with the previous key, and must be sealed again before the next rotation. */
  readonly isOld: boolean;
}

/** Seals and opens the secrets of second factors. */
export type FactorSecrets = ReturnType<typeof createFactorSecrets>;

export const createFactorSecrets = (keys: FactorKeySource) => {
  const openWith = (sealed: Buffer, userId: number, known: readonly (string | undefined)[]) => {
    for (const [index, key] of known.entries()) {
      const secret = key === undefined ? undefined : openBytes(sealed, keyOf(key, userId));
      if (secret) return { secret, isOld: index > 0 };
    }
    return undefined;
  };

  return {
    seal: async (secret: Uint8Array, userId: number): Promise<string> => {
      const [current] = await keys.get();
      return sealBytes(secret, keyOf(current, userId)).toString("base64");
    },

    /** @throws Error when its key was replaced twice. */
    open: async (sealed: string, userId: number): Promise<OpenedSecret> => {
      const bytes = Buffer.from(sealed, "base64");
      // Another process may have used a newer key.
      const opened =
        openWith(bytes, userId, await keys.get()) ?? openWith(bytes, userId, await keys.reload());
      if (!opened) throw new Error("The secret of a second factor cannot be opened.");
      return opened;
    },
  };
};
