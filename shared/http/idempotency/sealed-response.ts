import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import * as z from "zod";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../../platform/config/secrets.ts";

/** An answer as it is given again. */
export interface KeptAnswer {
  readonly status: number;
  /** Those that the operation has set itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What an answer is sealed for: it opens with nothing else. */
export interface SealedFor {
  readonly idempotencyKey: string;
  /** Where it is kept. */
  readonly place: string;
  /** Of an answer with a secret in it: what it takes beside the caller's key, the current one first. */
  readonly secrets: CachedSecret<readonly string[]> | undefined;
}

/**
 * The secrets with which tokens are signed, from which keys for answers are made as well: whoever has one of those could make
 * tokens, and ask for what is in such an answer.
 */
export const createAnswerSecrets = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): CachedSecret<readonly string[]> =>
  cacheSecret({
    name: "token signing key, for kept answers",
    load: async () => {
      const secrets = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      return secrets.filter((secret) => secret !== undefined);
    },
  });

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
const head = z.object({ status: z.int(), headers: z.record(z.string(), z.string()) });

const keyOf = ({ idempotencyKey, place }: SealedFor, secret: string): Uint8Array =>
  new Uint8Array(
    hkdfSync("sha256", `${secret}\n${idempotencyKey}`, place, "language-ai-service kept answer", 32),
  );

/**
 * Seals an answer. What is kept of a request says nothing to who reads the table, the bucket or their backups without the
 * caller's `Idempotency-Key`, which is kept nowhere.
 */
export const sealAnswer = async ({ status, headers, body }: KeptAnswer, use: SealedFor): Promise<Buffer> => {
  const [secret = ""] = use.secrets ? await use.secrets.get() : [];
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(use, secret), iv);
  // JSON has no line break of its own.
  const sealed = Buffer.concat([
    cipher.update(`${JSON.stringify({ status, headers })}\n${body}`),
    cipher.final(),
  ]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
};

const openWith = (sealed: Uint8Array, use: SealedFor, secret: string): string | undefined => {
  const decipher = createDecipheriv(algorithm, keyOf(use, secret), sealed.subarray(0, ivBytes));
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
};

const openWithAny = (sealed: Uint8Array, use: SealedFor, secrets: readonly string[]): string | undefined => {
  for (const secret of secrets) {
    const text = openWith(sealed, use, secret);
    if (text !== undefined) return text;
  }
  return undefined;
};

/**
 * Opens what {@link sealAnswer} has sealed. A secret that was replaced since may be known to another process only, so it is
 * asked for once more.
 *
 * @throws Error when it was sealed for something else, or its secret was replaced twice.
 */
export const openAnswer = async (sealed: Uint8Array, use: SealedFor): Promise<KeptAnswer> => {
  const text =
    openWithAny(sealed, use, use.secrets ? await use.secrets.get() : [""]) ??
    (use.secrets && openWithAny(sealed, use, await use.secrets.reload()));
  if (text === undefined) throw new Error("A kept answer cannot be opened.");
  const end = text.indexOf("\n");
  return { ...head.parse(JSON.parse(text.slice(0, end))), body: text.slice(end + 1) };
};
