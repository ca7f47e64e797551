import { forgetSenderData } from "../../shared/messaging/sender-data.ts";
import { erasures, noteErasure } from "../../shared/platform/storage/erasures.ts";
import { type ObjectStore, voiceNotesFolder } from "../../shared/platform/storage/object-store.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { assistantId, jobKeys, jobObjects } from "../../shared/recordings/jobs/keys.ts";

/** The stores of people's data. */
export interface ForgettingStores {
  readonly table: Table;
  readonly store: Pick<ObjectStore, "delete" | "list" | "put">;
}

/** Deletes a job and its files. The worker skips a deleted job. */
const forgetRecording = async (jobId: string, { table, store }: ForgettingStores): Promise<void> => {
  const name = { userId: assistantId, jobId };
  await table.deleteAll([jobKeys.waiting(name), jobKeys.job(name)]);
  for await (const object of store.list(jobObjects.folder(name))) await store.delete(object.name);
  await store.delete(`${voiceNotesFolder}${jobId}`);
};

/**
 * Deletes the assistant's data about a person, with the long recording in transcription.
 *
 * @param sender the person's id or phone number on the platform.
 * @returns how many items were deleted; 0 when there were none.
 */
export const forgetSender = async (sender: string, stores: ForgettingStores): Promise<number> => {
  await noteErasure(stores.store, erasures.sender(sender));
  return forgetSenderData([sender], {
    table: stores.table,
    forgetRecording: (jobId) => forgetRecording(jobId, stores),
  });
};
