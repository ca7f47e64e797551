import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { mcpOperation } from "./contract.ts";
import { type McpDependencies, respondToMessage } from "./respond-to-message.ts";

export const mcpEndpoints = (dependencies: McpDependencies): Endpoint[] => [
  endpoint(mcpOperation, ({ body, request }) => respondToMessage(body, request, dependencies)),
];
