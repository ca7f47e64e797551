import { defineFunction } from "../../shared/http/function-definition.ts";
import { consoleLanguagesVariable } from "../../shared/pages/texts/languages.ts";
import {
  publicAddressEnvironment,
  speechLifetimeEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";
import {
  addressVariable,
  daysVariable,
  optionalVariable,
  textVariable,
} from "../../shared/platform/config/variables.ts";
import { vendorsEnvironment } from "../../shared/platform/config/vendors.ts";

export const siteFunction = defineFunction({
  name: "site",
  description:
    "The pages that are the same for everyone: documentation, languages, quality, status and notices",
  operations: [],
  // Each folder declares its own pages.
  pages: [
    "/docs",
    "/docs/{proxy+}",
    "/console/assets/{file}",
    "/console/languages",
    "/privacy",
    "/terms",
    "/status",
    "/quality",
    "/llms.txt",
    "/llms-full.txt",
  ],
  environment: {
    ...tableEnvironment,
    ...publicAddressEnvironment,
    ...vendorsEnvironment,
    ...speechLifetimeEnvironment,
    /** Days after which logs are deleted, for the privacy notice. */
    LOG_RETENTION_DAYS: daysVariable,
    /** The stage, which may have a privacy notice and terms of its own. */
    STAGE_NAME: textVariable,
    /** The address for questions about the service; without it, the privacy notice says that there is none. */
    CONTACT_EMAIL: optionalVariable(textVariable),
    /** A status page elsewhere. */
    STATUS_PAGE_URL: optionalVariable(addressVariable),
    /** The languages of pages, such as `en,sw`. */
    CONSOLE_LANGUAGES: consoleLanguagesVariable,
  },
  memoryMegabytes: 1024,
  timeoutSeconds: 29,
  // Only streaming functions can send compressed responses.
  transfer: "stream",
});
