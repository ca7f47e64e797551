import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { consoleLanguagesVariable } from "../../shared/pages/texts/languages.ts";
import {
  accountLimitEnvironment,
  anonymousLimitEnvironment,
  bucketEnvironment,
  callbackQueueEnvironment,
  callbackRulesEnvironment,
  characterQuotaEnvironment,
  credentialsLimitEnvironment,
  deadLetterEnvironment,
  exportQueueEnvironment,
  jobQueueEnvironment,
  mailQueueEnvironment,
  modelServersEnvironment,
  publicAddressEnvironment,
  secondFactorEnvironment,
  speechLifetimeEnvironment,
  tableEnvironment,
  termsEnvironment,
  tokenEnvironment,
} from "../../shared/platform/config/environment.ts";
import { identityProvidersEnvironment } from "../../shared/platform/config/identity-providers.ts";
import {
  addressVariable,
  baseAddressVariable,
  daysVariable,
  optionalVariable,
  textVariable,
} from "../../shared/platform/config/variables.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

export const consoleFunction = defineFunction({
  name: "console",
  description: "The web console: sign-up, login, keys, usage, playground and documentation",
  operations: [],
  // The paths that API Gateway routes to this function. Each folder declares its own pages.
  pages: [
    "/",
    "/console",
    "/console/{proxy+}",
    "/docs",
    "/docs/{proxy+}",
    "/reset-password",
    "/privacy",
    "/terms",
    "/status",
    "/quality",
    "/llms.txt",
    "/llms-full.txt",
  ],
  environment: {
    ...tableEnvironment,
    ...accountLimitEnvironment,
    ...characterQuotaEnvironment,
    ...anonymousLimitEnvironment,
    ...bucketEnvironment,
    ...callbackQueueEnvironment,
    ...callbackRulesEnvironment,
    ...credentialsLimitEnvironment,
    ...jobQueueEnvironment,
    ...deadLetterEnvironment,
    ...mailQueueEnvironment,
    ...exportQueueEnvironment,
    ...publicAddressEnvironment,
    ...tokenEnvironment,
    ...secondFactorEnvironment,
    ...identityProvidersEnvironment,
    ...vendorsEnvironment,
    ...termsEnvironment,
    ...speechLifetimeEnvironment,
    /** Days after which logs are deleted, for the privacy notice. */
    LOG_RETENTION_DAYS: daysVariable,
    /** The stage, which may have a privacy notice and terms of its own. */
    STAGE_NAME: textVariable,
    /** The address for questions about the service; without it, the privacy notice says that there is none. */
    CONTACT_EMAIL: optionalVariable(textVariable),
    ...modelServersEnvironment,
    /** 0: tokens do not expire. */
    TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(0),
    /** The chat function's own address, without a slash at the end: the playground streams from there. */
    CHAT_STREAM_URL: baseAddressVariable,
    /** Requests per day in the playground for one IP address without an account; 0 for none. */
    VISITOR_TRIES_PER_DAY: z.coerce.number().int().min(0),
    /** A status page elsewhere. */
    STATUS_PAGE_URL: optionalVariable(addressVariable),
    /** The languages of pages, such as `en,sw`. */
    CONSOLE_LANGUAGES: consoleLanguagesVariable,
  },
  // Argon2id needs 19 MiB per hash, and the share of CPU grows with memory.
  memoryMegabytes: 1024,
  timeoutSeconds: 29,
  // Only streaming functions can send compressed responses.
  transfer: "stream",
});
