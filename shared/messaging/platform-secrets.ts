import * as z from "zod";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../platform/config/secrets.ts";

const platformSecrets = z.object({
  /** Entered in the platform's console; the platform sends it when it verifies the webhook. */
  verify_token: z.string().min(1).optional(),
  app_secret: z.string().min(1).optional(),
  /** Authorizes sending messages and fetching recordings. */
  access_token: z.string().min(1).optional(),
});

/** The content of the secret. The operator has not filled in absent members yet. */
export type PlatformSecrets = z.infer<typeof platformSecrets>;

/** The current and previous value of the secret. While it is replaced, deliveries can be signed with either. */
export interface PlatformSecretVersions {
  readonly current: PlatformSecrets;
  readonly previous: PlatformSecrets;
}

export type PlatformSecretSource = CachedSecret<PlatformSecretVersions>;

const parse = (text: string | undefined): PlatformSecrets => {
  try {
    return platformSecrets.parse(JSON.parse(text ?? "{}"));
  } catch {
    // Without the cause: a JSON error quotes part of the secret.
    throw new Error(
      "The messaging secret is not a JSON object with verify_token, app_secret and access_token.",
    );
  }
};

/**
 * Returns a source of the messaging platform's secrets, which are one JSON object in Secrets Manager. It reads them on first use
 * and every five minutes.
 *
 * @param read returns a version of the secret.
 */
export const createPlatformSecretSource = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): PlatformSecretSource =>
  cacheSecret({
    name: "messaging platform",
    load: async () => {
      const [current, previous] = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      return { current: parse(current), previous: parse(previous) };
    },
  });
