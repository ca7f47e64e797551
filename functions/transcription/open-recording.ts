import type { RequestContext } from "../../shared/accounts/access/caller.ts";
import { bufferSource } from "../../shared/audio/read-audio.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import {
  type MeasuredRecording,
  measureRecording,
  openUpload,
  type RecordingDependencies,
} from "../../shared/recordings/uploads/open-upload.ts";
import { maxFileBytes, type TranscriptionForm } from "./contract.ts";

/**
 * Opens a recording that came with the request. @throws as {@link openRecording} does.
 * @param field the request's field with the recording.
 * @param alternative what the caller can do with a larger file.
 */
export const openFile = async (
  { content }: NonNullable<TranscriptionForm["audio"]>,
  signal: AbortSignal,
  { field = "audio", alternative = "send its file_id instead" } = {},
): Promise<MeasuredRecording> => {
  if (content.length <= maxFileBytes) return measureRecording(bufferSource(content), field, { signal });
  throw new AppError("payload_too_large", {
    message:
      "The file is larger than 4.4 MB, the limit of a request: upload it through the link of " +
      `POST /tasks/generate-upload-url (up to 100 MB) and ${alternative}.`,
    param: field,
  });
};

/**
 * Opens the recording of a request: in the request, or an upload of the caller's.
 * @param field the request's field with the file.
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
  if (fileId === undefined) throw new Error("The contract requires one of audio and file_id.");
  return openUpload(fileId, context, dependencies);
};
