import { createSigningKeySource, createTokens } from "../../shared/accounts/access/tokens.ts";
import { openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createApiKeysRepository } from "../../shared/accounts/repositories/api-keys-repository.ts";
import { createIdentitiesRepository } from "../../shared/accounts/repositories/identities-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { createPasswordAttemptsRepository } from "../../shared/accounts/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../../shared/accounts/sign-in/password-guard.ts";
import { createSignInAddresses } from "../../shared/accounts/sign-in/sign-in-addresses.ts";
import { withVendorsNames } from "../../shared/accounts/usage/find-usage.ts";
import { createUsageRepository } from "../../shared/accounts/usage/read-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { openTable } from "../../shared/platform/storage/sdk-table.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import {
  clientSecretsFrom,
  itemTableFrom,
  limiterFrom,
  objectStoreFrom,
  signingSecretFrom,
  storageOriginFrom,
} from "../../shared/wiring/from-environment.ts";
import { consolePages } from "./console-pages.ts";
import { consoleFunction } from "./contract.ts";
import { createLogInAttempts } from "./identity/log-in-attempts.ts";
import { createOpenIdProvider } from "./identity/open-id-provider.ts";
import { visitorEndpoint } from "./playground/visitor-endpoint.ts";
import { createVisitorAttempts } from "./playground/visitors.ts";
import { builtAssets } from "./server/built-assets.ts";
import { createConsoleHandler } from "./server/console-handler.ts";
import { createSessionsRepository } from "./sessions/sessions-repository.ts";

const environment = readEnvironment(consoleFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const itemTable = itemTableFrom(environment);
const accounts = createAccountsRepository(table);
const clientSecrets = clientSecretsFrom(environment);
const signingKeys = createSigningKeySource(signingSecretFrom(environment));
const visitorAttemptsPerDay = environment.VISITOR_TRIES_PER_DAY;
const playground = {
  accounts,
  tokens: createTokens(signingKeys),
  addresses: { api: environment.PUBLIC_BASE_URL, stream: environment.CHAT_STREAM_URL },
  visitorAttemptsPerDay,
};
const logInThrough = (letter: string): string => `/console/log-in/${letter}`;
const sessions = createSessionsRepository(table);
const store = objectStoreFrom(environment);
const vendors = { a: environment.LEGACY_VENDOR_A, b: environment.LEGACY_VENDOR_B };

export const handler = createConsoleHandler(
  consolePages({
    ...playground,
    links: createLinksRepository(table),
    jobs: createJobsRepository(table),
    queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
    store,
    mailQueue: openMailQueue(environment.MAIL_QUEUE_URL, awsConfigOf(environment)),
    passwordGuard: createPasswordGuard(createPasswordAttemptsRepository(table), createSignInAddresses(table)),
    providers: environment.IDENTITY_PROVIDERS.map(({ name, letter }) => ({
      name,
      path: logInThrough(letter),
    })),
    identities: createIdentitiesRepository(table),
    openIdProviders: environment.IDENTITY_PROVIDERS.map((provider) =>
      createOpenIdProvider({
        provider,
        clientSecret: async () => (await clientSecrets.get())[provider.letter],
        redirectUri: `${environment.PUBLIC_BASE_URL}${logInThrough(provider.letter)}/callback`,
      }),
    ),
    vendors,
    baseUrl: environment.PUBLIC_BASE_URL,
    assets: builtAssets,
    logInAttempts: createLogInAttempts(signingKeys),
    sessions,
    apiKeys: createApiKeysRepository(table),
    callbackSecrets: createCallbackSecrets(itemTable),
    tokenLifetimeSeconds: environment.TOKEN_LIFETIME_DAYS * daySeconds || undefined,
    eraseAccount: (account, signal) => eraseAccount(account, { table, store }, signal),
    usage: createUsageRepository(table, environment.UNVERIFIED_QUOTA_SHARE),
    taskPaths: withVendorsNames(taskPaths, vendors),
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
    endpoints: [
      visitorEndpoint(environment.PUBLIC_BASE_URL, {
        ...playground,
        attempts: createVisitorAttempts(itemTable, visitorAttemptsPerDay),
      }),
    ],
  },
);
