import { createRequestLog } from "../../shared/accounts/requests/request-log.ts";
import { createTierRequests } from "../../shared/accounts/tiers/tier-requests.ts";
import { namedAssets } from "../../shared/pages/server/named-assets.ts";
import { createPageHandler } from "../../shared/pages/server/page-handler.ts";
import { createSessionsRepository } from "../../shared/pages/sessions/sessions-repository.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { accountDependenciesFrom } from "../../shared/wiring/accounts-from-environment.ts";
import {
  accountPoliciesFrom,
  limiterFrom,
  linkedStoreFrom,
  requestTableFrom,
  storageOriginFrom,
} from "../../shared/wiring/from-environment.ts";
import { clientSecretsFrom } from "../../shared/wiring/secrets-from-environment.ts";
import { consolePages } from "./console-pages.ts";
import { consoleFunction } from "./contract.ts";
import { createOpenIdProvider } from "./identity/open-id-provider.ts";
import {
  createLogInAttempts,
  createUnconfirmedLogIns,
  createUnprovedLogIns,
} from "./log-in/log-in-attempts.ts";
import { createVisitorAttempts } from "./playground/visitor-attempts.ts";

const environment = readEnvironment(consoleFunction.environment, process.env);
const table = requestTableFrom(environment);
const dependencies = accountDependenciesFrom(environment, table);
const { accounts, signingKeys } = dependencies;
const playground = {
  ...dependencies,
  addresses: { api: environment.PUBLIC_BASE_URL, stream: environment.CHAT_STREAM_URL },
  visitorAttemptsPerDay: environment.VISITOR_TRIES_PER_DAY,
  attempts: createVisitorAttempts(table, environment.VISITOR_TRIES_PER_DAY),
};
const clientSecrets = clientSecretsFrom(environment);
const logInThrough = (letter: string): string => `/console/log-in/${letter}`;
const sessions = createSessionsRepository(table);

const pages = {
  ...playground,
  store: linkedStoreFrom(environment),
  ...environment.TRANSCRIPTION_FEATURES,
  queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
  requestLog: createRequestLog(table),
  tierRequests: createTierRequests(table),
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
  logInAttempts: createLogInAttempts(signingKeys),
  unprovedLogIns: createUnprovedLogIns(signingKeys),
  unconfirmedLogIns: createUnconfirmedLogIns(signingKeys),
  sessions,
};

export const handler = createPageHandler(
  consolePages(pages),
  {
    site: {
      baseUrl: environment.PUBLIC_BASE_URL,
      origins: {
        storage: [storageOriginFrom(environment)],
        stream: [new URL(environment.CHAT_STREAM_URL).origin],
      },
      assets: namedAssets,
      languages: environment.CONSOLE_LANGUAGES,
    },
    accounts,
    sessions,
  },
  {
    limiter: limiterFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
    further: async () => {
      const { furtherConsolePages, visitorEndpoint } = await import("./further-endpoints.ts");
      return {
        pages: furtherConsolePages(pages),
        endpoints: [visitorEndpoint(environment.PUBLIC_BASE_URL, playground)],
      };
    },
  },
);
