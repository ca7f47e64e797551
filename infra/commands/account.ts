/**
 * The operator's command for accounts: shows one, changes its tier, disables or enables it, deletes it; and forgets people
 * who wrote to the assistant.
 *
 * Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--allow-mail] [--show]
 *        [--table <name>]
 *        npm run account -- <username> --delete [--yes] [--table <name> --bucket <name>]
 *        npm run account -- <username> --keys [--revoke-key <id> | --revoke-keys] [--table <name>]
 *        npm run account -- --forget-sender <id> [--table <name> --bucket <name>]
 *
 * An address from which a mail came back for good, or whose owner complained, gets none any more: `mail_withheld` says so, and
 * `--allow-mail` lifts it. SES keeps a list of its own.
 *
 * The second form deletes an account with everything of it, and asks for its name again unless it is told not to; called
 * again, it goes on where it failed. It works on the local service while that runs, or on a deployed table and bucket.
 *
 * The third form shows the keys of an account, without their secrets, which nobody has; it revokes one of them, or all.
 *
 * The fourth form deletes all that is known of a person on the messaging platform; the id is their phone number or the
 * platform's user id. Like the second, it works on the local service while that runs, or on a deployed table and bucket.
 *
 * Without `--table` the others work on the local service's data, whether the service runs or not; with it, on a deployed
 * table, with the AWS credentials of whoever calls.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { type AccountType, accountType, toAccount } from "../../shared/accounts/access/account.ts";
import { createWithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import { listKeys } from "../../shared/accounts/profile/manage-keys.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createApiKeysRepository } from "../../shared/accounts/repositories/api-keys-repository.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openBucket } from "../../shared/platform/storage/s3-calls.ts";
import { createS3ObjectStore } from "../../shared/platform/storage/s3-object-store.ts";
import { openTable } from "../../shared/platform/storage/table.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { withLocalStores, withLocalTable } from "../local/local-table.ts";
import { runCommandLine, UsageError } from "./command-line.ts";
import { forgetSender } from "./forget-sender.ts";

const usage =
  "Usage: npm run account -- <username> [--type Free|Premium|Admin] [--disable | --enable] [--allow-mail]\n" +
  "       [--show] [--table <name>]\n" +
  "       npm run account -- <username> --delete [--yes] [--table <name> --bucket <name>]\n" +
  "       npm run account -- <username> --keys [--revoke-key <id> | --revoke-keys] [--table <name>]\n" +
  "       npm run account -- --forget-sender <id> [--table <name> --bucket <name>]\n\n" +
  "Shows an account, changes its tier, disables or enables it, sends it mails again; deletes it with everything of it; shows and\n" +
  "revokes its keys; or forgets a person who wrote to the assistant.\n" +
  "It works on the local service's data, whether that runs or not; with --table on a deployed table.";

interface Change {
  readonly username: string;
  readonly type: AccountType | undefined;
  readonly disabled: boolean | undefined;
  /** Mails go to its address again, although one came back or was complained about. */
  readonly allowsMail: boolean;
}

interface Deletion {
  readonly deleted: string;
  /** Nobody is asked again. */
  readonly isSure: boolean;
  readonly bucket: string | undefined;
}

/** Its keys are shown; before that, one or all of them are revoked where that is asked for. */
interface KeysOf {
  readonly keysOf: string;
  readonly revoked: { readonly id: string } | "all" | undefined;
}

interface Forgetting {
  readonly sender: string;
  readonly bucket: string | undefined;
}

interface Wanted {
  readonly table: string | undefined;
  readonly task: Change | Deletion | Forgetting | KeysOf;
}

const readArguments = (args: string[]): Wanted => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      type: { type: "string" },
      disable: { type: "boolean" },
      enable: { type: "boolean" },
      "allow-mail": { type: "boolean" },
      show: { type: "boolean" },
      delete: { type: "boolean" },
      yes: { type: "boolean" },
      keys: { type: "boolean" },
      "revoke-key": { type: "string" },
      "revoke-keys": { type: "boolean" },
      bucket: { type: "string" },
      "forget-sender": { type: "string" },
      table: { type: "string" },
    },
  });
  const { table, "forget-sender": sender, ...options } = values;
  const [username, ...rest] = positionals;
  if (sender !== undefined) {
    const { bucket, ...others } = options;
    if (!sender || username || Object.keys(others).length > 0) {
      throw new UsageError("--forget-sender takes an id, and nothing else but --table and --bucket.");
    }
    if ((table === undefined) !== (bucket === undefined)) {
      throw new UsageError(
        "--forget-sender takes both --table and --bucket, or neither for the local service.",
      );
    }
    return { table, task: { sender, bucket } };
  }
  if (!username) throw new UsageError("Name the account.");
  if (rest.length > 0)
    throw new UsageError(`One account at a time: ${username} and ${rest.join(", ")} were named.`);
  const { keys, "revoke-key": id, "revoke-keys": isOfAll, ...unlikeKeys } = options;
  if (keys) {
    if (Object.keys(unlikeKeys).length > 0 || (id !== undefined && isOfAll)) {
      throw new UsageError("--keys goes with --revoke-key or --revoke-keys, and with --table.");
    }
    return {
      table,
      task: { keysOf: username, revoked: isOfAll ? "all" : id === undefined ? undefined : { id } },
    };
  }
  if (id !== undefined || isOfAll)
    throw new UsageError("--revoke-key and --revoke-keys go with --keys only.");
  const { delete: isDeletion, yes: isSure = false, bucket, ...changes } = unlikeKeys;
  if (isDeletion) {
    if (Object.keys(changes).length > 0) {
      throw new UsageError("--delete goes with --yes, --table and --bucket, and nothing else.");
    }
    if ((table === undefined) !== (bucket === undefined)) {
      throw new UsageError("--delete takes both --table and --bucket, or neither for the local service.");
    }
    return { table, task: { deleted: username, isSure, bucket } };
  }
  if (isSure || bucket !== undefined)
    throw new UsageError("--yes and --bucket go with --delete only, --bucket with --forget-sender too.");
  if (options.disable && options.enable) throw new UsageError("Either --disable or --enable, not both.");
  const type = accountType.optional().safeParse(options.type);
  if (!type.success) {
    throw new UsageError(
      `There is no account type ${options.type}; there are ${accountType.options.join(", ")}.`,
    );
  }
  const disabled = options.disable ? true : options.enable ? false : undefined;
  return { table, task: { username, type: type.data, disabled, allowsMail: options["allow-mail"] ?? false } };
};

/** Single items through the SDK, which also finds an operator's own credentials. */
const itemsOf = (tableName: string): Parameters<typeof createWithheldMail>[0] => {
  const { client, name: TableName } = openTable(tableName);
  return {
    read: async ({ Key }) =>
      (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item,
    put: async (Item) => void (await client.send(new PutCommand({ TableName, Item }))),
    delete: async (Key) => void (await client.send(new DeleteCommand({ TableName, Key }))),
  };
};

const change = async (
  tableName: string,
  { username, type, disabled, allowsMail }: Change,
): Promise<object> => {
  const accounts = createAccountsRepository(openTable(tableName));
  let account = await accounts.find({ username });
  if (!account) throw new Error(`There is no account with the username ${username}.`);
  if (type) account = await accounts.setAccountType(account.id, type);
  if (account && disabled !== undefined) account = await accounts.setDisabled(account.id, disabled);
  if (!account) throw new Error(`The account ${username} was deleted meanwhile.`);
  const withheldMail = createWithheldMail(itemsOf(tableName));
  if (allowsMail) await withheldMail.lift(account.email);
  return {
    ...toAccount(account),
    disabled: account.disabled,
    mail_withheld: (await withheldMail.find(account.email)) ?? null,
    created_at: account.created_at,
  };
};

const showKeys = async (tableName: string, { keysOf, revoked }: KeysOf): Promise<object> => {
  const table = openTable(tableName);
  const account = await createAccountsRepository(table).find({ username: keysOf });
  if (!account) throw new Error(`There is no account with the username ${keysOf}.`);
  const apiKeys = createApiKeysRepository(table);
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
  // Also when nobody is there to type anything.
  await once(terminal, "close");
  if (typed !== username) throw new Error("That is not the name. Nothing was deleted.");
};

const storeOf = (bucketName: string) =>
  createS3ObjectStore(openBucket(bucketName, readAwsConfig(process.env)));

const erase = async (tableName: string, bucketName: string, { deleted, isSure }: Deletion) => {
  const table = openTable(tableName);
  const account = await createAccountsRepository(table).find({ username: deleted });
  if (!account) throw new Error(`There is no account with the username ${deleted}.`);
  if (!isSure) await askForName(account.username);
  await eraseAccount(account, { table, store: storeOf(bucketName) }, new AbortController().signal);
  return { username: account.username, deleted: true };
};

const forget = async (tableName: string, bucketName: string, { sender }: Forgetting): Promise<object> => {
  const deleted = await forgetSender(sender, { table: openTable(tableName), store: storeOf(bucketName) });
  if (deleted === 0) throw new Error(`Nothing is known of the sender ${sender}.`);
  return { sender, deleted_items: deleted };
};

await runCommandLine(usage, async (args) => {
  const { table, task } = readArguments(args);
  const execute = async (): Promise<object> => {
    if ("deleted" in task || "sender" in task) {
      const removeIt = (tableName: string, bucketName: string) =>
        "deleted" in task ? erase(tableName, bucketName, task) : forget(tableName, bucketName, task);
      return table && task.bucket ? removeIt(table, task.bucket) : withLocalStores(removeIt);
    }
    const work = (tableName: string) =>
      "keysOf" in task ? showKeys(tableName, task) : change(tableName, task);
    return table ? work(table) : withLocalTable(work);
  };
  const shown = await execute();
  process.stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
});
