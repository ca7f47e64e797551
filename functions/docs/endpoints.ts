import { inVendorsNames, type Vendors } from "../../shared/config/vendors.ts";
import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { healthOperation, languagesOperation, openApiOperation } from "./contract.ts";
import { listLanguages } from "./list-languages.ts";
import document from "./openapi.json" with { type: "json" };

/** What only a stage knows of its documentation. */
export interface DocsSettings {
  /** What the providers are called in paths. */
  readonly vendors: Vendors;
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
}

/** Health and documentation, as they are in this stage. */
export const docsEndpoints = ({ vendors, publicBaseUrl }: DocsSettings): Endpoint[] => [
  endpoint(healthOperation, () => ({
    status: "ok" as const,
    service: document.info.title,
    version: document.info.version,
  })),
  endpoint(openApiOperation, () => ({
    ...document,
    servers: [{ url: publicBaseUrl }],
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, operations]) => [inVendorsNames(path, vendors), operations]),
    ),
  })),
  endpoint(languagesOperation, listLanguages),
];
