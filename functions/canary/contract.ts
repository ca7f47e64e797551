import * as z from "zod";
import { publicAddressEnvironment } from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";

export const canaryFunction = defineFunction({
  name: "canary",
  description: "Asks the service every few minutes what callers ask, and fails when it does not answer",
  operations: [],
  environment: z.object({
    ...publicAddressEnvironment,
    /** JSON object with the `token` of an operator's account; without one, nothing is translated. */
    CANARY_SECRET_ID: z.string().min(1),
  }),
  memoryMegabytes: 256,
  timeoutSeconds: 60,
  transfer: "buffered",
});
