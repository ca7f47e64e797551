import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { receiveDeliveryOperation, verifyWebhookOperation } from "./contract.ts";
import { type ReceiveDependencies, receiveDelivery } from "./receive-delivery.ts";
import { verifySubscription } from "./verify-platform.ts";

/** Binds the operations of the webhook to their use cases. */
export const webhookEndpoints = (dependencies: ReceiveDependencies): Endpoint[] => [
  endpoint(verifyWebhookOperation, ({ query }) => verifySubscription(query, dependencies)),
  endpoint(receiveDeliveryOperation, ({ body, request }) =>
    receiveDelivery(
      {
        body,
        signature: request.headers["x-hub-signature-256"],
        requestId: request.id,
        sourceAddress: request.sourceAddress,
      },
      dependencies,
    ),
  ),
];
