import { defineFunction } from "../../shared/http/function-definition.ts";
import { tokenEnvironment } from "../../shared/platform/config/environment.ts";

export const authorizerFunction = defineFunction({
  name: "authorizer",
  description: "Checks the signature and the expiry of bearer tokens, and the checksum of keys",
  operations: [],
  environment: tokenEnvironment,
  memoryMegabytes: 512,
  timeoutSeconds: 10,
  transfer: "buffered",
});
