import type { Item, ItemTable } from "../storage/item-table.ts";

/** A counter of an item, and the value at which it stops. */
export interface Counter {
  readonly attribute: string;
  /** `undefined` for a counter that only counts. */
  readonly limit: number | undefined;
}

/** The numbers of an item; a counter that is not there has counted nothing yet. */
export type CounterValues = ReadonlyMap<string, number>;

/** The numbers of an item. */
export const numbersOf = (item: Item | undefined): CounterValues =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );

/** A write that raises all the counters, or none when one of them has reached its limit. */
const conditionalAddition = (counters: readonly Counter[], expiresAt: number) => {
  const limited = counters.flatMap(({ limit }, index) => (limit === undefined ? [] : [{ limit, index }]));
  return {
    UpdateExpression: `SET expires_at = :expires ADD ${counters.map((_, index) => `#c${index} :one`).join(", ")}`,
    ConditionExpression: limited
      .map(({ index }) => `(attribute_not_exists(#c${index}) OR #c${index} < :l${index})`)
      .join(" AND "),
    ExpressionAttributeNames: Object.fromEntries(
      counters.map(({ attribute }, index) => [`#c${index}`, attribute]),
    ),
    ExpressionAttributeValues: {
      ":one": 1,
      ":expires": expiresAt,
      ...Object.fromEntries(limited.map(({ limit, index }) => [`:l${index}`, limit])),
    },
  };
};

/**
 * Raises the counters of an item by one, all together, unless one of them has reached its limit: one atomic write.
 *
 * @param expiresAt Unix seconds after which the item may go.
 * @returns whether it counted, and all numbers of the item, after the write or as they stand in its way.
 */
export const countWithin = async (
  table: ItemTable,
  Key: Readonly<Record<string, string>>,
  counters: readonly [Counter & { readonly limit: number }, ...Counter[]],
  expiresAt: number,
  signal: AbortSignal,
): Promise<{ readonly counted: boolean; readonly values: CounterValues }> => {
  const { applied, item } = await table.update({ Key, ...conditionalAddition(counters, expiresAt) }, signal);
  return { counted: applied, values: numbersOf(item) };
};
