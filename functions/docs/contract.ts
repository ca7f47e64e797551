import * as z from "zod";
import { publicAddressEnvironment } from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import { vendorsEnvironment } from "../../shared/config/vendors.ts";
import { defineOperation } from "../../shared/http/operation.ts";

export const healthOperation = defineOperation({
  id: "health",
  method: "GET",
  path: "/health",
  summary: "Whether the service answers",
  tag: "Service",
  auth: "public",
  limit: "none",
  response: {
    status: 200,
    description: "It does",
    schema: z
      .object({ status: z.literal("ok"), service: z.string(), version: z.string() })
      .meta({ id: "Health" }),
  },
  errors: [],
});

export const openApiOperation = defineOperation({
  id: "openapi",
  method: "GET",
  path: "/openapi.json",
  summary: "This API's OpenAPI 3.1 document",
  tag: "Service",
  auth: "public",
  limit: "none",
  response: {
    status: 200,
    description: "The document",
    schema: z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
  },
  errors: [],
});

export const docsFunction = defineFunction({
  name: "docs",
  description: "Health and the API's description",
  operations: [healthOperation, openApiOperation],
  environment: { ...vendorsEnvironment, ...publicAddressEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 10,
  transfer: "buffered",
});
