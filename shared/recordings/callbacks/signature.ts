import { createHmac, randomBytes } from "node:crypto";

const secretPrefix = "whsec_";

/** A new secret, as Standard Webhooks writes them: 32 random bytes in base64 behind a prefix. */
export const makeSecret = (): string => secretPrefix + randomBytes(32).toString("base64");

/** What is signed of a callback. */
export interface SignedContent {
  /** Names the event; the same for each try at delivering it. */
  readonly id: string;
  readonly sentAt: Date;
  /** The request's body, byte for byte. */
  readonly body: string;
}

/**
 * The headers by which a receiver knows that a callback is this service's, and new: Standard Webhooks 1.0.0, "Webhook
 * headers".
 *
 * @param secrets each makes a signature, so that a receiver that still has the old one takes the callback as well.
 */
export const signatureHeaders = (
  { id, sentAt, body }: SignedContent,
  secrets: readonly string[],
): Record<string, string> => {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
};
