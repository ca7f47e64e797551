import { publicAddressEnvironment } from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";
import { textVariable } from "../../shared/config/variables.ts";

export const canaryFunction = defineFunction({
  name: "canary",
  description: "Asks the service every few minutes what callers ask, and fails when it does not answer",
  operations: [],
  environment: {
    ...publicAddressEnvironment,
    /** JSON object with the `key` of an operator's account; without one, nothing is translated. */
    CANARY_SECRET_ID: textVariable,
  },
  memoryMegabytes: 256,
  timeoutSeconds: 60,
  transfer: "buffered",
});
