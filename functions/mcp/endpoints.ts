import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { service } from "../../shared/http/function-definition.ts";
import { agentsGuide, mcpOperation, protectedResourceOperation } from "./contract.ts";
import { type McpDependencies, respondToMessage } from "./respond-to-message.ts";

export const mcpEndpoints = (dependencies: McpDependencies): Endpoint[] => [
  endpoint(mcpOperation, ({ body, request }) => respondToMessage(body, request, dependencies)),
  endpoint(protectedResourceOperation, () => ({
    resource: dependencies.publicBaseUrl,
    resource_name: service.name,
    bearer_methods_supported: ["header"],
    resource_documentation: `${dependencies.publicBaseUrl}${agentsGuide}`,
  })),
];
