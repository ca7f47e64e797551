import * as z from "zod";
import type { Table, WriteCondition } from "../../platform/storage/table.ts";
import type { StoredAccount } from "../access/account.ts";
import { accountKeys } from "../access/keys.ts";
import { type AccountsRepository, listedNames } from "../repositories/accounts-repository.ts";

/** Some accounts, and where the next ones start. */
export interface FoundAccounts {
  readonly accounts: readonly StoredAccount[];
  /** `undefined` when there are no more. */
  readonly next: string | undefined;
}

interface SearchDependencies {
  readonly table: Pick<Table, "query" | "read">;
  readonly accounts: Pick<AccountsRepository, "find">;
}

/** Ids of deleted accounts are not used again, so a page may read some for nothing, but no more than this. */
const maxIdsRead = 200;

const isListable: WriteCondition = {
  ConditionExpression: "attribute_exists(PK) AND attribute_not_exists(deletion_began)",
};

const counterItem = z.object({ value: z.int() });
const listedItem = z.object({ SK: z.string(), user_id: z.int() });

const lists = ["username", "email"] as const;
type List = (typeof lists)[number];

const keyOf: Readonly<Record<List, (name: string) => { readonly PK: string; readonly SK: string }>> = {
  username: accountKeys.listedUsername,
  email: accountKeys.listedEmail,
};

const cursor = z
  .string()
  .regex(/^(?:username|email):/)
  .transform((text) => ({
    list: z.enum(lists).parse(text.slice(0, text.indexOf(":"))),
    after: text.slice(text.indexOf(":") + 1) || undefined,
  }));

/** @returns the accounts that exist, in the order of the ids. */
const findAll = async (
  ids: readonly number[],
  { accounts }: Pick<SearchDependencies, "accounts">,
): Promise<StoredAccount[]> =>
  (await Promise.all(ids.map((id) => accounts.find({ id })))).filter((found) => found !== undefined);

/**
 * Lists accounts, the newest first. Ids are numbers in a row, so this needs no index.
 *
 * @param before only accounts with a lower id.
 */
export const listAccounts = async (
  limit: number,
  before: number | undefined,
  dependencies: SearchDependencies,
): Promise<FoundAccounts> => {
  const counter = await dependencies.table.read({ Key: accountKeys.idCounter() });
  const last = counter ? counterItem.parse(counter).value : 0;
  let id = Math.min(before ?? last + 1, last + 1) - 1;
  const found: StoredAccount[] = [];
  const lowest = Math.max(0, id - maxIdsRead);
  while (id > lowest && found.length < limit) {
    const ids = Array.from({ length: Math.min(limit - found.length, id - lowest) }, (_, index) => id - index);
    for (const account of await findAll(ids, dependencies)) found.push(account);
    id -= ids.length;
  }
  return { accounts: found, next: id > 0 ? String(id + 1) : undefined };
};

/** Entries of a list whose names start with a text. */
const namesIn = async (
  list: List,
  start: string,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
  { table }: SearchDependencies,
) => {
  if (limit === 0) return { shown: [], next: `${list}:` };
  const { PK: partition, SK: beginsWith } = keyOf[list](start);
  const position = after === undefined ? undefined : keyOf[list](after);
  const items = await table.query({ partition, beginsWith, limit: limit + 1, after: position });
  const found = items.map((item) => listedItem.parse(item));
  const shown = found.slice(0, limit);
  return { shown, next: found.length > limit ? `${list}:${shown.at(-1)?.SK}` : undefined };
};

/**
 * Lists the names of accounts that earlier versions created. Repeating it does no harm.
 *
 * @returns how many accounts there are.
 */
export const listEarlierNames = async (
  table: Pick<Table, "read" | "transact">,
  accounts: Pick<AccountsRepository, "find">,
): Promise<number> => {
  const counter = await table.read({ Key: accountKeys.idCounter() });
  const last = counter ? counterItem.parse(counter).value : 0;
  let count = 0;
  for (let id = 1; id <= last; id += 1) {
    const account = await accounts.find({ id });
    if (!account) continue;
    // Not when it is deleted meanwhile: nothing would remove the entries.
    const check = { check: accountKeys.access(id), condition: isListable };
    if ((await table.transact([check, ...listedNames(account)])).applied) count += 1;
  }
  return count;
};

const startsWith = (name: string, text: string): boolean => name.toLowerCase().startsWith(text.toLowerCase());

/** Accounts whose whole id, username or address is the text; those that no list has yet are found too. */
const findExactly = async (text: string, { accounts }: SearchDependencies): Promise<StoredAccount[]> => {
  const found = await Promise.all([
    /^[1-9]\d{0,14}$/.test(text) ? accounts.find({ id: Number(text) }) : undefined,
    accounts.find({ username: text }),
    accounts.find({ email: text }),
  ]);
  const byId = new Map(found.flatMap((account) => (account ? [[account.id, account] as const] : [])));
  return [...byId.values()];
};

/**
 * Finds accounts: those whose id, username or address is the text, then those whose username starts with it, then those
 * whose address does.
 *
 * @param position where the page starts, as `next` of the page before.
 */
export const searchAccounts = async (
  text: string,
  { limit, position }: { readonly limit: number; readonly position: string | undefined },
  dependencies: SearchDependencies,
): Promise<FoundAccounts> => {
  const { list: first, after } = cursor.safeParse(position).data ?? { list: "username", after: undefined };
  const exact = position === undefined ? await findExactly(text, dependencies) : [];
  const isShown = new Set(exact.map(({ id }) => id));
  const found = [...exact];
  let left = limit;
  let next: string | undefined;
  for (const list of lists.slice(lists.indexOf(first))) {
    const start = list === first ? after : undefined;
    const names = await namesIn(list, text, { limit: left, after: start }, dependencies);
    const ids = names.shown.map(({ user_id: id }) => id).filter((id) => !isShown.has(id));
    const listed = await findAll(ids, dependencies);
    // The first list has all accounts whose usernames start with the text.
    for (const account of listed) {
      if (list === "username" || !startsWith(account.username, text)) found.push(account);
    }
    left -= names.shown.length;
    next = names.next;
    if (next !== undefined) break;
  }
  return { accounts: found, next };
};
