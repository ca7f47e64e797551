import { defineFunction } from "../../shared/http/function-definition.ts";
import { consoleLanguagesVariable } from "../../shared/pages/texts/languages.ts";
import {
  bucketEnvironment,
  callbackQueueEnvironment,
  deadLetterEnvironment,
  jobQueueEnvironment,
  limitsEnvironment,
  mailQueueEnvironment,
  modelServersEnvironment,
  publicAddressEnvironment,
  secondFactorEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

export const operatorsFunction = defineFunction({
  name: "operators",
  description: "The operators' pages: accounts, usage, jobs, mail and webhooks, models, audit log",
  operations: [],
  pages: ["/console/admin", "/console/admin/{proxy+}"],
  environment: {
    ...tableEnvironment,
    ...bucketEnvironment,
    ...limitsEnvironment,
    ...callbackQueueEnvironment,
    ...jobQueueEnvironment,
    ...mailQueueEnvironment,
    ...deadLetterEnvironment,
    ...publicAddressEnvironment,
    ...secondFactorEnvironment,
    ...vendorsEnvironment,
    ...modelServersEnvironment,
    /** The languages of pages, such as `en,sw`. */
    CONSOLE_LANGUAGES: consoleLanguagesVariable,
  },
  memoryMegabytes: 1024,
  timeoutSeconds: 29,
  // Only streaming functions can send compressed responses.
  transfer: "stream",
});
