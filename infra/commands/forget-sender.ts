import * as z from "zod";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { type ObjectStore, voiceNotesFolder } from "../../shared/platform/storage/object-store.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { assistantId, jobKeys, jobObjects } from "../../shared/recordings/jobs/keys.ts";

const storedItem = z.object({
  PK: z.string(),
  SK: z.string(),
  alias_of: z.string().optional(),
  long_recording: z.object({ job_id: z.string() }).optional(),
});

/** The stores of people's data. */
export interface ForgettingDependencies {
  readonly table: Table;
  readonly store: Pick<ObjectStore, "delete" | "list">;
}

/** Deletes a job and its files. The worker skips a deleted job. */
const forgetRecording = async (jobId: string, { table, store }: ForgettingDependencies): Promise<void> => {
  const name = { userId: assistantId, jobId };
  await table.deleteAll([jobKeys.waiting(name), jobKeys.job(name)]);
  for await (const object of store.list(jobObjects.folder(name))) await store.delete(object);
  await store.delete(`${voiceNotesFolder}${jobId}`);
};

/**
 * Deletes the assistant's data about a person: preferences, memory, ratings, records of messages, and the long recording in
 * transcription.
 *
 * @param sender the person's id or phone number on the platform.
 * @returns how many items were deleted; 0 when there were none.
 */
export const forgetSender = async (sender: string, dependencies: ForgettingDependencies): Promise<number> => {
  const { table } = dependencies;
  const found = await table.query({
    partition: messagingKeys.sender(sender),
    attributes: ["PK", "SK", "alias_of", "long_recording"],
  });
  const items = found.map((item) => storedItem.parse(item));

  // The person's other id first: if this fails half-way, the number still leads to the rest. So does the conversation.
  const target = items.find(({ alias_of }) => alias_of !== undefined)?.alias_of;
  const ofTarget = target === undefined ? 0 : await forgetSender(target, dependencies);
  const recording = items.find(({ long_recording }) => long_recording !== undefined)?.long_recording;
  if (recording) await forgetRecording(recording.job_id, dependencies);
  await table.deleteAll(items);
  return items.length + ofTarget;
};
