import { readAccess } from "../../shared/accounts/access/access.ts";
import { createSigningKeySource, createTokens } from "../../shared/accounts/access/tokens.ts";
import { openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createApiKeysRepository } from "../../shared/accounts/repositories/api-keys-repository.ts";
import { createIdentitiesRepository } from "../../shared/accounts/repositories/identities-repository.ts";
import { createLinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { createTokensRepository } from "../../shared/accounts/repositories/tokens-repository.ts";
import { createPasswordAttemptsRepository } from "../../shared/accounts/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../../shared/accounts/sign-in/password-guard.ts";
import { createSignInAddresses } from "../../shared/accounts/sign-in/sign-in-addresses.ts";
import { withVendorsNames } from "../../shared/accounts/usage/find-usage.ts";
import { createUsageRepository } from "../../shared/accounts/usage/read-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { daySeconds } from "../../shared/platform/durations.ts";
import { openTable } from "../../shared/platform/storage/sdk-table.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import {
  idempotencyStoreFrom,
  itemTableFrom,
  limiterFrom,
  objectStoreFrom,
  signingSecretFrom,
} from "../../shared/wiring/from-environment.ts";
import { authFunction } from "./contract.ts";
import { authEndpoints } from "./endpoints.ts";

const environment = readEnvironment(authFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const requestTable = itemTableFrom(environment);
const store = objectStoreFrom(environment);

export const handler = createBufferedHandler(
  authEndpoints({
    accounts: createAccountsRepository(table),
    revokedTokens: createTokensRepository(table),
    apiKeys: createApiKeysRepository(table),
    links: createLinksRepository(table),
    identities: createIdentitiesRepository(table),
    tokens: createTokens(createSigningKeySource(signingSecretFrom(environment))),
    mailQueue: openMailQueue(environment.MAIL_QUEUE_URL, awsConfigOf(environment)),
    passwordGuard: createPasswordGuard(createPasswordAttemptsRepository(table), createSignInAddresses(table)),
    findAccess: (credential) => readAccess(requestTable, credential),
    eraseAccount: (account, signal) => eraseAccount(account, { table, store }, signal),
    callbackSecrets: createCallbackSecrets(requestTable),
    usage: createUsageRepository(table, environment.UNVERIFIED_QUOTA_SHARE),
    taskPaths: withVendorsNames(taskPaths, {
      a: environment.LEGACY_VENDOR_A,
      b: environment.LEGACY_VENDOR_B,
    }),
    tokenLifetimeSeconds: environment.TOKEN_LIFETIME_DAYS * daySeconds || undefined,
  }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
