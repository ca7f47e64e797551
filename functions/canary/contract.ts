import { defineFunction } from "../../shared/http/function-definition.ts";
import { publicAddressEnvironment, tableEnvironment } from "../../shared/platform/config/environment.ts";
import { textVariable } from "../../shared/platform/config/variables.ts";

export const canaryFunction = defineFunction({
  name: "canary",
  description: "Calls the service every few minutes like a client, and fails when it does not respond",
  operations: [],
  environment: {
    ...publicAddressEnvironment,
    ...tableEnvironment,
    /** JSON object with the `key` of an operator's account; its scopes decide which tasks are checked. Without one none is. */
    CANARY_SECRET_ID: textVariable,
  },
  memoryMegabytes: 256,
  timeoutSeconds: 60,
  transfer: "buffered",
});
