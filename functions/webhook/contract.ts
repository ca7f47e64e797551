import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import {
  messageQueueEnvironment,
  platformSecretsEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";
import { rawBody } from "../../shared/platform/validation/fields.ts";

const tag = "Messaging";
const path = "/tasks/webhook";

export const verifyWebhookQuery = z.object({
  "hub.mode": z.string().optional().meta({ example: "subscribe", description: "Always `subscribe`" }),
  "hub.challenge": z
    .string()
    .optional()
    .meta({ example: "1158201444", description: "What the response must repeat" }),
  "hub.verify_token": z.string().optional().meta({
    example: "a word of your own",
    description: "The token that was entered in the platform's console",
  }),
});
export type VerifyWebhookQuery = z.infer<typeof verifyWebhookQuery>;

export const verifyWebhookOperation = defineOperation({
  id: "verifyWebhook",
  method: "GET",
  path,
  summary: "Verify the webhook for the messaging platform",
  description: "The platform calls it when the operator enters the URL in its console.",
  tag,
  auth: "public",
  query: verifyWebhookQuery,
  response: {
    status: 200,
    description: "The challenge, unchanged",
    schema: z.string(),
    otherContentTypes: ["text/plain"],
  },
  limit: "reading",
  example: { response: "1158201444", otherResponses: { "text/plain": "1158201444" } },
  errors: ["bad_request", "forbidden"],
});

export const deliveryStatus = z.enum([
  "success",
  "ignored",
  "no_messages",
  "invalid_message_format",
  "rejected",
  "error",
]);

export const webhookResponse = z
  .object({
    status: deliveryStatus.describe(
      "`success` when messages were queued, `rejected` or `error` with the status of an error, otherwise why there was nothing to queue",
    ),
    processing_time: z.number().meta({ example: 0.012, description: "In seconds" }),
    message: z.string().nullable().describe("The error as a sentence; null on success"),
  })
  .meta({ id: "WebhookAnswer" });
export type WebhookResponse = z.infer<typeof webhookResponse>;

const exampleDelivery = {
  object: "whatsapp_business_account",
  entry: [
    {
      id: "100000000000000",
      changes: [
        {
          field: "messages",
          value: {
            messaging_product: "whatsapp",
            metadata: { display_phone_number: "256700000000", phone_number_id: "100000000000001" },
            contacts: [{ profile: { name: "Amina Nakato" }, wa_id: "256700000001" }],
            messages: [
              {
                from: "256700000001",
                id: "wamid.c2FtcGxlLWV2ZW50",
                timestamp: "1795168800",
                type: "text",
                text: { body: 'How do you say "thank you" in Luganda?' },
              },
            ],
          },
        },
      ],
    },
  ],
};

export const receiveDeliveryOperation = defineOperation({
  id: "receiveDelivery",
  method: "POST",
  path,
  summary: "Receive a delivery of the messaging platform",
  description:
    "`X-Hub-Signature-256` must be `sha256=` and the HMAC-SHA256 of the body's bytes with the app secret. The response says that " +
    "the messages are in the queue, from which a worker takes them. If queueing fails, the status is 503, and the platform " +
    "delivers them again. Signed deliveries have no limit; each person's messages have one when they are replied to.",
  tag,
  auth: "public",
  // The platform's limit is 3 MB.
  body: {
    encoding: "raw",
    schema: rawBody("A delivery of the WhatsApp Business Platform, as JSON", exampleDelivery),
    maxBytes: 3 * 1_024 * 1_024,
  },
  response: { status: 200, description: "The outcome of the delivery", schema: webhookResponse },
  // All deliveries come from a few addresses of the platform, and none may be lost.
  limit: "delivery",
  errors: ["invalid_signature", "service_unavailable"],
});

export const webhookFunction = defineFunction({
  name: "webhook",
  description: "Receives deliveries of the messaging platform",
  operations: [verifyWebhookOperation, receiveDeliveryOperation],
  environment: {
    ...platformSecretsEnvironment,
    ...messageQueueEnvironment,
    ...tableEnvironment,
    /** Whether a missing or wrong signature is refused, only logged, or not checked. */
    MESSAGING_SIGNATURE_MODE: z.enum(["enforce", "log", "off"]),
  },
  memoryMegabytes: 256,
  timeoutSeconds: 10,
  transfer: "buffered",
});
export type SignatureMode = z.infer<typeof webhookFunction.environment.MESSAGING_SIGNATURE_MODE>;
