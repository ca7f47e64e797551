import { randomUUID } from "node:crypto";
import { isLongerThan, trimAudio } from "../../shared/audio/read-audio.ts";
import type { Recording } from "../../shared/inference/transcription.ts";
import { transcriptionsFolder } from "../../shared/storage/folders.ts";
import type { ObjectStore } from "../../shared/storage/object-store.ts";
import {
  audioFailure,
  type MeasuredRecording,
  type RecordingContext,
} from "../transcription/open-recording.ts";

/** How much of a recording is transcribed (specification, Limits). */
const longestSeconds = 10 * 60;

/** A recording in the store, of which nothing is longer than is transcribed. */
export interface KeptRecording {
  readonly objectKey: string;
  readonly recording: Recording;
  readonly isTrimmed: boolean;
}

const newObjectKey = (userId: number, fileExtension: string): string =>
  `${transcriptionsFolder}${new Date().toISOString().slice(0, 10)}/${userId}/` +
  `${randomUUID().replaceAll("-", "")}.${fileExtension}`;

/**
 * Stores a recording, or its first ten minutes when it is longer, as it is encoded.
 *
 * @param field of the request that has the recording.
 * @throws AppError `unreadable_audio` when its encoding cannot be cut; what the store throws. Nothing stays stored then.
 */
export const keepRecording = async (
  measured: MeasuredRecording,
  field: string,
  { userId, signal }: RecordingContext,
  store: Pick<ObjectStore, "open" | "write">,
): Promise<KeptRecording> => {
  const objectKey = newObjectKey(userId, measured.fileExtension);
  const writer = store.write(objectKey, { contentType: measured.mediaType });
  try {
    for await (const piece of trimAudio(measured.source, measured, longestSeconds, { signal })) {
      await writer.write(piece);
    }
    await writer.complete();
  } catch (error) {
    throw audioFailure(error, field);
  } finally {
    await writer.abort();
  }
  if (!isLongerThan(measured, longestSeconds)) return { objectKey, recording: measured, isTrimmed: false };
  const source = await store.open(objectKey);
  if (!source) throw new Error("The recording that has just been stored is not there.");
  return { objectKey, recording: { ...measured, source }, isTrimmed: true };
};
