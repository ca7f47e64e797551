import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { healthOperation, openApiOperation } from "./contract.ts";
import document from "./openapi.json" with { type: "json" };

/** Health and documentation. */
export const docsEndpoints = (): Endpoint[] => [
  endpoint(healthOperation, () => ({
    status: "ok" as const,
    service: document.info.title,
    version: document.info.version,
  })),
  endpoint(openApiOperation, () => document),
];
