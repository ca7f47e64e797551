import * as z from "zod";
import { parseInput, validationError } from "./dynamodb-error.ts";
import type { JsonObject } from "./store.ts";

const action = z.record(z.string(), z.unknown());
const present = z.string("Member must not be null");

const upTo100 = <Element extends z.ZodType>(element: Element) =>
  z
    .array(element, "Member must not be null")
    .min(1, "Member must have length greater than or equal to 1")
    .max(100, "Member must have length less than or equal to 100");

const writeInput = z.object({
  TransactItems: upTo100(
    z.object({
      Put: action.optional(),
      Update: z.looseObject({ UpdateExpression: present }).optional(),
      Delete: action.optional(),
      ConditionCheck: z.looseObject({ ConditionExpression: present }).optional(),
    }),
  ),
  ClientRequestToken: z
    .string()
    .min(1, "Member must have length greater than or equal to 1")
    .max(36, "Member must have length less than or equal to 36")
    .optional(),
  ReturnConsumedCapacity: z.unknown().optional(),
});

const getInput = z.object({
  TransactItems: upTo100(z.object({ Get: action })),
  ReturnConsumedCapacity: z.unknown().optional(),
});

const kinds = ["Put", "Update", "Delete", "ConditionCheck"] as const;

export interface TransactionAction {
  readonly kind: (typeof kinds)[number];
  readonly input: JsonObject;
}

type TransactItem = z.output<typeof writeInput>["TransactItems"][number];

const soleAction = (item: TransactItem): TransactionAction => {
  const actions = kinds.flatMap((kind) => {
    const input = item[kind];
    return input ? [{ kind, input }] : [];
  });
  const [sole, ...others] = actions;
  if (sole && others.length === 0) return sole;
  throw validationError("TransactItems can only contain one of Check, Put, Update or Delete");
};

/** @throws {DynamoDbError} `ValidationException` when `input` is no TransactWriteItems request. */
export const parseTransactWrite = (input: JsonObject) => {
  const { TransactItems, ClientRequestToken, ReturnConsumedCapacity } = parseInput(writeInput, input);
  return {
    actions: TransactItems.map((item) => {
      const { kind, input: members } = soleAction(item);
      return { kind, input: { ...members, ReturnConsumedCapacity } };
    }),
    clientToken: ClientRequestToken,
  };
};

/** @throws {DynamoDbError} `ValidationException` when `input` is no TransactGetItems request. */
export const parseTransactGet = (input: JsonObject): JsonObject[] => {
  const { TransactItems, ReturnConsumedCapacity } = parseInput(getInput, input);
  return TransactItems.map(({ Get }) => ({ ...Get, ConsistentRead: true, ReturnConsumedCapacity }));
};
