import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { consoleLanguagesVariable } from "../../shared/pages/texts/languages.ts";
import {
  bucketEnvironment,
  callbackQueueEnvironment,
  callbackRulesEnvironment,
  exportQueueEnvironment,
  jobQueueEnvironment,
  limitsEnvironment,
  mailQueueEnvironment,
  publicAddressEnvironment,
  secondFactorEnvironment,
  tableEnvironment,
  termsEnvironment,
  tokenEnvironment,
  transcriptionFeaturesEnvironment,
} from "../../shared/platform/config/environment.ts";
import { identityProvidersEnvironment } from "../../shared/platform/config/identity-providers.ts";
import { baseAddressVariable } from "../../shared/platform/config/variables.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

export const consoleFunction = defineFunction({
  name: "console",
  description: "The web console: home page, sign-up, login, keys, usage, playground and recordings",
  operations: [],
  // The paths that API Gateway routes to this function. Each folder declares its own pages.
  pages: ["/", "/console", "/console/{proxy+}", "/docs/token", "/reset-password"],
  environment: {
    ...tableEnvironment,
    ...limitsEnvironment,
    ...bucketEnvironment,
    ...callbackQueueEnvironment,
    ...callbackRulesEnvironment,
    ...jobQueueEnvironment,
    ...transcriptionFeaturesEnvironment,
    ...mailQueueEnvironment,
    ...exportQueueEnvironment,
    ...publicAddressEnvironment,
    ...tokenEnvironment,
    ...secondFactorEnvironment,
    ...identityProvidersEnvironment,
    ...vendorsEnvironment,
    ...termsEnvironment,
    /** 0: tokens do not expire. */
    TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(0),
    /** The chat function's own address, without a slash at the end: the playground streams from there. */
    CHAT_STREAM_URL: baseAddressVariable,
    /** Requests per day in the playground for one IP address without an account; 0 for none. */
    VISITOR_TRIES_PER_DAY: z.coerce.number().int().min(0),
    /** The languages of pages, such as `en,sw`. */
    CONSOLE_LANGUAGES: consoleLanguagesVariable,
  },
  // Argon2id needs 19 MiB per hash, and the share of CPU grows with memory.
  memoryMegabytes: 1024,
  timeoutSeconds: 29,
  // Only streaming functions can send compressed responses.
  transfer: "stream",
});
