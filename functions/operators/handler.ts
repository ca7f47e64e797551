import { createTierRequests } from "../../shared/accounts/tiers/tier-requests.ts";
import { namedAssets } from "../../shared/pages/server/named-assets.ts";
import { createPageHandler } from "../../shared/pages/server/page-handler.ts";
import { createSessionsRepository } from "../../shared/pages/sessions/sessions-repository.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { operatedAccountsFrom } from "../../shared/wiring/accounts-from-environment.ts";
import {
  accountPoliciesFrom,
  inferenceKeysFrom,
  limiterFrom,
  objectStoreFrom,
} from "../../shared/wiring/from-environment.ts";
import { listedServersFrom } from "../../shared/wiring/model-servers.ts";
import { adminPages } from "./admin-pages.tsx";
import { operatorsFunction } from "./contract.ts";
import { openDeadLetters } from "./dead-letters.ts";

const environment = readEnvironment(operatorsFunction.environment, process.env);
const aws = awsConfigOf(environment);
const table = openLightTable(environment.TABLE_NAME, aws);
const store = objectStoreFrom(environment);
const sessions = createSessionsRepository(table);
const dependencies = operatedAccountsFrom(environment, { table, store });
const { MAIL_QUEUE_URL: mails, CALLBACK_QUEUE_URL: callbacks, JOB_QUEUE_URL: jobs } = environment;

export const handler = createPageHandler(
  adminPages({
    ...dependencies,
    sessions,
    queue: openJobQueue(jobs, aws),
    deadLetters: {
      mail: openDeadLetters(environment.MAIL_DEAD_LETTER_QUEUE_URL, mails, aws),
      callbacks: openDeadLetters(environment.CALLBACK_DEAD_LETTER_QUEUE_URL, callbacks, aws),
      jobs: openDeadLetters(environment.JOB_DEAD_LETTER_QUEUE_URL, jobs, aws),
    },
    servers: listedServersFrom(environment, inferenceKeysFrom(environment)),
    tierRequests: createTierRequests(table),
    policyOf: accountPoliciesFrom(environment),
  }),
  {
    site: {
      baseUrl: environment.PUBLIC_BASE_URL,
      origins: { storage: [], stream: [] },
      assets: namedAssets,
      languages: environment.CONSOLE_LANGUAGES,
    },
    accounts: dependencies.accounts,
    sessions,
  },
  { limiter: limiterFrom(environment), metricsNamespace: environment.METRICS_NAMESPACE },
);
