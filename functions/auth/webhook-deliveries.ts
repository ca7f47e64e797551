import * as z from "zod";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { maxCallbackUrlLength } from "../../shared/recordings/callbacks/callback-url.ts";
import { type CallbackDelivery, callbackDelivery } from "../../shared/recordings/callbacks/deliveries.ts";
import {
  type CallbackManagement,
  listCallbacks,
  resendCallback,
  sendTestCallback,
} from "../../shared/recordings/jobs/manage-callbacks.ts";
import { ofAccount } from "./operation-defaults.ts";

const delivery = callbackDelivery.meta({ id: "WebhookDelivery" });

const sampleDelivery: CallbackDelivery = {
  id: "01931d5e-7a00-7c3a-9b1d-4d2f0c8e6a11",
  event: "job.completed",
  url: "https://example.org/language-ai",
  status: "failed",
  deliveries: [{ at: "2026-11-20T10:00:00.000Z", status_code: 503 }],
};

export const webhookDeliveriesOperation = defineOperation({
  ...ofAccount,
  id: "listWebhookDeliveries",
  method: "GET",
  path: "/auth/webhook-deliveries",
  summary: "List callbacks with their attempts",
  description:
    "The callbacks of jobs and test events of the last 30 days, those of the newest jobs first, at most 50. A callback is listed from its first attempt.",
  response: {
    status: 200,
    description: "The callbacks",
    schema: z
      .object({ deliveries: z.array(delivery).describe("Those of the newest jobs first") })
      .meta({ id: "WebhookDeliveries" }),
  },
  example: { response: { deliveries: [sampleDelivery] } },
});

export const resendWebhookOperation = defineOperation({
  ...ofAccount,
  id: "resendWebhook",
  method: "POST",
  path: "/auth/webhook-deliveries/{id}/resend",
  summary: "Send the callback of a job again",
  description:
    "It has the same `webhook-id` as before, so receivers can recognise it, and the job as it is now. While its attempts have not ended, the response is 409.",
  pathParameters: z.object({
    id: text().min(1).max(64).meta({ example: sampleDelivery.id, description: "The id of the job" }),
  }),
  response: { status: 202, description: "The callback will be sent", schema: delivery },
  example: { response: { ...sampleDelivery, status: "pending" } },
  errors: ["not_found", "callback_pending"],
});

export const testWebhookOperation = defineOperation({
  ...ofAccount,
  id: "testWebhook",
  method: "POST",
  path: "/auth/webhook-test",
  summary: "Send a test event to a URL",
  description:
    "The event `webhook.test` is signed like the callbacks of jobs, and sent once. Its outcome is listed among the callbacks.",
  body: {
    encoding: "json",
    schema: z
      .object({
        url: text().min(1).max(maxCallbackUrlLength).meta({
          example: "https://example.org/language-ai",
          description: "A public https URL",
        }),
      })
      .meta({ id: "WebhookTestRequest" }),
  },
  response: {
    status: 202,
    description: "The event will be sent",
    schema: z
      .object({
        id: z.string().meta({ example: sampleDelivery.id, description: "Its id among the callbacks" }),
      })
      .meta({ id: "WebhookTest" }),
  },
});

/** The operations for callbacks that were sent. */
export const webhookDeliveryEndpoints = (dependencies: CallbackManagement): Endpoint[] => [
  endpoint(webhookDeliveriesOperation, async ({ caller }) => ({
    deliveries: await listCallbacks(caller.userId, dependencies),
  })),
  endpoint(resendWebhookOperation, ({ caller, path }) =>
    resendCallback({ userId: caller.userId, jobId: path.id }, dependencies),
  ),
  endpoint(testWebhookOperation, ({ caller, body }) =>
    sendTestCallback(caller.userId, body.url, dependencies),
  ),
];
