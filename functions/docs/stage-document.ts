import { inVendorsNames, type Vendors } from "../../shared/platform/config/vendors.ts";

export interface StageNames {
  /** The provider names in paths. */
  readonly vendors: Vendors;
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
}

type Document = typeof import("../../shared/http/openapi/openapi.json");

/** Returns the OpenAPI document of a stage. Its half megabyte is loaded on first use. */
export const documentOfStage = async ({ vendors, publicBaseUrl }: StageNames) => {
  const { default: document }: { default: Document } = await import(
    "../../shared/http/openapi/openapi.json",
    {
      with: { type: "json" },
    }
  );
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
