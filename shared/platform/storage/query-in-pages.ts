import * as z from "zod";
import type { Item, Table, TableQuery } from "./table.ts";

/** Few enough for the memory of any function, even if each item is as large as DynamoDB allows. */
const pageSize = 100;

const itemKey = z.object({ PK: z.string(), SK: z.string() });

/** Yields the items of a query, of which only a page is in memory. @param query.attributes if given, with `PK` and `SK`. */
export async function* queryInPages(
  table: Pick<Table, "query">,
  query: Omit<TableQuery, "after" | "limit">,
): AsyncIterable<Item> {
  for (let after: TableQuery["after"]; ; ) {
    const items = await table.query({ ...query, limit: pageSize, after });
    yield* items;
    const last = items.at(-1);
    if (!last || items.length < pageSize) return;
    after = itemKey.parse(last);
  }
}
