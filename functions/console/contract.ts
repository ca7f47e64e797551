import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import {
  accountLimitEnvironment,
  anonymousLimitEnvironment,
  bucketEnvironment,
  credentialsLimitEnvironment,
  jobQueueEnvironment,
  mailQueueEnvironment,
  publicAddressEnvironment,
  tableEnvironment,
  tokenEnvironment,
} from "../../shared/platform/config/environment.ts";
import { identityProvidersEnvironment } from "../../shared/platform/config/identity-providers.ts";
import { baseAddressVariable } from "../../shared/platform/config/variables.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";
import { consoleLanguagesVariable } from "./texts/languages.ts";

/** Under which paths the files are that pages load. */
export const assetsPath = "/console/assets/{file}";

export const consoleFunction = defineFunction({
  name: "console",
  description: "The web console: sign-up, log-in, keys, usage, playground and documentation",
  operations: [],
  // What API Gateway hands to this function; the pages themselves are declared in the folders of this feature.
  pages: ["/", "/console", "/console/{proxy+}", "/docs", "/docs/{proxy+}", "/reset-password", "/llms.txt"],
  environment: {
    ...tableEnvironment,
    ...accountLimitEnvironment,
    ...anonymousLimitEnvironment,
    ...bucketEnvironment,
    ...credentialsLimitEnvironment,
    ...jobQueueEnvironment,
    ...mailQueueEnvironment,
    ...publicAddressEnvironment,
    ...tokenEnvironment,
    ...identityProvidersEnvironment,
    ...vendorsEnvironment,
    /** 0 means that tokens do not expire. */
    TOKEN_LIFETIME_DAYS: z.coerce.number().int().min(0),
    /** Where the chat function answers by itself: the playground streams from there. No slash at the end. */
    CHAT_STREAM_URL: baseAddressVariable,
    /** Tries a day that one address has without an account; 0 for none. */
    VISITOR_TRIES_PER_DAY: z.coerce.number().int().min(0),
    /** The languages in which pages are offered, such as `en,sw`. */
    CONSOLE_LANGUAGES: consoleLanguagesVariable,
  },
  // As for the API's accounts: Argon2id needs 19 MiB a hash, and CPU share grows with memory.
  memoryMegabytes: 1024,
  timeoutSeconds: 29,
  // Only streaming functions can send what they have packed.
  transfer: "stream",
});
