import { createRequire } from "node:module";
import * as z from "zod";
import { DynamoDbError } from "./dynamodb-error.ts";
import type { Callback } from "./level.ts";
import type { JsonObject, Store } from "./store.ts";

/** The operations of the DynamoDB API that dynalite runs alone. */
export const dynaliteOperations = [
  "BatchGetItem",
  "BatchWriteItem",
  "CreateTable",
  "DeleteItem",
  "DeleteTable",
  "DescribeTable",
  "GetItem",
  "ListTables",
  "ListTagsOfResource",
  "PutItem",
  "Query",
  "Scan",
  "TagResource",
  "UntagResource",
  "UpdateItem",
  "UpdateTable",
] as const;

export type DynaliteOperation = (typeof dynaliteOperations)[number];

interface Validations {
  checkTypes(input: JsonObject, types: JsonObject): JsonObject;
  checkValidations(input: JsonObject, types: JsonObject, custom: unknown, store: Store): void;
}

interface OperationModules {
  readonly action: (store: Store, input: JsonObject, callback: Callback<JsonObject>) => void;
  readonly types: JsonObject;
  readonly custom: unknown;
}

const require = createRequire(import.meta.url);
const validations: Validations = require("dynalite/validations/index.js");

const load = (operation: DynaliteOperation): OperationModules => {
  const file = `${operation.charAt(0).toLowerCase()}${operation.slice(1)}.js`;
  const { types, custom }: Omit<OperationModules, "action"> = require(`dynalite/validations/${file}`);
  return { action: require(`dynalite/actions/${file}`), types: withConditionFailureValues(types), custom };
};

/** dynalite drops members it does not know, so a wrong value of this one would pass without notice. */
const withConditionFailureValues = (types: JsonObject): JsonObject =>
  "ConditionExpression" in types
    ? { ...types, ReturnValuesOnConditionCheckFailure: { type: "String", enum: ["ALL_OLD", "NONE"] } }
    : types;

const loaded = new Map<DynaliteOperation, OperationModules>();

const modulesOf = (operation: DynaliteOperation): OperationModules => {
  const modules = loaded.get(operation) ?? load(operation);
  loaded.set(operation, modules);
  return modules;
};

const failure = z.object({
  statusCode: z.number(),
  body: z.object({ __type: z.string(), message: z.string().optional(), Message: z.string().optional() }),
});

const asDynamoDbError = (error: unknown): unknown => {
  const parsed = failure.safeParse(error);
  if (!parsed.success) return error;
  const { __type, message, Message } = parsed.data.body;
  return new DynamoDbError(__type, message ?? Message ?? "");
};

/** The input of an operation after its static validation: types, lengths, syntax of expressions. */
export interface CheckedInput {
  readonly operation: DynaliteOperation;
  readonly members: JsonObject;
}

/**
 * Validates an input as far as that is possible without stored data. This consumes it: dynalite removes unknown
 * members from it.
 *
 *
 * @throws {DynamoDbError} DynamoDB's own error.
 */
export const checkInput = (operation: DynaliteOperation, store: Store, input: JsonObject): CheckedInput => {
  const { types, custom } = modulesOf(operation);
  try {
    const members = validations.checkTypes(input, types);
    validations.checkValidations(members, types, custom, store);
    return { operation, members };
  } catch (error) {
    throw asDynamoDbError(error);
  }
};

/**
 * Runs one operation on `store`.
 *
 *
 * @throws {DynamoDbError} DynamoDB's own error; any other error is a failure of the storage.
 */
export const runChecked = (store: Store, { operation, members }: CheckedInput): Promise<JsonObject> =>
  new Promise((resolve, reject) => {
    modulesOf(operation).action(store, members, (error, result) =>
      error ? reject(asDynamoDbError(error)) : resolve(result ?? {}),
    );
  });

/** {@link checkInput} and {@link runChecked} in one. */
export const runDynalite = async (
  operation: DynaliteOperation,
  store: Store,
  input: JsonObject,
): Promise<JsonObject> => runChecked(store, checkInput(operation, store, input));
