import { authEndpoints } from "../../functions/auth/endpoints.ts";
import type { Tokens } from "../../shared/accounts/access/tokens.ts";
import { createExportsRepository } from "../../shared/accounts/export/exports-repository.ts";
import type { MailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { createUsageRepository } from "../../shared/accounts/usage/read-usage.ts";
import taskPaths from "../../shared/accounts/usage/task-paths.json" with { type: "json" };
import type { Endpoint } from "../../shared/http/exchange.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { secondFactorsOver } from "./second-factor.ts";

/** Unsigned tokens that every test accepts. */
export const unsignedTokens = {
  sign: async () => "a-token",
  verify: async () => ({ userId: 7, tokenId: "3f0a2c1e-token", tokenEpoch: 0 }),
};

export const noMail: MailQueue = { send: () => Promise.reject(new Error("No mail must be asked for.")) };

const noCallbackSecrets = {
  current: () => Promise.reject(new Error("No secret must be asked for.")),
  replace: () => Promise.reject(new Error("No secret must be replaced.")),
};

const noCallbacks = {
  send: () => Promise.reject(new Error("No callback must be sent.")),
  sendAgain: () => Promise.reject(new Error("No callback must be sent again.")),
};

/** The endpoints of accounts over a table, with everything else that they write there. */
export const accountsOver = (
  table: Table,
  mailQueue: MailQueue = noMail,
  tokens: Tokens = unsignedTokens,
): Endpoint[] =>
  authEndpoints({
    ...accountRepositories(table),
    secondFactors: secondFactorsOver(table),
    tokens,
    mailQueue,
    findAccess: () => Promise.reject(new Error("No token must be looked at.")),
    eraseAccount: () => Promise.reject(new Error("No account must be deleted.")),
    callbackSecrets: noCallbackSecrets,
    deliveries: createDeliveryLog(table),
    callbacks: noCallbacks,
    callbackRules: { allowLoopback: false },
    jobs: createJobsRepository(table),
    usage: createUsageRepository(table, 1),
    taskPaths,
    exports: createExportsRepository(table),
    store: {
      describe: async () => undefined,
      signDownload: () => Promise.reject(new Error("No link must be signed.")),
    },
    isExportedFile: async () => false,
    exportQueue: { send: () => Promise.reject(new Error("No export must be requested.")) },
    termsVersion: "2026-11-24",
    tokenLifetimeSeconds: undefined,
  });
