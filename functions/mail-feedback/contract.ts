import { tableEnvironment } from "../../shared/config/environment.ts";
import { defineFunction } from "../../shared/config/function-definition.ts";

export const mailFeedbackFunction = defineFunction({
  name: "mail-feedback",
  description: "Notes the addresses that refuse our mails for good, or complain about them",
  operations: [],
  environment: { ...tableEnvironment },
  memoryMegabytes: 256,
  timeoutSeconds: 30,
  transfer: "buffered",
});
