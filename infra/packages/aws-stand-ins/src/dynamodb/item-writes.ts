import { isDynamoDbError } from "./dynamodb-error.ts";
import { type CheckedInput, checkInput, runChecked, runDynalite } from "./run-dynalite.ts";
import { type StagedWrites, stageWrites } from "./staged-writes.ts";
import type { JsonObject, Store } from "./store.ts";

export type ItemWrite = "PutItem" | "UpdateItem" | "DeleteItem";

/**
 * PutItem, UpdateItem or DeleteItem: the item and its index entries change together or not at all.
 *
 * @throws {DynamoDbError} with the stored item when the condition failed and the caller asked for it.
 */
export const writeItem = async (
  store: Store,
  operation: ItemWrite,
  input: JsonObject,
): Promise<JsonObject> => {
  const staged = stageWrites(store, (operations) => store.db.batch(operations));
  return withoutEmptyAttributes(await runStaged(staged, checkInput(operation, store, input)));
};

/**
 * BatchWriteItem. The writes share one database batch, so the caller must keep other writes out meanwhile: dynalite
 * releases the lock of each item before the batch is made.
 */
export const writeBatch = async (store: Store, input: JsonObject): Promise<JsonObject> => {
  const staged = stageWrites(store, async () => {});
  const result = await runDynalite("BatchWriteItem", staged.store, input);
  await store.db.batch(staged.operations);
  return result;
};

/**
 * Runs one write against staged writes.
 *
 * @throws {DynamoDbError} a failed condition carries `Item` when `ReturnValuesOnConditionCheckFailure` is `ALL_OLD`
 *   and there is one.
 */
export const runStaged = async (staged: StagedWrites, input: CheckedInput): Promise<JsonObject> => {
  try {
    return await runChecked(staged.store, input);
  } catch (error) {
    const item = staged.lastRead?.item;
    const isWanted = input.members["ReturnValuesOnConditionCheckFailure"] === "ALL_OLD";
    if (item && isWanted && isDynamoDbError(error, "ConditionalCheckFailedException")) {
      throw error.with({ Item: item });
    }
    throw error;
  }
};

/** DynamoDB leaves `Attributes` out where dynalite sends an empty object, as for UPDATED_OLD of new attributes. */
const withoutEmptyAttributes = (result: JsonObject): JsonObject => {
  const { Attributes, ...rest } = result;
  const isEmpty =
    typeof Attributes === "object" && Attributes !== null && Object.keys(Attributes).length === 0;
  return isEmpty ? rest : result;
};
