import { deliveryOf, postDelivery } from "./delivery.ts";
import type { TakenMessage } from "./take-message.ts";

/** Reports to the webhook what has become of messages, as the platform does. */
export class StatusReporter {
  readonly #webhookUrl: string;
  readonly #appSecret: string;
  readonly #closing = new AbortController();
  readonly #reports = new Set<Promise<unknown>>();

  constructor(webhookUrl: string, appSecret: string) {
    this.#webhookUrl = webhookUrl;
    this.#appSecret = appSecret;
  }

  /** Sends the report without waiting for it; a webhook that cannot be reached misses it. */
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
