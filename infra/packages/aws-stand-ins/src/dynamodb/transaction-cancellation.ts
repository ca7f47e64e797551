import { type DynamoDbError, dynamoDbError, isDynamoDbError } from "./dynamodb-error.ts";
import type { JsonObject } from "./store.ts";

const conditionFailed = "ConditionalCheckFailedException";

/**
 * The reason for which an action cancels its transaction.
 *
 * What depends on stored data is a reason; an empty key value is refused before the transaction starts, and an
 * unknown table ends it as a whole (both seen on DynamoDB by the dynamodb-conformance suite).
 *
 * @throws the error itself when it is none.
 */
const asReason = (error: unknown): JsonObject => {
  if (isDynamoDbError(error, conditionFailed)) {
    return { Code: "ConditionalCheckFailed", Message: error.message, ...error.details };
  }
  if (isDynamoDbError(error, "ValidationException") && !error.message.includes("cannot contain an empty")) {
    return { Code: "ValidationError", Message: error.message };
  }
  throw error;
};

const cancelled = (reasons: readonly JsonObject[]): DynamoDbError =>
  dynamoDbError(
    "TransactionCanceledException",
    "Transaction cancelled, please refer cancellation reasons for specific reasons " +
      `[${reasons.map(({ Code }) => Code).join(", ")}]`,
    { CancellationReasons: reasons },
  );

/**
 * The results of all actions of a transaction, in their order.
 *
 * @throws {DynamoDbError} `TransactionCanceledException` with one reason for every action, `None` for those that
 *   would have succeeded, when at least one of them failed.
 */
export const resultsOrCancellation = async <Result>(
  actions: readonly Promise<Result>[],
): Promise<Result[]> => {
  const outcomes = await Promise.allSettled(actions);
  const results = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  if (results.length === outcomes.length) return results;
  throw cancelled(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? { Code: "None" } : asReason(outcome.reason))),
  );
};
