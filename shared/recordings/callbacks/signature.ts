import { createHmac, randomBytes } from "node:crypto";

const secretPrefix = "whsec_";

/** Creates a secret in the format of Standard Webhooks: a prefix and 32 random bytes in base64. */
export const makeSecret = (): string => secretPrefix + randomBytes(32).toString("base64");

/** The signed parts of a callback. */
export interface SignedContent {
  /** Identifies the event; the same for each attempt. */
  readonly id: string;
  readonly sentAt: Date;
  /** The request's body, byte for byte. */
  readonly body: string;
}

/**
 * Returns the headers by which a receiver verifies a callback: Standard Webhooks 1.0.0, "Webhook headers".
 *
 * @param secrets each adds a signature, so a receiver that still has the previous secret can verify the callback too.
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
