import type { RequestContext } from "../../accounts/access/caller.ts";
import type { AudioReadOptions } from "../../audio/open-file.ts";
import { type AudioFacts, inspectAudio } from "../../audio/read-audio.ts";
import {
  NotAudioError,
  UnreadableAudioError,
  UntrimmableAudioError,
} from "../../audio/reading/audio-errors.ts";
import type { Recording } from "../../models/inference/transcription.ts";
import { AppError, ValidationError } from "../../platform/errors/app-error.ts";
import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import { maxUndeclaredBytes, type ObjectStore } from "../../platform/storage/object-store.ts";
import type { UploadsRepository } from "./uploads-repository.ts";

/** The largest recording that one request transcribes, in bytes; larger ones are for jobs. */
export const maxRecordingBytes = 100 * 1024 * 1024;

/** Where recordings come from besides the request itself. */
export interface RecordingDependencies {
  readonly uploads: Pick<UploadsRepository, "find">;
  readonly store: Pick<ObjectStore, "delete" | "open">;
}

/** A recording whose bytes have been looked at. */
export interface MeasuredRecording extends Recording, AudioFacts {
  /** The upload that it is, and its version when it was opened; absent for a file of a request. */
  readonly stored?: { readonly key: string; readonly version: string } | undefined;
}

/** A recording that is an upload. */
export interface UploadedRecording extends MeasuredRecording {
  readonly stored: { readonly key: string; readonly version: string };
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

/** Finds out what a recording is. @throws as {@link audioFailure} says, for the request's field. */
export const measureRecording = async (
  source: ByteSource,
  field: string,
  options: AudioReadOptions,
): Promise<MeasuredRecording> => {
  try {
    return { source, ...(await inspectAudio(source, options)) };
  } catch (error) {
    throw audioFailure(error, field);
  }
};

/**
 * Opens an upload of the caller's. One whose size nobody has declared is removed when it is larger than such uploads may be.
 *
 * @param options.field in which the request names it.
 * @param options.largestBytes of an upload with a declared size: by default what a request transcribes.
 * @throws ValidationError when it is not audio; AppError `unreadable_audio`, `payload_too_large`, `not_found`, or what the store
 * throws. What is unknown, expired or another account's looks the same, so that nobody
 * can find out which ids exist.
 */
export const openUpload = async (
  fileId: string,
  { userId, signal }: RequestContext,
  { uploads, store }: RecordingDependencies,
  {
    field = "file_id",
    budget,
    maxBytes = maxRecordingBytes,
  }: { readonly field?: string; readonly maxBytes?: number } & Partial<Pick<AudioReadOptions, "budget">> = {},
): Promise<UploadedRecording> => {
  const noUpload = (message: string) => new AppError("not_found", { message, param: field });
  const tooLarge = (message: string) => new AppError("payload_too_large", { message, param: field });
  const upload = await uploads.find(fileId.toLowerCase(), userId);
  if (!upload) throw noUpload("There is no such upload, or it has expired.");
  const object = await store.open(upload.objectKey);
  if (!object) throw noUpload(`Nothing has been uploaded through the link of this ${field} yet.`);
  if (object.size <= (upload.size === undefined ? maxUndeclaredBytes : maxBytes)) {
    return {
      ...(await measureRecording(object, field, { signal, budget })),
      stored: { key: upload.objectKey, version: object.version ?? "" },
    };
  }
  if (upload.size !== undefined) {
    throw tooLarge(
      "The upload is larger than the 100 MB that one request transcribes: give it to POST /tasks/jobs.",
    );
  }
  // A link without a declared size takes any. What cannot be removed now goes with its folder's lifecycle.
  await store.delete(upload.objectKey).catch(() => undefined);
  throw tooLarge(
    "The upload was larger than 100 MB, and has been removed: split the recording, or say its `size` when you upload it again " +
      "(up to 500 MB) and give it to POST /tasks/jobs.",
  );
};
