import { defineFunction } from "../../shared/http/function-definition.ts";
import { publicAddressEnvironment } from "../../shared/platform/config/environment.ts";
import { textVariable } from "../../shared/platform/config/variables.ts";

export const canaryFunction = defineFunction({
  name: "canary",
  description: "Calls the service every few minutes like a client, and fails when it does not respond",
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
