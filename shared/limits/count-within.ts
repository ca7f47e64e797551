import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Table } from "../storage/table.ts";

/** A counter of an item, and the value at which it stops. */
export interface Counter {
  readonly attribute: string;
  /** `undefined` for a counter that only counts. */
  readonly limit: number | undefined;
}

/** The numbers of an item; a counter that is not there has counted nothing yet. */
export type CounterValues = ReadonlyMap<string, number>;

/** The numbers of an item as the document client gives it. */
export const numbersOf = (item: Readonly<Record<string, unknown>> | undefined): CounterValues =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, value]) => (typeof value === "number" ? [[name, value]] : [])),
  );

const wireItem = z.record(z.string(), z.looseObject({ N: z.coerce.number().optional() }));

/** The numbers of the item that an error carries, in DynamoDB's own notation: the document client leaves errors alone. */
export const numbersOfFailure = ({ Item }: ConditionalCheckFailedException): CounterValues =>
  new Map(
    Object.entries(wireItem.parse(Item ?? {})).flatMap(([name, { N }]) =>
      N === undefined ? [] : [[name, N]],
    ),
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
  { client, name: TableName }: Table,
  Key: Readonly<Record<string, string>>,
  counters: readonly [Counter & { readonly limit: number }, ...Counter[]],
  expiresAt: number,
  signal: AbortSignal,
): Promise<{ readonly counted: boolean; readonly values: CounterValues }> => {
  try {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName,
        Key,
        ...conditionalAddition(counters, expiresAt),
        ReturnValues: "ALL_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
      { abortSignal: signal },
    );
    return { counted: true, values: numbersOf(Attributes) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { counted: false, values: numbersOfFailure(error) };
  }
};
