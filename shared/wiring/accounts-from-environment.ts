import type { StoredAccount } from "../accounts/access/account.ts";
import { createSigningKeySource, createTokens } from "../accounts/access/tokens.ts";
import { openExportQueue } from "../accounts/export/export-queue.ts";
import { createExportsRepository } from "../accounts/export/exports-repository.ts";
import { openMailQueue } from "../accounts/mail/mail-queue.ts";
import { createWithheldMail } from "../accounts/mail/withheld-mail.ts";
import { createAuditLog } from "../accounts/operators/audit-log.ts";
import { createAccountsRepository } from "../accounts/repositories/accounts-repository.ts";
import { createApiKeysRepository } from "../accounts/repositories/api-keys-repository.ts";
import { createIdentitiesRepository } from "../accounts/repositories/identities-repository.ts";
import { createLinksRepository } from "../accounts/repositories/links-repository.ts";
import { createTokensRepository } from "../accounts/repositories/tokens-repository.ts";
import { createFactorKeySource, createFactorSecrets } from "../accounts/second-factor/factor-secrets.ts";
import { createSecondFactors } from "../accounts/second-factor/second-factors.ts";
import { createPasswordAttemptsRepository } from "../accounts/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../accounts/sign-in/password-guard.ts";
import { createSignInAddresses } from "../accounts/sign-in/sign-in-addresses.ts";
import { withVendorsNames } from "../accounts/usage/find-usage.ts";
import { createUsageRepository } from "../accounts/usage/read-usage.ts";
import taskPaths from "../accounts/usage/task-paths.json" with { type: "json" };
import {
  awsConfigOf,
  type bucketEnvironment,
  type callbackQueueEnvironment,
  type callbackRulesEnvironment,
  type exportQueueEnvironment,
  type limitsEnvironment,
  type mailQueueEnvironment,
  type PlatformEnvironment,
  type secondFactorEnvironment,
  type termsEnvironment,
  type tokenEnvironment,
} from "../platform/config/environment.ts";
import type { VariableValues } from "../platform/config/variables.ts";
import type { vendorsEnvironment } from "../platform/config/vendors.ts";
import { daySeconds } from "../platform/durations.ts";
import type { ObjectStore } from "../platform/storage/object-store.ts";
import type { DataOwner } from "../platform/storage/stored-kinds.ts";
import type { Table, TableWrite } from "../platform/storage/table.ts";
import { openCallbackQueue } from "../recordings/callbacks/callback-queue.ts";
import { callbacksEnd, createCallbackSecrets } from "../recordings/callbacks/callback-secrets.ts";
import { callbackRulesOf } from "../recordings/callbacks/callback-url.ts";
import { createDeliveryLog } from "../recordings/callbacks/deliveries.ts";
import { createJobsRepository } from "../recordings/jobs/jobs-repository.ts";
import { eraseAccount } from "./erase-account.ts";
import { isExportedFile } from "./find-stored.ts";
import { characterQuotasFrom, linkedStoreFrom } from "./from-environment.ts";
import { factorSecretFrom, signingSecretFrom } from "./secrets-from-environment.ts";
import { storedKinds } from "./stored-kinds.ts";

type OperatedVariables = PlatformEnvironment &
  VariableValues<
    typeof limitsEnvironment &
      typeof secondFactorEnvironment &
      typeof mailQueueEnvironment &
      typeof vendorsEnvironment &
      typeof callbackQueueEnvironment
  >;

type AccountVariables = OperatedVariables &
  VariableValues<
    typeof tokenEnvironment &
      typeof bucketEnvironment &
      typeof termsEnvironment &
      typeof exportQueueEnvironment &
      typeof callbackRulesEnvironment
  > & { readonly TOKEN_LIFETIME_DAYS: number };

/** The repositories of accounts over a table. */
export const accountRepositories = (table: Table) => ({
  accounts: createAccountsRepository(table),
  revokedTokens: createTokensRepository(table),
  apiKeys: createApiKeysRepository(table),
  links: createLinksRepository(table),
  identities: createIdentitiesRepository(table),
  passwordGuard: createPasswordGuard(createPasswordAttemptsRepository(table), createSignInAddresses(table)),
  endCallbacks: callbacksEnd,
  withheldMail: createWithheldMail(table),
  audit: createAuditLog(table),
});

/** What the operators' pages need of accounts, and the pages of an account too. */
export const operatedAccountsFrom = (
  environment: OperatedVariables,
  { table, store }: { readonly table: Table; readonly store: ObjectStore },
) => ({
  ...accountRepositories(table),
  table,
  store,
  secondFactors: createSecondFactors(
    table,
    createFactorSecrets(createFactorKeySource(factorSecretFrom(environment))),
  ),
  mailQueue: openMailQueue(environment.MAIL_QUEUE_URL, awsConfigOf(environment)),
  eraseAccount: (account: StoredAccount, signal: AbortSignal, record?: TableWrite) =>
    eraseAccount(account, { table, store }, signal, record),
  deliveries: createDeliveryLog(table),
  callbacks: openCallbackQueue(environment.CALLBACK_QUEUE_URL, awsConfigOf(environment)),
  jobs: createJobsRepository(table),
  usage: createUsageRepository(
    table,
    environment.LIMITS.unverifiedQuotaShare,
    environment.LIMITS.multiplier,
    characterQuotasFrom(environment),
  ),
  taskPaths: withVendorsNames(taskPaths, environment.LEGACY_VENDORS),
});

/** What functions need that manage accounts. */
export const accountDependenciesFrom = (environment: AccountVariables, table: Table) => {
  const store = linkedStoreFrom(environment);
  const signingKeys = createSigningKeySource(signingSecretFrom(environment));
  return {
    ...operatedAccountsFrom(environment, { table, store }),
    store,
    signingKeys,
    vendors: environment.LEGACY_VENDORS,
    termsVersion: environment.TERMS_VERSION,
    tokens: createTokens(signingKeys),
    tokenLifetimeSeconds: environment.TOKEN_LIFETIME_DAYS * daySeconds || undefined,
    callbackSecrets: createCallbackSecrets(table),
    exports: createExportsRepository(table),
    exportQueue: openExportQueue(environment.EXPORT_QUEUE_URL, awsConfigOf(environment)),
    isExportedFile: (owner: DataOwner, name: string) => isExportedFile(owner, name, table, storedKinds),
    callbackRules: callbackRulesOf(environment),
  };
};
