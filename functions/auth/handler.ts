import { readAccess } from "../../shared/accounts/access.ts";
import { createAccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import { createApiKeysRepository } from "../../shared/accounts/api-keys-repository.ts";
import { eraseAccount } from "../../shared/accounts/erase-account.ts";
import { createIdentitiesRepository } from "../../shared/accounts/identities-repository.ts";
import { createLinksRepository } from "../../shared/accounts/links-repository.ts";
import { createTokensRepository } from "../../shared/accounts/tokens-repository.ts";
import { createSigningKeySource, createTokens } from "../../shared/auth/tokens.ts";
import { createCallbackSecrets } from "../../shared/callbacks/callback-secrets.ts";
import { awsConfigOf, readEnvironment } from "../../shared/config/environment.ts";
import {
  idempotencyStoreFrom,
  itemTableFrom,
  limiterFrom,
  objectStoreFrom,
  signingSecretFrom,
} from "../../shared/config/from-environment.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { openMailQueue } from "../../shared/mail/mail-queue.ts";
import { createPasswordAttemptsRepository } from "../../shared/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../../shared/sign-in/password-guard.ts";
import { createSignInAddresses } from "../../shared/sign-in/sign-in-addresses.ts";
import { openTable } from "../../shared/storage/table.ts";
import { withVendorsNames } from "../../shared/usage/get-usage.ts";
import { createUsageRepository } from "../../shared/usage/read-usage.ts";
import taskPaths from "../../shared/usage/task-paths.json" with { type: "json" };
import { authFunction } from "./contract.ts";
import { authEndpoints } from "./endpoints.ts";

const environment = readEnvironment(authFunction.environment, process.env);
const table = openTable(environment.TABLE_NAME);
const requestTable = itemTableFrom(environment);
const store = objectStoreFrom(environment);
const secondsInDay = 24 * 60 * 60;

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
    tokenLifetimeSeconds: environment.TOKEN_LIFETIME_DAYS * secondsInDay || undefined,
  }),
  {
    limiter: limiterFrom(environment),
    idempotencyStore: idempotencyStoreFrom(environment),
    metricsNamespace: environment.METRICS_NAMESPACE,
  },
);
