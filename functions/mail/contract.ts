import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { publicAddressEnvironment, tableEnvironment } from "../../shared/platform/config/environment.ts";

export const mailFunction = defineFunction({
  name: "mail",
  description: "Writes and sends the mails that other functions request",
  operations: [],
  environment: {
    ...tableEnvironment,
    /** Sender, as `Name <address>`; its domain must be verified in SES. */
    MAIL_FROM: z.string().min(3),
    /** SES's configuration set, which measures our mails and reports those that bounce. */
    MAIL_CONFIGURATION_SET: z.string().min(1),
    ...publicAddressEnvironment,
  },
  memoryMegabytes: 256,
  timeoutSeconds: 30,
  transfer: "buffered",
});
