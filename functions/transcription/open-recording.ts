import {
  NotAudioError,
  UnreadableAudioError,
  UntrimmableAudioError,
} from "../../shared/audio/audio-errors.ts";
import {
  type AudioFacts,
  type AudioSource,
  bufferSource,
  inspectAudio,
} from "../../shared/audio/read-audio.ts";
import type { RequestContext } from "../../shared/auth/caller.ts";
import { AppError, ValidationError } from "../../shared/errors/app-error.ts";
import type { Recording } from "../../shared/inference/transcription.ts";
import { largestUploadBytes, type ObjectStore } from "../../shared/storage/object-store.ts";
import type { UploadsRepository } from "../../shared/uploads/uploads-repository.ts";
import { largestFileBytes, type TranscriptionForm } from "./contract.ts";

/** Where recordings come from besides the request itself. */
export interface RecordingDependencies {
  readonly uploads: Pick<UploadsRepository, "find">;
  readonly store: Pick<ObjectStore, "delete" | "open">;
}

/** A recording whose bytes have been looked at. */
export interface MeasuredRecording extends Recording, AudioFacts {
  /** Names the upload that it is, as it was when it was opened; absent for a file of a request. */
  readonly upload?: string | undefined;
}

/** What is wrong with the audio of a request's field, as the caller is told; any other failure stays as it is. */
export const audioFailure = (error: unknown, field: string): unknown => {
  if (error instanceof NotAudioError) {
    const msg = `Value error, ${error.message}`;
    return new ValidationError([{ loc: ["body", field], msg, type: "value_error" }]);
  }
  if (error instanceof UnreadableAudioError || error instanceof UntrimmableAudioError) {
    return new AppError("unreadable_audio", { message: error.message, param: field, cause: error.cause });
  }
  return error;
};

const measure = async (
  source: AudioSource,
  field: string,
  signal: AbortSignal,
): Promise<MeasuredRecording> => {
  try {
    return { source, ...(await inspectAudio(source, { signal })) };
  } catch (error) {
    throw audioFailure(error, field);
  }
};

/**
 * Opens a recording that came with the request.
 *
 * @param field in which the request has it.
 * @param wayRound what callers are told to do with a larger upload instead.
 * @throws as {@link openRecording} does.
 */
export const openFile = async (
  { content }: NonNullable<TranscriptionForm["audio"]>,
  signal: AbortSignal,
  { field = "audio", wayRound = "send its file_id instead" } = {},
): Promise<MeasuredRecording> => {
  if (content.length <= largestFileBytes) return measure(bufferSource(content), field, signal);
  throw new AppError("payload_too_large", {
    message:
      "The file is larger than 4.4 MB, the most that a request can carry: upload it through the link of " +
      `POST /tasks/generate-upload-url (up to 100 MB) and ${wayRound}.`,
    param: field,
  });
};

/**
 * Opens an upload of the caller's. One that is larger than uploads may be is removed.
 *
 * @param field in which the request names it.
 * @throws as {@link openRecording} does. What is unknown, expired or another account's looks the same, so that nobody
 * can find out which ids exist.
 */
export const openUpload = async (
  fileId: string,
  { userId, signal }: RequestContext,
  { uploads, store }: RecordingDependencies,
  field = "file_id",
): Promise<MeasuredRecording> => {
  const noUpload = (message: string) => new AppError("not_found", { message, param: field });
  const upload = await uploads.find(fileId.toLowerCase(), userId);
  if (!upload) throw noUpload("There is no such upload, or it has expired.");
  const object = await store.open(upload.objectKey);
  if (!object) throw noUpload(`Nothing has been uploaded through the link of this ${field} yet.`);
  if (object.size <= largestUploadBytes) {
    return {
      ...(await measure(object, field, signal)),
      upload: `${upload.objectKey} ${object.version ?? ""}`,
    };
  }
  // A link without a declared size takes any. What cannot be removed now goes with its folder's lifecycle.
  await store.delete(upload.objectKey).catch(() => undefined);
  throw new AppError("payload_too_large", {
    message: "The upload was larger than 100 MB, and has been removed; split the recording.",
    param: field,
  });
};

/**
 * Opens the recording of a request, which is in the request or an upload of the caller's.
 *
 * @param field in which the request has the file.
 * @throws ValidationError when it is not audio; AppError `unreadable_audio`, `payload_too_large`, `not_found` for an
 * upload that the caller may not use, or what the store throws.
 */
export const openRecording = async (
  { audio, file_id: fileId }: Pick<TranscriptionForm, "audio" | "file_id">,
  context: RequestContext,
  dependencies: RecordingDependencies,
  field = "audio",
): Promise<MeasuredRecording> => {
  if (audio) return openFile(audio, context.signal, { field });
  if (fileId === undefined) throw new Error("The contract asks for one of audio and file_id.");
  return openUpload(fileId, context, dependencies);
};
