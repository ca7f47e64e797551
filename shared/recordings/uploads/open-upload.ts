import type { RequestContext } from "../../accounts/access/caller.ts";
import type { AudioReadOptions } from "../../audio/open-file.ts";
import { type AudioFacts, inspectAudio } from "../../audio/read-audio.ts";
import { NotAudioError, UnreadableAudioError } from "../../audio/reading/audio-errors.ts";
import type { Recording } from "../../models/inference/transcription.ts";
import { AppError, invalidField } from "../../platform/errors/app-error.ts";
import type { ByteSource } from "../../platform/outbound/byte-source.ts";
import { maxUndeclaredBytes, type ObjectStore } from "../../platform/storage/object-store.ts";
import type { Upload, UploadsRepository } from "./uploads-repository.ts";

/** The largest recording that one request transcribes, in bytes. Larger ones need a job. */
export const maxRecordingBytes = 100 * 1024 * 1024;

/** Where recordings come from besides the request itself. */
export interface RecordingDependencies {
  readonly uploads: Pick<UploadsRepository, "find">;
  readonly store: Pick<ObjectStore, "delete" | "open">;
}

/** A recording with its format and length. */
export interface MeasuredRecording extends Recording, AudioFacts {
  /** The upload and its version when it was opened; absent for a file in the request. */
  readonly stored?: { readonly key: string; readonly version: string } | undefined;
}

export interface UploadedRecording extends MeasuredRecording {
  readonly stored: { readonly key: string; readonly version: string };
}

/** Converts an audio error into one that names the request's field. Returns other errors unchanged. */
export const audioFailure = (error: unknown, field: string): unknown => {
  if (error instanceof NotAudioError) return invalidField(["body", field], error.message);
  if (error instanceof UnreadableAudioError) {
    return new AppError("unreadable_audio", { message: error.message, param: field, cause: error.cause });
  }
  return error;
};

/** Determines the format and length of a recording. @throws the errors of {@link audioFailure} for this field. */
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

/** A file that was uploaded through a link or in parts. */
export interface UploadedFile {
  readonly source: ByteSource;
  readonly upload: Upload;
  readonly stored: { readonly key: string; readonly version: string };
}

/**
 * Opens an upload of the account, of any type.
 *
 * @throws AppError `not_found` alike for unknown, expired and other accounts' uploads, so callers cannot discover ids; the store's
 * errors.
 */
export const openUploadedFile = async (
  fileId: string,
  userId: number,
  { uploads, store }: RecordingDependencies,
  field = "file_id",
): Promise<UploadedFile> => {
  const noUpload = (message: string) => new AppError("not_found", { message, param: field });
  const upload = await uploads.find(fileId.toLowerCase(), userId);
  if (!upload) throw noUpload("There is no such upload, or it has expired.");
  const source = await store.open(upload.objectKey);
  if (!source) throw noUpload(`Nothing has been uploaded to this ${field} yet.`);
  return { source, upload, stored: { key: upload.objectKey, version: source.version ?? "" } };
};

/**
 * Opens an uploaded recording of the account. An upload without a declared size is removed when it is too large.
 *
 * @param options.field the request's field with the id.
 * @param options.largestBytes the limit of an upload with a declared size; by default that of one request.
 * @throws ValidationError when it is not audio; AppError `unreadable_audio`, `payload_too_large`; the errors of
 * {@link openUploadedFile}.
 */
export const openUpload = async (
  fileId: string,
  { userId, signal }: RequestContext,
  dependencies: RecordingDependencies,
  {
    field = "file_id",
    budget,
    maxBytes = maxRecordingBytes,
  }: { readonly field?: string; readonly maxBytes?: number } & Partial<Pick<AudioReadOptions, "budget">> = {},
): Promise<UploadedRecording> => {
  const tooLarge = (message: string) => new AppError("payload_too_large", { message, param: field });
  const { source, upload, stored } = await openUploadedFile(fileId, userId, dependencies, field);
  if (source.size <= (upload.size === undefined ? maxUndeclaredBytes : maxBytes)) {
    return { ...(await measureRecording(source, field, { signal, budget })), stored };
  }
  if (upload.size !== undefined) {
    throw tooLarge(
      "The upload is larger than 100 MB, the limit of one request. Use POST /tasks/jobs instead.",
    );
  }
  // The link accepted any size. If this fails, the bucket's lifecycle rule removes the file.
  await dependencies.store.delete(stored.key).catch(() => undefined);
  throw tooLarge(
    "The upload was larger than 100 MB and has been removed. Split the recording, or upload it again with its `size` " +
      "(up to 500 MB) and use POST /tasks/jobs.",
  );
};
