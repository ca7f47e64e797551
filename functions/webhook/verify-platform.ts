import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { Reply } from "../../shared/http/response.ts";
import type {
  PlatformSecretSource,
  PlatformSecretVersions,
} from "../../shared/messaging/platform-secrets.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { VerifyWebhookQuery } from "./contract.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Compares in a time that does not depend on the expected text or its length. */
export const equalSecrets = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected));

export type SignatureFinding = "good" | "bad" | "no-secret";

const sign = (body: Uint8Array, secret: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

const compare = (
  body: Uint8Array,
  signature: string,
  { current, previous }: PlatformSecretVersions,
): SignatureFinding => {
  // Anyone could sign with an empty secret.
  const known = [current.app_secret, previous.app_secret].flatMap((secret) => secret || []);
  if (known.length === 0) return "no-secret";
  return known.some((secret) => equalSecrets(signature, sign(body, secret))) ? "good" : "bad";
};

/**
 * Checks a delivery's signature against the current and the previous app secret.
 *
 * @param body the bytes as received: JSON that was parsed and written again has another signature.
 * @param signature the value of `X-Hub-Signature-256`.
 */
export const checkSignature = async (
  body: Uint8Array,
  signature: string | undefined,
  secrets: PlatformSecretSource,
): Promise<SignatureFinding> => {
  if (signature === undefined) return "bad";
  const finding = compare(body, signature, await secrets.get());
  // The operator may have just set or replaced the secret.
  return finding === "good" ? finding : compare(body, signature, await secrets.reload());
};

/**
 * Returns the platform's challenge when it sends the right verify token.
 *
 * @throws AppError `bad_request` when a parameter is missing, `forbidden` when the mode or the token is wrong.
 */
export const verifySubscription = async (
  query: VerifyWebhookQuery,
  { secrets }: { readonly secrets: PlatformSecretSource },
): Promise<Reply> => {
  const { "hub.mode": mode, "hub.challenge": challenge, "hub.verify_token": token } = query;
  if (!mode || !challenge || !token) {
    throw new AppError("bad_request", {
      message: "hub.mode, hub.challenge and hub.verify_token are required.",
    });
  }
  const { current } = await secrets.get();
  const isKnown = current.verify_token !== undefined && equalSecrets(token, current.verify_token);
  if (mode !== "subscribe" || !isKnown) {
    throw new AppError("forbidden", { message: "hub.mode or hub.verify_token is wrong." });
  }
  return new Reply({ contentType: "text/plain; charset=utf-8", body: challenge });
};
