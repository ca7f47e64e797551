import * as z from "zod";
import { service } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import { replacedBy } from "./settings.ts";

export const vendorHealthOperation = defineOperation({
  id: "legacyVendorHealth",
  method: "GET",
  path: "/tasks/modal/health",
  summary: "Check the health of the service",
  ...replacedBy("/health"),
  auth: "public",
  limit: "reading",
  response: {
    status: 200,
    description: "The service is healthy",
    schema: z
      .object({
        status: z.literal("healthy").describe("Failures have another status"),
        service: z.string().meta({ example: service.name, description: "What runs here" }),
        version: z.string().meta({ example: service.apiVersion, description: "The version of the API" }),
      })
      .meta({ id: "LegacyHealth" }),
  },
  errors: ["gone"],
});
