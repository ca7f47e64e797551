import { defineFunction } from "../../shared/http/function-definition.ts";
import { bucketEnvironment, tableEnvironment } from "../../shared/platform/config/environment.ts";

export const erasureFunction = defineFunction({
  name: "erasure",
  description: "Erases accounts that were disowned seven days ago",
  operations: [],
  environment: { ...tableEnvironment, ...bucketEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 300,
  transfer: "buffered",
});
