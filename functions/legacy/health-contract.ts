import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { replacedBy } from "./replaced-by.ts";

export const vendorHealthOperation = defineOperation({
  id: "legacyVendorHealth",
  method: "GET",
  path: "/tasks/modal/health",
  summary: "Whether the service answers",
  ...replacedBy("/health"),
  auth: "public",
  limit: "none",
  response: {
    status: 200,
    description: "It does",
    schema: z
      .object({ status: z.literal("healthy"), service: z.string(), version: z.string() })
      .meta({ id: "LegacyHealth" }),
  },
  errors: ["gone"],
});
