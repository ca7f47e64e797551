import { createHmac } from "node:crypto";
import type {
  PlatformSecretSource,
  PlatformSecretVersions,
} from "../../shared/messaging/platform-secrets.ts";
import { equalSecrets } from "./equal-secrets.ts";

/** What a look at a signature shows; without an app secret nobody can tell. */
export type SignatureFinding = "good" | "bad" | "no-secret";

const sign = (body: Uint8Array, secret: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

const compare = (
  body: Uint8Array,
  signature: string,
  { current, previous }: PlatformSecretVersions,
): SignatureFinding => {
  const known = [current.app_secret, previous.app_secret].filter((secret) => secret !== undefined);
  if (known.length === 0) return "no-secret";
  return known.some((secret) => equalSecrets(signature, sign(body, secret))) ? "good" : "bad";
};

/**
 * Compares a delivery's signature with those of the app secret and of the one before it was replaced.
 *
 * @param body the bytes as they came: JSON that is parsed and written again has another signature.
 * @param signature the value of `X-Hub-Signature-256`.
 */
export const checkSignature = async (
  body: Uint8Array,
  signature: string | undefined,
  secrets: PlatformSecretSource,
): Promise<SignatureFinding> => {
  if (signature === undefined) return "bad";
  const finding = compare(body, signature, await secrets.get());
  // The operator may have filled in or replaced the secret a moment ago.
  return finding === "good" ? finding : compare(body, signature, await secrets.reload());
};
