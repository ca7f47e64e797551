import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { mailQueueEnvironment, tableEnvironment } from "../../shared/platform/config/environment.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

export const sunsetFunction = defineFunction({
  name: "sunset",
  description: "Mails the accounts that still call routes of version 1 before these end",
  operations: [],
  environment: {
    ...tableEnvironment,
    ...mailQueueEnvironment,
    ...vendorsEnvironment,
    /** The UTC day from which the deprecated routes may stop working. */
    LEGACY_SUNSET: z.iso.date(),
  },
  memoryMegabytes: 256,
  timeoutSeconds: 300,
  transfer: "buffered",
});
