import * as z from "zod";
import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import type { CallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { ofAccount } from "./operation-defaults.ts";

const webhookSecret = z
  .object({
    secret: z.string().meta({
      description: "Verifies callbacks with any library of Standard Webhooks",
      example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
    }),
  })
  .meta({ id: "WebhookSecret" });

export const webhookSecretOperation = defineOperation({
  ...ofAccount,
  id: "getWebhookSecret",
  method: "GET",
  path: "/auth/webhook-secret",
  summary: "Get the secret that signs callbacks of jobs",
  description: "The first request creates it.",
  response: { status: 200, description: "The secret", schema: webhookSecret },
});

export const replaceWebhookSecretOperation = defineOperation({
  ...ofAccount,
  id: "replaceWebhookSecret",
  method: "POST",
  path: "/auth/webhook-secret",
  summary: "Replace the secret that signs callbacks",
  description:
    "For a day, callbacks are signed with the previous secret as well, so receivers have time to change it.",
  response: { status: 200, description: "The new secret", schema: webhookSecret },
});

/** The operations for the webhook secret. */
export const webhookSecretEndpoints = ({
  callbackSecrets,
}: {
  readonly callbackSecrets: Pick<CallbackSecrets, "current" | "replace">;
}): Endpoint[] => [
  endpoint(webhookSecretOperation, async ({ caller }) => ({
    secret: await callbackSecrets.current(caller.userId),
  })),
  endpoint(replaceWebhookSecretOperation, async ({ caller }) => ({
    secret: await callbackSecrets.replace(caller.userId),
  })),
];
