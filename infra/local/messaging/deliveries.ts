import { createHmac } from "node:crypto";
import type { TakenMessage } from "./accept-message.ts";

/** The id of the service's own phone number. */
export const localPhoneNumberId = "100000000000001";

const timeoutMilliseconds = 10_000;

/** Returns a delivery of the platform with one value. */
export const deliveryOf = (value: object, phoneNumberId: string = localPhoneNumberId): object => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: "100000000000000",
      changes: [
        {
          field: "messages",
          value: {
            messaging_product: "whatsapp",
            metadata: { display_phone_number: "256700000000", phone_number_id: phoneNumberId },
            ...value,
          },
        },
      ],
    },
  ],
});

/** Posts a delivery to the webhook, with the platform's signature. */
export const postDelivery = (
  webhookUrl: string,
  delivery: object,
  appSecret: string,
  signal: AbortSignal = AbortSignal.timeout(timeoutMilliseconds),
): Promise<Response> => {
  const body = JSON.stringify(delivery);
  const signature = createHmac("sha256", appSecret).update(body).digest("hex");
  return fetch(webhookUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Hub-Signature-256": `sha256=${signature}` },
    body,
    signal,
  });
};

/** Reports the status of messages to the webhook, as the platform does. */
export class StatusReporter {
  readonly #webhookUrl: string;
  readonly #appSecret: string;
  readonly #closing = new AbortController();
  readonly #reports = new Set<Promise<unknown>>();

  constructor(webhookUrl: string, appSecret: string) {
    this.#webhookUrl = webhookUrl;
    this.#appSecret = appSecret;
  }

  /** Sends the report in the background, and ignores a failure. */
  reportSent({ id, to, phoneNumberId, reference }: TakenMessage): void {
    const status = {
      id,
      status: "sent",
      timestamp: String(Math.floor(Date.now() / 1_000)),
      recipient_id: to,
      ...(reference === undefined ? {} : { biz_opaque_callback_data: reference }),
    };
    const delivery = deliveryOf({ statuses: [status] }, phoneNumberId);
    const report = postDelivery(this.#webhookUrl, delivery, this.#appSecret, this.#closing.signal)
      .then((response) => response.arrayBuffer())
      .catch(() => undefined)
      .finally(() => this.#reports.delete(report));
    this.#reports.add(report);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#reports);
  }
}
