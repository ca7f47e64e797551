import { defineFunction } from "../../shared/http/function-definition.ts";
import { tableEnvironment } from "../../shared/platform/config/environment.ts";

export const mailFeedbackFunction = defineFunction({
  name: "mail-feedback",
  description: "Records the addresses that bounce our mails permanently, or complain about them",
  operations: [],
  environment: { ...tableEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 30,
  transfer: "buffered",
});
