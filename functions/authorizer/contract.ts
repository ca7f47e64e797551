import * as z from "zod";
import { tableEnvironment, tokenEnvironment } from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";

export const authorizerFunction = defineFunction({
  name: "authorizer",
  description: "Decides whether a bearer token may call a route",
  operations: [],
  environment: z.object({ ...tableEnvironment, ...tokenEnvironment }),
  memoryMegabytes: 512,
  timeoutSeconds: 10,
  transfer: "buffered",
});
