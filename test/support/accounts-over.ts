import { authEndpoints } from "../../functions/auth/endpoints.ts";
import { createAccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import { createApiKeysRepository } from "../../shared/accounts/api-keys-repository.ts";
import { createIdentitiesRepository } from "../../shared/accounts/identities-repository.ts";
import { createLinksRepository } from "../../shared/accounts/links-repository.ts";
import { createTokensRepository } from "../../shared/accounts/tokens-repository.ts";
import type { Tokens } from "../../shared/auth/tokens.ts";
import type { Endpoint } from "../../shared/http/endpoint.ts";
import type { MailQueue } from "../../shared/mail/mail-queue.ts";
import { createPasswordAttemptsRepository } from "../../shared/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../../shared/sign-in/password-guard.ts";
import { createSignInAddresses } from "../../shared/sign-in/sign-in-addresses.ts";
import type { Table } from "../../shared/storage/table.ts";
import { createUsageRepository } from "../../shared/usage/read-usage.ts";
import taskPaths from "../../shared/usage/task-paths.json" with { type: "json" };

/** Tokens that everybody may hold and nobody has signed. */
export const unsignedTokens = {
  sign: async () => "a-token",
  verify: async () => ({ userId: 7, tokenId: "3f0a2c1e-token", tokenEpoch: 0 }),
};

export const noMail: MailQueue = { send: () => Promise.reject(new Error("No mail must be asked for.")) };

const noCallbackSecrets = {
  current: () => Promise.reject(new Error("No secret must be asked for.")),
  replace: () => Promise.reject(new Error("No secret must be replaced.")),
};

/** The endpoints of accounts over a table, with everything else that they write there. */
export const accountsOver = (
  table: Table,
  mailQueue: MailQueue = noMail,
  tokens: Tokens = unsignedTokens,
): Endpoint[] =>
  authEndpoints({
    accounts: createAccountsRepository(table),
    revokedTokens: createTokensRepository(table),
    apiKeys: createApiKeysRepository(table),
    links: createLinksRepository(table),
    identities: createIdentitiesRepository(table),
    tokens,
    mailQueue,
    passwordGuard: createPasswordGuard(createPasswordAttemptsRepository(table), createSignInAddresses(table)),
    findAccess: () => Promise.reject(new Error("No token must be looked at.")),
    eraseAccount: () => Promise.reject(new Error("No account must be deleted.")),
    callbackSecrets: noCallbackSecrets,
    usage: createUsageRepository(table, 1),
    taskPaths,
    tokenLifetimeSeconds: undefined,
  });
