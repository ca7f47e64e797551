import { hkdfSync } from "node:crypto";
import * as z from "zod";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../../platform/config/secrets.ts";
import { openBytes, sealBytes } from "../../platform/storage/sealed-bytes.ts";

/** A response that can be replayed. */
export interface StoredResponse {
  readonly status: number;
  /** Those that the operation has set itself. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a response is sealed for; nothing else opens it. */
export interface SealedFor {
  readonly idempotencyKey: string;
  /** Where it is stored. */
  readonly itemKey: string;
  /** For a response that contains a secret: the signing secrets, current one first. */
  readonly secrets: CachedSecret<readonly string[]> | undefined;
}

/** The token signing secrets: anyone who has one could create tokens, and request what a sealed response contains. */
export const createResponseSecrets = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): CachedSecret<readonly string[]> =>
  cacheSecret({
    name: "token signing key, for stored responses",
    load: async () => {
      const secrets = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      return secrets.filter((secret) => secret !== undefined);
    },
  });

const head = z.object({ status: z.int(), headers: z.record(z.string(), z.string()) });

const keyOf = ({ idempotencyKey, itemKey }: SealedFor, secret: string): Uint8Array =>
  new Uint8Array(
    hkdfSync("sha256", `${secret}\n${idempotencyKey}`, itemKey, "language-ai-service kept answer", 32),
  );

/** Seals a response, so table, bucket and backups reveal nothing without the caller's key, which is not stored. */
export const sealResponse = async (
  { status, headers, body }: StoredResponse,
  use: SealedFor,
): Promise<Buffer> => {
  const [secret = ""] = use.secrets ? await use.secrets.get() : [];
  // JSON has no line break of its own.
  return sealBytes(Buffer.from(`${JSON.stringify({ status, headers })}\n${body}`), keyOf(use, secret));
};

const openWithAny = (sealed: Uint8Array, use: SealedFor, secrets: readonly string[]): string | undefined => {
  for (const secret of secrets) {
    const text = openBytes(sealed, keyOf(use, secret))?.toString();
    if (text !== undefined) return text;
  }
  return undefined;
};

/**
 * Opens what {@link sealResponse} has sealed. Another process may have used a newer secret, so the secret is read once
 * more if needed.
 *
 * @throws Error when it was sealed for something else, or its secret was replaced twice.
 */
export const openResponse = async (sealed: Uint8Array, use: SealedFor): Promise<StoredResponse> => {
  const text =
    openWithAny(sealed, use, use.secrets ? await use.secrets.get() : [""]) ??
    (use.secrets && openWithAny(sealed, use, await use.secrets.reload()));
  if (text === undefined) throw new Error("A stored response cannot be opened.");
  const end = text.indexOf("\n");
  return { ...head.parse(JSON.parse(text.slice(0, end))), body: text.slice(end + 1) };
};
