import { expect } from "vitest";
import { healthOperation, languagesOperation, openApiOperation } from "../../../functions/docs/contract.ts";
import { mcpOperation } from "../../../functions/mcp/contract.ts";
import { listV1SpeechModelsOperation, listV1VoicesOperation } from "../../../functions/speech/v1/contract.ts";
import {
  receiveDeliveryOperation,
  verifyWebhookOperation,
  webhookResponse,
} from "../../../functions/webhook/contract.ts";
import { errorBody } from "../../support/declared.ts";
import type { Row } from "../row.ts";
import { visitor } from "../run.ts";
import { stage } from "../stage.ts";

const checksSignatures = stage.MESSAGING_SIGNATURE_MODE === "enforce";

/** Documents, lists, and the webhook of the messaging platform, whose secrets are not known here. */
export const service: readonly Row[] = [
  {
    operation: healthOperation,
    request: () => ({}),
    onSuccess: ({ body }) => expect(body.status).toBe("ok"),
  },
  { operation: openApiOperation, request: () => ({}) },
  { operation: languagesOperation, request: () => ({}) },
  { operation: listV1VoicesOperation, request: () => ({}) },
  { operation: listV1SpeechModelsOperation, request: () => ({}) },
  {
    operation: mcpOperation,
    request: () => ({
      token: visitor.token.get(),
      headers: { Accept: "application/json, text/event-stream" },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "list_voices", arguments: { language: "lug" } },
      },
    }),
    onSuccess: ({ body }) => expect(body.result.structuredContent.language).toBe("lug"),
  },
  {
    operation: verifyWebhookOperation,
    refusal: [403, "forbidden"],
    request: () => ({ query: "?hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong" }),
  },
  {
    operation: receiveDeliveryOperation,
    ...(checksSignatures ? { refusal: [403, "invalid_signature"] as const } : {}),
    errorSchema: errorBody.extend(webhookResponse.shape),
    request: () => ({ body: { object: "whatsapp_business_account", entry: [] } }),
  },
];
