/** `npm run account`: the operator's command for accounts, and for people who wrote to the assistant. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { toAccount } from "../../shared/accounts/access/account.ts";
import { createWithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { listKeys } from "../../shared/accounts/profile/manage-keys.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openBucket } from "../../shared/platform/storage/s3-bucket.ts";
import { createS3ObjectStore } from "../../shared/platform/storage/s3-object-store.ts";
import { openTable } from "../../shared/platform/storage/sdk-table.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { withLocalStores, withLocalTable } from "../local/local-table.ts";
import {
  type Change,
  type Deletion,
  type Forgetting,
  type KeysOf,
  readArguments,
  type SmokeAccount,
} from "./account-arguments.ts";
import { runCommandLine } from "./command-line.ts";
import { forgetSender } from "./forget-sender.ts";
import { createSmokeAccount } from "./smoke-account.ts";

const usage = `Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--allow-mail]
       [--remove-second-factor] [--show] [--table <name>]
       npm run account -- <username> --delete [--yes] [--table <name> --bucket <name>]
       npm run account -- <username> --keys [--revoke-key <id> | --revoke-keys] [--table <name>]
       npm run account -- <username> --smoke [--table <name>]
       npm run account -- --forget-sender <id> [--table <name> --bucket <name>]

Shows an account after changing its tier, disabling or enabling it.
  --allow-mail     sends it mails again; "mail_withheld" says why it got none (SES has its own list of such addresses)
  --remove-second-factor
                   for an owner who has lost the phone and the recovery codes: check who the person is first
  --delete         deletes the account with all its data, after a confirmation unless you add --yes; run it again
                   if it fails half-way
  --keys           shows its keys, after revoking one or all of them
  --smoke          creates an account for npm run smoke, and prints its password and key, which are not shown again
  --forget-sender  deletes the assistant's data about a person, by their phone number or the platform's user id

Without --table it works on the local service's data; --delete and --forget-sender need the service to be running.
With --table it works on a deployed table, with your AWS credentials.`;

/** The table with its repositories, and an account in it. @throws Error when there is none with the name. */
const openAccount = async (tableName: string, username: string) => {
  const table = openTable(tableName);
  const repositories = accountRepositories(table);
  const found = await repositories.accounts.find({ username });
  if (!found) throw new Error(`There is no account with the username ${username}.`);
  return { ...repositories, table, found };
};

const change = async (
  tableName: string,
  { username, type, disabled, allowsMail, removesSecondFactor }: Change,
): Promise<object> => {
  const { accounts, table, found } = await openAccount(tableName, username);
  let account: typeof found | undefined = found;
  if (type) account = await accounts.setAccountType(account.id, type);
  if (account && disabled !== undefined) account = await accounts.setDisabled(account.id, disabled);
  if (removesSecondFactor) {
    if (!(await accounts.removeSecondFactor(found.id))) throw new Error(`${username} has no second factor.`);
    account = await accounts.find({ id: found.id });
  }
  if (!account) throw new Error(`The account ${username} has just been deleted.`);
  const withheldMail = createWithheldMail(table);
  if (allowsMail) await withheldMail.lift(account.email);
  return {
    ...toAccount(account),
    disabled: account.disabled,
    second_factor: account.has_second_factor,
    mail_withheld: (await withheldMail.find(account.email)) ?? null,
    created_at: account.created_at,
  };
};

const showKeys = async (tableName: string, { keysOf, revoked }: KeysOf): Promise<object> => {
  const { apiKeys, found: account } = await openAccount(tableName, keysOf);
  if (revoked === "all") await apiKeys.revokeAll(account.id);
  else if (revoked && !(await apiKeys.revoke(account.id, revoked.id))) {
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
  const { table, found: account } = await openAccount(tableName, deleted);
  if (!isSure) await askForName(account.username);
  await eraseAccount(account, { table, store: storeOf(bucketName) }, new AbortController().signal);
  return { username: account.username, deleted: true };
};

const forget = async (tableName: string, bucketName: string, { sender }: Forgetting): Promise<object> => {
  const deleted = await forgetSender(sender, { table: openTable(tableName), store: storeOf(bucketName) });
  if (deleted === 0) throw new Error(`There is no data about the sender ${sender}.`);
  return { sender, deleted_items: deleted };
};

const createSmoke = (tableName: string, { smokeAccount }: SmokeAccount): Promise<object> =>
  createSmokeAccount(smokeAccount, accountRepositories(openTable(tableName)));

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
    const work = async (tableName: string): Promise<object> => {
      if ("smokeAccount" in task) return createSmoke(tableName, task);
      return "keysOf" in task ? showKeys(tableName, task) : change(tableName, task);
    };
    return table ? work(table) : withLocalTable(work);
  };
  const shown = await execute();
  process.stdout.write(
    "smokeAccount" in task ? variableLines(shown) : `${JSON.stringify(shown, undefined, 2)}\n`,
  );
});
