import { inVendorsNames, type Vendors } from "../../shared/config/vendors.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { healthOperation, openApiOperation } from "./contract.ts";
import document from "./openapi.json" with { type: "json" };

/** Health and documentation, with the providers' routes under the names that this stage has for them. */
export const docsEndpoints = (vendors: Vendors): Endpoint[] => [
  endpoint(healthOperation, () => ({
    status: "ok" as const,
    service: document.info.title,
    version: document.info.version,
  })),
  endpoint(openApiOperation, () => ({
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, operations]) => [inVendorsNames(path, vendors), operations]),
    ),
  })),
];
