import type { ItemUpdate } from "../../platform/storage/table.ts";

/** An update that adds to numbers, in parts, so more additions can join it. */
export interface CounterUpdate extends Omit<ItemUpdate, "UpdateExpression"> {
  /** The clauses before `ADD`, such as `SET expires_at = :expires`. */
  readonly clauses?: string;
  /** The operands of `ADD`, such as `#m :one`. */
  readonly additions: readonly string[];
}

/** Amounts to add to an item's numbers, by attribute. */
export type Additions = ReadonlyMap<string, number>;

/** An update as DynamoDB takes it. */
export const toUpdate = ({ clauses = "", additions, ...update }: CounterUpdate): ItemUpdate => ({
  ...update,
  UpdateExpression: additions.length === 0 ? clauses : `${clauses} ADD ${additions.join(", ")}`.trim(),
});

/** An update that also adds these amounts. */
export const withAdditions = (update: CounterUpdate, amounts: Additions | undefined): CounterUpdate => {
  if (!amounts || amounts.size === 0) return update;
  const entries = Array.from(amounts);
  return {
    ...update,
    additions: [...update.additions, ...entries.map((_, index) => `#u${index} :u${index}`)],
    ExpressionAttributeNames: {
      ...update.ExpressionAttributeNames,
      ...Object.fromEntries(entries.map(([name], index) => [`#u${index}`, name])),
    },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ...Object.fromEntries(entries.map(([, amount], index) => [`:u${index}`, amount])),
    },
  };
};
