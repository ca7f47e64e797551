/**
 * The operator's command for accounts: shows one, changes its tier, disables or enables it; and forgets people who wrote
 * to the assistant.
 *
 * Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--show] [--table <name>]
 *        npm run account -- --forget-sender <id> [--table <name>]
 *
 * The second form deletes all that is known of a person on the messaging platform; the id is their phone number or the
 * platform's user id.
 *
 * Without `--table` it works on the local service's data, whether the service runs or not; with it, on a deployed
 * table, with the AWS credentials of whoever calls.
 */
import { parseArgs } from "node:util";
import { type AccountType, accountType, toAccount } from "../../shared/accounts/account.ts";
import { createAccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import { forgetSender } from "../../shared/messaging/forget-sender.ts";
import { openTable } from "../../shared/storage/table.ts";
import { withLocalTable } from "../local/local-table.ts";
import { runCommandLine, UsageError } from "./command-line.ts";

const usage =
  "Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--show] [--table <name>]\n" +
  "       npm run account -- --forget-sender <id> [--table <name>]\n\n" +
  "Shows an account, changes its tier, disables or enables it; or forgets a person who wrote to the assistant.\n" +
  "It works on the local service's data, whether that runs or not; with --table on a deployed table.";

interface Change {
  readonly username: string;
  readonly type: AccountType | undefined;
  readonly disabled: boolean | undefined;
}

interface Wanted {
  readonly table: string | undefined;
  readonly task: Change | { readonly sender: string };
}

const readArguments = (args: string[]): Wanted => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      type: { type: "string" },
      disable: { type: "boolean" },
      enable: { type: "boolean" },
      show: { type: "boolean" },
      "forget-sender": { type: "string" },
      table: { type: "string" },
    },
  });
  const { table, "forget-sender": sender, ...options } = values;
  const [username, ...rest] = positionals;
  if (sender && !username && Object.keys(options).length === 0) return { table, task: { sender } };
  if (sender !== undefined)
    throw new UsageError("--forget-sender takes an id, and nothing else but --table.");
  if (!username) throw new UsageError("Name the account.");
  if (rest.length > 0)
    throw new UsageError(`One account at a time: ${username} and ${rest.join(", ")} were named.`);
  if (options.disable && options.enable) throw new UsageError("Either --disable or --enable, not both.");
  const type = accountType.optional().safeParse(options.type);
  if (!type.success) {
    throw new UsageError(
      `There is no account type ${options.type}; there are ${accountType.options.join(", ")}.`,
    );
  }
  const disabled = options.disable ? true : options.enable ? false : undefined;
  return { table, task: { username, type: type.data, disabled } };
};

const change = async (tableName: string, { username, type, disabled }: Change): Promise<object> => {
  const accounts = createAccountsRepository(openTable(tableName));
  let account = await accounts.find({ username });
  if (!account) throw new Error(`There is no account with the username ${username}.`);
  if (type) account = await accounts.setAccountType(account.id, type);
  if (account && disabled !== undefined) account = await accounts.setDisabled(account.id, disabled);
  if (!account) throw new Error(`The account ${username} was deleted meanwhile.`);
  return { ...toAccount(account), disabled: account.disabled, created_at: account.created_at };
};

const forget = async (tableName: string, sender: string): Promise<object> => {
  const deleted = await forgetSender(openTable(tableName), sender);
  if (deleted === 0) throw new Error(`Nothing is known of the sender ${sender}.`);
  return { sender, deleted_items: deleted };
};

await runCommandLine(usage, async (args) => {
  const { table, task } = readArguments(args);
  const execute = (tableName: string) =>
    "sender" in task ? forget(tableName, task.sender) : change(tableName, task);
  const shown = table ? await execute(table) : await withLocalTable(execute);
  process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
});
