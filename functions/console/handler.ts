import { createRequestLog } from "../../shared/accounts/requests/request-log.ts";
import { createTierRequests } from "../../shared/accounts/tiers/tier-requests.ts";
import { builtAssets } from "../../shared/pages/server/built-assets.ts";
import { createPageHandler } from "../../shared/pages/server/page-handler.ts";
import { createSessionsRepository } from "../../shared/pages/sessions/sessions-repository.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { createStatusLog } from "../../shared/platform/status/status-log.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { accountDependenciesFrom } from "../../shared/wiring/accounts-from-environment.ts";
import {
  accountPoliciesFrom,
  inferenceKeysFrom,
  limiterFrom,
  linkedStoreFrom,
  requestTableFrom,
  storageOriginFrom,
} from "../../shared/wiring/from-environment.ts";
import { listedServersFrom } from "../../shared/wiring/model-servers.ts";
import { retentionTable } from "../../shared/wiring/retention.ts";
import { clientSecretsFrom } from "../../shared/wiring/secrets-from-environment.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { openDeadLetters } from "./admin/dead-letters.ts";
import { consolePages } from "./console-pages.ts";
import { consoleFunction } from "./contract.ts";
import {
  createLogInAttempts,
  createUnconfirmedLogIns,
  createUnprovedLogIns,
} from "./identity/log-in-attempts.ts";
import { createOpenIdProvider } from "./identity/open-id-provider.ts";
import { notices } from "./notices/built-notices.ts";
import { noticesOf } from "./notices/notice.ts";
import { createVisitorAttempts } from "./playground/visitor-attempts.ts";
import { visitorEndpoint } from "./playground/visitor-endpoint.ts";
import { evaluations } from "./quality/built-evaluations.ts";

const environment = readEnvironment(consoleFunction.environment, process.env);
const dependencies = accountDependenciesFrom(environment);
const { accounts, signingKeys, table } = dependencies;
const playground = {
  ...dependencies,
  addresses: { api: environment.PUBLIC_BASE_URL, stream: environment.CHAT_STREAM_URL },
  visitorAttemptsPerDay: environment.VISITOR_TRIES_PER_DAY,
  attempts: createVisitorAttempts(requestTableFrom(environment), environment.VISITOR_TRIES_PER_DAY),
};
const clientSecrets = clientSecretsFrom(environment);
const logInThrough = (letter: string): string => `/console/log-in/${letter}`;
const sessions = createSessionsRepository(table);
const aws = awsConfigOf(environment);
const { MAIL_QUEUE_URL: mails, CALLBACK_QUEUE_URL: callbacks, JOB_QUEUE_URL: jobs } = environment;
const deadLetters = {
  mail: openDeadLetters(environment.MAIL_DEAD_LETTER_QUEUE_URL, mails, aws),
  callbacks: openDeadLetters(environment.CALLBACK_DEAD_LETTER_QUEUE_URL, callbacks, aws),
  jobs: openDeadLetters(environment.JOB_DEAD_LETTER_QUEUE_URL, jobs, aws),
};

export const handler = createPageHandler(
  consolePages({
    ...playground,
    store: linkedStoreFrom(environment),
    queue: openJobQueue(jobs, aws),
    deadLetters,
    servers: listedServersFrom(environment, inferenceKeysFrom(environment)),
    requestLog: createRequestLog(table),
    statusLog: createStatusLog(table),
    tierRequests: createTierRequests(table),
    statusPageUrl: environment.STATUS_PAGE_URL,
    providers: environment.IDENTITY_PROVIDERS.map(({ name, letter }) => ({
      name,
      path: logInThrough(letter),
    })),
    openIdProviders: environment.IDENTITY_PROVIDERS.map((provider) =>
      createOpenIdProvider({
        provider,
        clientSecret: async () => (await clientSecrets.get())[provider.letter],
        redirectUri: `${environment.PUBLIC_BASE_URL}${logInThrough(provider.letter)}/callback`,
      }),
    ),
    policyOf: accountPoliciesFrom(environment),
    baseUrl: environment.PUBLIC_BASE_URL,
    notices: noticesOf(environment.STAGE_NAME, notices),
    evaluation: evaluations[environment.STAGE_NAME],
    retention: retentionTable(storedKinds, environment),
    region: environment.AWS_REGION,
    contactEmail: environment.CONTACT_EMAIL,
    logInAttempts: createLogInAttempts(signingKeys),
    unprovedLogIns: createUnprovedLogIns(signingKeys),
    unconfirmedLogIns: createUnconfirmedLogIns(signingKeys),
    sessions,
  }),
  {
    site: {
      baseUrl: environment.PUBLIC_BASE_URL,
      origins: {
        storage: [storageOriginFrom(environment)],
        stream: [new URL(environment.CHAT_STREAM_URL).origin],
      },
      assets: builtAssets,
      languages: environment.CONSOLE_LANGUAGES,
    },
    accounts,
    sessions,
  },
  {
    limiter: limiterFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
    endpoints: [visitorEndpoint(environment.PUBLIC_BASE_URL, playground)],
  },
);
