import { AwsError } from "../aws-protocol/aws-error.ts";
import { sqsError } from "./sqs-errors.ts";

const MAXIMUM_ENTRIES = 10;

interface BatchEntry {
  readonly Id: string;
}

const checkEntries = (entries: readonly BatchEntry[]): void => {
  if (entries.length === 0) {
    throw sqsError("EmptyBatchRequest", "There should be at least one entry in the batch request.");
  }
  if (entries.length > MAXIMUM_ENTRIES) {
    throw sqsError(
      "TooManyEntriesInBatchRequest",
      `Maximum number of entries per request are ${MAXIMUM_ENTRIES}. You have sent ${entries.length}.`,
    );
  }
  if (entries.some(({ Id }) => !/^[\w-]{1,80}$/.test(Id))) {
    throw sqsError(
      "InvalidBatchEntryId",
      "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.",
    );
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw sqsError("BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id.");
  }
};

/** Runs every entry by itself: a refused entry is reported under `Failed` and does not stop the others. */
export const runBatch = <Entry extends BatchEntry>(
  entries: readonly Entry[],
  run: (entry: Entry) => object,
): object => {
  checkEntries(entries);
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      failed.push({ Id: entry.Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  // As in SQS, an empty list is left out.
  return {
    ...(successful.length > 0 && { Successful: successful }),
    ...(failed.length > 0 && { Failed: failed }),
  };
};
