import { createHmac } from "node:crypto";

/** The number of ours that the local service's messages come to. */
export const localPhoneNumberId = "100000000000001";

const longestMilliseconds = 10_000;

/** A delivery of the platform, around one value. */
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

/** Posts a delivery to the webhook, signed as the platform signs it. */
export const postDelivery = (
  webhookUrl: string,
  delivery: object,
  appSecret: string,
  signal: AbortSignal = AbortSignal.timeout(longestMilliseconds),
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
