import * as z from "zod";
import { type CachedSecret, cacheSecret, type SecretVersion } from "../platform/config/secrets.ts";

const platformSecrets = z.object({
  /** What the platform's console is told, and proves itself with when it asks for the webhook. */
  verify_token: z.string().min(1).optional(),
  /** Signs deliveries. */
  app_secret: z.string().min(1).optional(),
  /** Lets us send messages and fetch recordings. */
  access_token: z.string().min(1).optional(),
});

/** What the operator has put into the secret; a member that is absent has not been filled in yet. */
export type PlatformSecrets = z.infer<typeof platformSecrets>;

/** The secret's current value, and the one before: a delivery may be signed with either while it is replaced. */
export interface PlatformSecretVersions {
  readonly current: PlatformSecrets;
  readonly previous: PlatformSecrets;
}

/** Gives the messaging platform's secrets. */
export type PlatformSecretSource = CachedSecret<PlatformSecretVersions>;

const cacheMilliseconds = 5 * 60_000;

const parse = (text: string | undefined): PlatformSecrets => {
  try {
    return platformSecrets.parse(JSON.parse(text ?? "{}"));
  } catch {
    // Without the cause: a JSON error quotes the text around the mistake.
    throw new Error(
      "The messaging secret is not a JSON object with verify_token, app_secret and access_token.",
    );
  }
};

/**
 * The messaging platform's secrets, kept as one JSON object in a secret. Read on first use and again every five minutes.
 *
 * @param read gives the secret's current and previous value.
 */
export const createPlatformSecretSource = (
  read: (version: SecretVersion) => Promise<string | undefined>,
): PlatformSecretSource =>
  cacheSecret({
    name: "messaging platform",
    maxAgeMilliseconds: cacheMilliseconds,
    load: async () => {
      const [current, previous] = await Promise.all([read("AWSCURRENT"), read("AWSPREVIOUS")]);
      return { current: parse(current), previous: parse(previous) };
    },
  });
