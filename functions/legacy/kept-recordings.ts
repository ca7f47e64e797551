import { createHash } from "node:crypto";
import { isLongerThan, trimAudio } from "../../shared/audio/read-audio.ts";
import type { Recording } from "../../shared/models/inference/transcription.ts";
import { type ObjectStore, transcriptionsFolder } from "../../shared/platform/storage/object-store.ts";
import { audioFailure, type MeasuredRecording } from "../../shared/recordings/uploads/open-upload.ts";

/** How much of a recording is transcribed (specification, Limits). */
export const maxSeconds = 10 * 60;

/** A recording in the store, of which nothing is longer than is transcribed. */
interface StoredRecording {
  readonly recording: Recording;
  readonly isTrimmed: boolean;
}

/**
 * Where a recording is kept: in one place for each account, however often it is transcribed. An upload goes by what the store
 * says of it, so that one that has been replaced since is another recording, a file of a request by its bytes.
 */
export const recordingKey = async (
  { stored, source, fileExtension }: MeasuredRecording,
  userId: number,
): Promise<string> => {
  const name = createHash("sha256")
    .update(`${userId} `)
    .update(stored ? `${stored.key} ${stored.version}` : await source.read(0, source.size))
    .digest("hex")
    .slice(0, 32);
  return `${transcriptionsFolder}${name}.${fileExtension}`;
};

/**
 * Stores a recording, or its first ten minutes when it is longer, as it is encoded. An upload that was kept before is not
 * stored again: it is a day old at most. A file of a request may have been sent weeks ago, and is stored in the place of
 * itself, so that it stays as long as its newest transcription.
 *
 * @param objectKey its {@link recordingKey}.
 * @param field of the request that has the recording.
 * @throws AppError `unreadable_audio` when its encoding cannot be cut; what the store throws. Nothing stays stored then.
 */
export const keepRecording = async (
  measured: MeasuredRecording,
  objectKey: string,
  field: string,
  signal: AbortSignal,
  store: Pick<ObjectStore, "open" | "write">,
): Promise<StoredRecording> => {
  const isTrimmed = isLongerThan(measured, maxSeconds);
  const deletedAfter = measured.stored === undefined ? undefined : await store.open(objectKey);
  if (!deletedAfter) await copyRecording(measured, objectKey, field, signal, store);
  if (!isTrimmed) return { recording: measured, isTrimmed };
  const source = deletedAfter ?? (await store.open(objectKey));
  if (!source) throw new Error("The recording that has just been stored is not there.");
  return { recording: { ...measured, source }, isTrimmed };
};

const copyRecording = async (
  measured: MeasuredRecording,
  objectKey: string,
  field: string,
  signal: AbortSignal,
  store: Pick<ObjectStore, "write">,
): Promise<void> => {
  const writer = store.write(objectKey, { contentType: measured.mediaType });
  try {
    for await (const piece of trimAudio(measured.source, measured, maxSeconds, { signal })) {
      await writer.write(piece);
    }
    await writer.complete();
  } catch (error) {
    throw audioFailure(error, field);
  } finally {
    await writer.abort();
  }
};
