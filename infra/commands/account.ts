/**
 * The operator's command for accounts: shows one, changes its tier, disables or enables it.
 *
 * Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--show] [--table <name>]
 *
 * Without `--table` it works on the local service's data, whether the service runs or not; with it, on a deployed
 * table, with the AWS credentials of whoever calls.
 */
import { parseArgs } from "node:util";
import { type AccountType, accountType } from "../../shared/accounts/account.ts";
import {
  type AccountItem,
  createAccountsRepository,
  toAccount,
} from "../../shared/accounts/accounts-repository.ts";
import { openTable } from "../../shared/storage/table.ts";
import { withLocalTable } from "../local/service/local-table.ts";

const usage =
  "Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--show] [--table <name>]";

interface Change {
  readonly username: string;
  readonly type: AccountType | undefined;
  readonly disabled: boolean | undefined;
}

const readArguments = (args: string[]): Change & { readonly table: string | undefined } => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      type: { type: "string" },
      disable: { type: "boolean" },
      enable: { type: "boolean" },
      show: { type: "boolean" },
      table: { type: "string" },
    },
  });
  const [username, ...rest] = positionals;
  const type = accountType.optional().safeParse(values.type);
  if (!username || rest.length > 0 || !type.success || (values.disable && values.enable))
    throw new Error(usage);
  return {
    username,
    type: type.data,
    disabled: values.disable ? true : values.enable ? false : undefined,
    table: values.table,
  };
};

const change = async (tableName: string, { username, type, disabled }: Change): Promise<AccountItem> => {
  const accounts = createAccountsRepository(openTable(tableName));
  let account = await accounts.findByUsername(username);
  if (!account) throw new Error(`There is no account with the username ${username}.`);
  if (type) account = await accounts.setAccountType(account.id, type);
  if (account && disabled !== undefined) account = await accounts.setDisabled(account.id, disabled);
  if (!account) throw new Error(`The account ${username} was deleted meanwhile.`);
  return account;
};

try {
  const { table, ...wanted } = readArguments(process.argv.slice(2));
  const account = table
    ? await change(table, wanted)
    : await withLocalTable((tableName) => change(tableName, wanted));
  const shown = { ...toAccount(account), disabled: account.disabled, created_at: account.created_at };
  process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
