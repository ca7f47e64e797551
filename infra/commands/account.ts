/** `npm run account`: the operator's command for accounts, and for people who wrote to the assistant. */
import { once } from "node:events";
import { userInfo } from "node:os";
import { createInterface } from "node:readline";
import { toAccount } from "../../shared/accounts/access/account.ts";
import { type MailQueue, openMailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import { createAuditLog, type Operator } from "../../shared/accounts/operators/audit-log.ts";
import { listEarlierNames } from "../../shared/accounts/operators/find-accounts.ts";
import { accountActs } from "../../shared/accounts/operators/operate-accounts.ts";
import { listKeys } from "../../shared/accounts/profile/manage-keys.ts";
import { decideTierRequest } from "../../shared/accounts/tiers/decide-tier-request.ts";
import { createTierRequests } from "../../shared/accounts/tiers/tier-requests.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openBucket } from "../../shared/platform/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/platform/storage/s3-object-store.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { runCommandLine } from "../command-line.ts";
import { withLocalMails, withLocalStores, withLocalTable } from "../local/local-table.ts";
import { openTable } from "../sdk-table.ts";
import {
  type Change,
  type Deletion,
  type Forgetting,
  type KeysOf,
  readArguments,
  type SmokeAccount,
  type TierDecisionOf,
} from "./account-arguments.ts";
import { eraseAgain } from "./erase-again.ts";
import { forgetSender } from "./forget-sender.ts";
import { createSmokeAccount } from "./smoke-account.ts";

const usage = `Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--allow-mail]
       [--show] [--table <name>]
       npm run account -- <username> --remove-second-factor [--table <name> --mail-queue <url>]
       npm run account -- <username> --delete [--yes] [--table <name> --bucket <name>]
       npm run account -- <username> --keys [--revoke-key <id> | --revoke-keys] [--table <name>]
       npm run account -- <username> --smoke [--table <name>]
       npm run account -- --requests [--table <name>]
       npm run account -- <username> --accept-request | --decline-request "note" [--table <name> --mail-queue <url>]
       npm run account -- --forget-sender <id> [--table <name> --bucket <name>]
       npm run account -- --erase-again --table <name> --bucket <name>
       npm run account -- --list-names [--table <name>]

Shows an account after changing its tier, disabling or enabling it.
  --allow-mail     sends it mails again; "mail_withheld" says why it got none (SES has its own list of such addresses)
  --remove-second-factor
                   for an owner who has lost the phone and the recovery codes: check who the person is first; a mail to the
                   account reports it
  --delete         deletes the account with all its data, after a confirmation unless you add --yes; run it again
                   if it fails half-way
  --keys           shows its keys, after revoking one or all of them
  --requests       lists requests for a higher tier, the open ones first
  --accept-request, --decline-request
                   decides about the open request of an account: a Free account becomes Premium, or stays as it is; a mail
                   with the note goes to the account
  --smoke          creates an account for npm run smoke, and prints its password and key, which are not shown again
  --forget-sender  deletes the assistant's data about a person, by their phone number or the platform's user id
  --erase-again    after a restore: deletes the accounts and people again that were deleted before, with the credentials of an
                   administrator; it scans the table, which the operators' role may not
  --list-names     lets the search of /console/admin find accounts from before version 2.8 by the beginnings of their names;
                   needed once

Without --table it works on the local service's data; --delete, --forget-sender, --remove-second-factor and decisions need
the service to be running.
With --table it works on a deployed table, with your AWS credentials.`;

/** Who the audit log says has run this command. */
const operator: Operator = { command: userInfo().username };

/** The table with its repositories, and an account in it. @throws Error when there is none with the name. */
const openAccount = async (tableName: string, username: string, bucketName?: string) => {
  const table = openTable(tableName);
  const repositories = accountRepositories(table);
  const found = await repositories.accounts.find({ username });
  if (!found) throw new Error(`There is no account with the username ${username}.`);
  const acts = accountActs(operator, {
    ...repositories,
    table,
    eraseAccount: (account, signal, record) => {
      if (bucketName === undefined) throw new Error("Deleting an account needs the bucket.");
      return eraseAccount(account, { table, store: storeOf(bucketName) }, signal, record);
    },
  });
  return { ...repositories, table, found, acts };
};

const mailsOf = (queueUrl: string | undefined): MailQueue => {
  if (queueUrl === undefined) throw new Error("Mails need their queue.");
  return openMailQueue(queueUrl, readAwsConfig(process.env));
};

const change = async (
  tableName: string,
  { username, type, disabled, allowsMail, removesSecondFactor }: Change,
  mailQueueUrl?: string,
): Promise<object> => {
  const { accounts, withheldMail, found, acts } = await openAccount(tableName, username);
  if (type) await acts.changeTier(found, type);
  if (disabled !== undefined) await acts.setDisabled(found, disabled);
  if (allowsMail) await acts.allowMail(found);
  if (removesSecondFactor) {
    if (!(await acts.removeSecondFactor(found))) throw new Error(`${username} has no second factor.`);
    await mailsOf(mailQueueUrl).send({ kind: "second-factor-removed", userId: found.id });
  }
  const account = await accounts.find({ id: found.id });
  if (!account) throw new Error(`The account ${username} has just been deleted.`);
  return {
    ...toAccount(account),
    disabled: account.disabled,
    second_factor: account.has_second_factor,
    mail_withheld: (await withheldMail.find(account.email)) ?? null,
    created_at: account.created_at,
  };
};

const showKeys = async (tableName: string, { keysOf, revoked }: KeysOf): Promise<object> => {
  const { apiKeys, found: account, acts } = await openAccount(tableName, keysOf);
  if (revoked === "all") await acts.revokeKeys(account);
  else if (revoked && !(await acts.revokeKey(account, revoked.id))) {
    throw new Error(`${keysOf} has no key with the id ${revoked.id}.`);
  }
  return { username: account.username, ...(await listKeys(account.id, { apiKeys })) };
};

const askForName = async (username: string): Promise<void> => {
  process.stderr.write(`This cannot be undone. Type ${username} to delete the account: `);
  const terminal = createInterface({ input: process.stdin });
  let typed: string | undefined;
  terminal.once("line", (line) => {
    typed = line;
    terminal.close();
  });
  // It also closes at the end of the input.
  await once(terminal, "close");
  if (typed !== username) throw new Error("The username does not match. Nothing was deleted.");
};

const storeOf = (bucketName: string) =>
  createS3ObjectStore(openBucket(bucketName, readAwsConfig(process.env)));

const erase = async (tableName: string, bucketName: string, { deleted, isSure }: Deletion) => {
  const { found: account, acts } = await openAccount(tableName, deleted, bucketName);
  if (!isSure) await askForName(account.username);
  await acts.delete(account, new AbortController().signal);
  return { username: account.username, deleted: true };
};

const forget = async (tableName: string, bucketName: string, { sender }: Forgetting): Promise<object> => {
  const table = openTable(tableName);
  // Without the sender, whom nothing shall name afterwards.
  await createAuditLog(table).record(operator, { act: "forget-sender" });
  const deleted = await forgetSender(sender, { table, store: storeOf(bucketName) });
  if (deleted === 0) throw new Error(`There is no data about the sender ${sender}.`);
  return { sender, deleted_items: deleted };
};

const createSmoke = async (tableName: string, { smokeAccount }: SmokeAccount): Promise<object> => {
  const repositories = accountRepositories(openTable(tableName));
  await repositories.audit.record(operator, { act: "create-account" });
  return createSmokeAccount(smokeAccount, repositories);
};

const listNames = async (tableName: string): Promise<object> => {
  const table = openTable(tableName);
  const { accounts, audit } = accountRepositories(table);
  await audit.record(operator, { act: "list-names" });
  return { listed_accounts: await listEarlierNames(table, accounts) };
};

const decide = async (
  tableName: string,
  mailQueueUrl: string,
  { decidedFor, decision, note }: TierDecisionOf,
): Promise<object> => {
  const { audit, table, found } = await openAccount(tableName, decidedFor);
  const dependencies = {
    audit,
    tierRequests: createTierRequests(table),
    mailQueue: mailsOf(mailQueueUrl),
  };
  if (!(await decideTierRequest(operator, found, { decision, note }, dependencies))) {
    throw new Error(`${decidedFor} has no open request.`);
  }
  return { ...(await dependencies.tierRequests.find(found.id)) };
};

const listRequests = async (tableName: string): Promise<object> => ({
  requests: await createTierRequests(openTable(tableName)).list(),
});

/** As shells and GitHub's `gh secret set --env-file` read variables. */
const variableLines = (variables: object): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

await runCommandLine(usage, async (args) => {
  const { table, task } = readArguments(args);
  const execute = async (): Promise<object> => {
    if ("deleted" in task || "sender" in task) {
      const remove = (tableName: string, bucketName: string) =>
        "deleted" in task ? erase(tableName, bucketName, task) : forget(tableName, bucketName, task);
      return table && task.bucket ? remove(table, task.bucket) : withLocalStores(remove);
    }
    if ("decidedFor" in task || ("removesSecondFactor" in task && task.removesSecondFactor)) {
      const announced = (tableName: string, mailQueueUrl: string) =>
        "decidedFor" in task ? decide(tableName, mailQueueUrl, task) : change(tableName, task, mailQueueUrl);
      return table && task.mailQueue ? announced(table, task.mailQueue) : withLocalMails(announced);
    }
    const work = async (tableName: string): Promise<object> => {
      if ("erasesAgain" in task) return eraseAgain(tableName, storeOf(task.bucket), operator);
      if ("smokeAccount" in task) return createSmoke(tableName, task);
      if ("listsNames" in task) return listNames(tableName);
      if ("listed" in task) return listRequests(tableName);
      return "keysOf" in task ? showKeys(tableName, task) : change(tableName, task);
    };
    return table ? work(table) : withLocalTable(work);
  };
  const shown = await execute();
  process.stdout.write(
    "smokeAccount" in task ? variableLines(shown) : `${JSON.stringify(shown, undefined, 2)}\n`,
  );
});
