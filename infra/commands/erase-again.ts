import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Operator } from "../../shared/accounts/operators/audit-log.ts";
import { senderKeyPrefix } from "../../shared/messaging/keys.ts";
import { erasures } from "../../shared/platform/storage/erasures.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { openTable } from "../sdk-table.ts";
import { forgetSender } from "./forget-sender.ts";

const namesIn = async (store: Pick<ObjectStore, "list">, folder: string): Promise<Set<string>> => {
  const names = new Set<string>();
  for await (const { name } of store.list(folder)) names.add(name);
  return names;
};

/** The names of all people with data in the table. Nothing in the service may scan it. */
const sendersIn = async (tableName: string): Promise<Set<string>> => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const senders = new Set<string>();
  const pages = paginateScan(
    { client },
    {
      TableName: tableName,
      FilterExpression: "begins_with(PK, :prefix)",
      ExpressionAttributeValues: { ":prefix": senderKeyPrefix },
      ProjectionExpression: "PK",
    },
  );
  for await (const { Items = [] } of pages) {
    for (const { PK } of Items) senders.add(String(PK).slice(senderKeyPrefix.length));
  }
  client.destroy();
  return senders;
};

/**
 * Deletes what was deleted before, and has come back into the table with a backup: the accounts and people on the list that the bucket
 * keeps for as long as backups last.
 *
 * @returns how many of each there were.
 */
export const eraseAgain = async (
  tableName: string,
  store: Pick<ObjectStore, "delete" | "list" | "put">,
  operator: Operator,
): Promise<{ readonly erased_accounts: number; readonly forgotten_senders: number }> => {
  const table = openTable(tableName);
  const { accounts, audit } = accountRepositories(table);
  let erasedAccounts = 0;
  for (const name of await namesIn(store, erasures.accounts)) {
    const account = await accounts.find({ id: Number(name.slice(erasures.accounts.length)) });
    if (!account) continue;
    const record = audit.recordOf(operator, { act: "delete-account", accountId: account.id });
    await eraseAccount(account, { table, store }, new AbortController().signal, record);
    erasedAccounts += 1;
  }
  const forgotten = await namesIn(store, erasures.senders);
  const returned = [...(await sendersIn(tableName))].filter((name) => forgotten.has(erasures.sender(name)));
  for (const sender of returned) {
    await audit.record(operator, { act: "forget-sender" });
    await forgetSender(sender, { table, store });
  }
  return { erased_accounts: erasedAccounts, forgotten_senders: returned.length };
};
