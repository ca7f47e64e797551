import { inVendorsNames, type Vendors } from "../../platform/config/vendors.ts";

/** What only a stage knows of its description. */
export interface StageNames {
  /** What the providers are called in paths. */
  readonly vendors: Vendors;
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
}

type Document = typeof import("./openapi.json");

/**
 * The OpenAPI document as it is in a stage. It is read when it is first asked for: it has half a megabyte, and most starts of
 * a function need nothing of it.
 */
export const documentOfStage = async ({ vendors, publicBaseUrl }: StageNames) => {
  const { default: document }: { default: Document } = await import("./openapi.json", {
    with: { type: "json" },
  });
  const { password, ...schemes } = document.components.securitySchemes;
  const flow = {
    ...password.flows.password,
    tokenUrl: `${publicBaseUrl}${password.flows.password.tokenUrl}`,
  };
  return {
    ...document,
    components: {
      ...document.components,
      securitySchemes: { ...schemes, password: { ...password, flows: { password: flow } } },
    },
    servers: [{ url: publicBaseUrl }],
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, operations]) => [inVendorsNames(path, vendors), operations]),
    ),
  };
};
