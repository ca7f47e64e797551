import { createHash } from "node:crypto";
import { isLongerThan, trimAudio } from "../../shared/audio/read-audio.ts";
import type { Recording } from "../../shared/models/inference/transcription.ts";
import { type ObjectStore, transcriptionsFolder } from "../../shared/platform/storage/object-store.ts";
import { audioFailure, type MeasuredRecording } from "../../shared/recordings/uploads/open-upload.ts";

/** The part of a recording that is transcribed (specification, Limits). */
export const maxSeconds = 10 * 60;

interface StoredRecording {
  readonly recording: Recording;
  readonly isTrimmed: boolean;
}

/**
 * Returns the object key of a recording: the same for an account, however often it is transcribed. It depends on the upload and its
 * version, so a replaced upload is another recording, or on the bytes of a file in the request.
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
 * Stores a recording, or the first ten minutes of a longer one, without encoding it again. An upload that is stored already is at
 * most a day old, so it is not stored again. A file of a request may be weeks old; storing it again restarts its lifetime.
 *
 * @param objectKey its {@link recordingKey}.
 * @param field the request's field with the recording.
 * @throws AppError `unreadable_audio` when its encoding cannot be cut; the store's errors. Nothing stays stored then.
 */
export const keepRecording = async (
  measured: MeasuredRecording,
  objectKey: string,
  field: string,
  signal: AbortSignal,
  store: Pick<ObjectStore, "open" | "write">,
): Promise<StoredRecording> => {
  const isTrimmed = isLongerThan(measured, maxSeconds);
  const existing = measured.stored === undefined ? undefined : await store.open(objectKey);
  if (!existing) await copyRecording(measured, objectKey, field, signal, store);
  if (!isTrimmed) return { recording: measured, isTrimmed };
  const source = existing ?? (await store.open(objectKey));
  if (!source) throw new Error("The recording that was just stored does not exist.");
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
