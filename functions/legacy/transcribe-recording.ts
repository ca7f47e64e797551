import type { RequestContext } from "../../shared/accounts/access/caller.ts";
import { ReplyWithHeaders } from "../../shared/http/response.ts";
import type { Transcriber, Transcription } from "../../shared/models/inference/transcription.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { countAudio } from "../../shared/platform/telemetry/use.ts";
import {
  type MeasuredRecording,
  openUpload,
  type RecordingDependencies,
} from "../../shared/recordings/uploads/open-upload.ts";
import { formatDiarization } from "./format-diarization.ts";
import { keepRecording, maxSeconds, recordingKey } from "./kept-recordings.ts";
import type { SavedTranscriptions } from "./saved-transcriptions.ts";
import type { LegacyTranscription } from "./transcription-contract.ts";

/** Everything that the transcriptions of version 1 touch. */
export interface LegacyTranscriptionDependencies extends RecordingDependencies {
  readonly transcriber: Transcriber;
  readonly store: Pick<ObjectStore, "delete" | "open" | "write">;
  readonly saved: SavedTranscriptions;
}

/** What callers of version 1 choose. */
export interface TranscriptionChoices {
  readonly language?: string | undefined;
  readonly adapter?: string | undefined;
  readonly recognise_speakers: boolean;
}

const toReply = (
  transcription: Transcription,
  withSpeakers: boolean,
  more: Partial<LegacyTranscription> = {},
): ReplyWithHeaders<LegacyTranscription> => {
  const diarization = withSpeakers ? formatDiarization(transcription) : undefined;
  const body: LegacyTranscription = {
    audio_transcription: transcription.text,
    diarization_output: diarization?.diarization_output ?? {},
    formatted_diarization_output: diarization?.formatted_diarization_output ?? "",
    audio_transcription_id: null,
    audio_url: null,
    language: null,
    was_audio_trimmed: false,
    original_duration_minutes: null,
    ...more,
  };
  return new ReplyWithHeaders(body, withSpeakers && !diarization ? { "X-Diarization": "unavailable" } : {});
};

/**
 * `POST /tasks/org/stt` and `/tasks/{vendor_a}/stt`: writes a recording down and keeps nothing of it.
 *
 * @param language ISO 639-3; `undefined` leaves it to the model's server to find out.
 */
export const transcribeOnly = async (
  recording: MeasuredRecording,
  { language, withSpeakers }: { readonly language: string | undefined; readonly withSpeakers: boolean },
  { transcriber, signal }: { readonly transcriber: Transcriber; readonly signal: AbortSignal },
): Promise<ReplyWithHeaders<LegacyTranscription>> => {
  const request = { recording, language, withSegments: false, withSpeakers };
  const transcription = await transcriber.transcribe(request, { signal });
  countAudio(recording.durationSeconds);
  return toReply(transcription, withSpeakers);
};

/**
 * `POST /tasks/stt` and `/tasks/stt_from_gcs`: writes the first ten minutes of a recording down, and saves the text and
 * the audio. Of each recording one copy is kept, however often it is transcribed.
 *
 * @param field of the request that has the recording.
 * @throws AppError `external_service_error` when nothing was said, as in version 1; as `keepRecording` and the
 * transcriber do. Nothing stays saved then.
 */
export const transcribeAndSave = async (
  measured: MeasuredRecording,
  field: string,
  { language, adapter, recognise_speakers: withSpeakers }: TranscriptionChoices,
  context: RequestContext,
  { transcriber, store, saved }: LegacyTranscriptionDependencies,
): Promise<ReplyWithHeaders<LegacyTranscription>> => {
  const chosen = language ?? adapter ?? "lug";
  const { userId, signal } = context;
  const objectKey = await recordingKey(measured, userId);
  const id = await saved.begin(objectKey);
  try {
    const { recording, isTrimmed } = await keepRecording(measured, objectKey, field, signal, store);
    const request = { recording, language: chosen, withSegments: false, withSpeakers };
    const transcription = await transcriber.transcribe(request, { signal });
    countAudio(isTrimmed ? maxSeconds : measured.durationSeconds);
    if (transcription.text === "") {
      throw new AppError("external_service_error", { message: "The model heard nothing in the recording." });
    }
    await saved.save(id, { userId, text: transcription.text, language: chosen, objectKey });
    return toReply(transcription, withSpeakers, {
      audio_transcription_id: id,
      audio_url: objectKey,
      language: chosen,
      was_audio_trimmed: isTrimmed,
      original_duration_minutes: isTrimmed
        ? Math.round((measured.durationSeconds / 60) * 1_000) / 1_000
        : null,
    });
  } catch (error) {
    // What cannot be removed now goes with its folder's lifecycle.
    await letGo(id, objectKey, { saved, store }).catch(() => undefined);
    throw error;
  }
};

/** Lets a transcription go of its recording, which is removed with the last one. */
const letGo = async (
  id: number,
  objectKey: string,
  { saved, store }: Pick<LegacyTranscriptionDependencies, "saved" | "store">,
): Promise<void> => {
  if (await saved.release(id, objectKey)) await store.delete(objectKey);
};

/**
 * `DELETE /tasks/stt/{audio_transcription_id}`: removes a saved transcription of the caller's, and its audio unless another
 * transcription of the same upload has it.
 *
 * @throws AppError `not_found` for one that is unknown, gone or another account's; what the store throws. Nothing is lost to
 * another try then, because the transcription itself goes last.
 */
export const deleteTranscription = async (
  id: number,
  userId: number,
  dependencies: Pick<LegacyTranscriptionDependencies, "saved" | "store">,
): Promise<{ success: true; audio_transcription_id: number }> => {
  const objectKey = await dependencies.saved.find(id, userId);
  if (objectKey === undefined) {
    throw new AppError("not_found", {
      message: "There is no such saved transcription of this account.",
      param: "audio_transcription_id",
    });
  }
  await letGo(id, objectKey, dependencies);
  await dependencies.saved.delete(id, userId);
  return { success: true, audio_transcription_id: id };
};

const uploadName = /^(?:uploads\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/[^/]+)?$/i;

/**
 * Opens the upload that a storage object's name, or its file id alone, belongs to.
 *
 * @throws AppError `bad_request` when there is none that the account may use, as in version 1; as `openUpload` does.
 */
export const openStorageObject = async (
  name: string,
  context: RequestContext,
  dependencies: RecordingDependencies,
): Promise<MeasuredRecording> => {
  const field = "gcs_blob_name";
  const missing = new AppError("bad_request", {
    message: "There is no such upload of this account, nothing has been uploaded to it, or it has expired.",
    param: field,
  });
  const fileId = uploadName.exec(name)?.[1];
  if (fileId === undefined) throw missing;
  try {
    return await openUpload(fileId, context, dependencies, { field });
  } catch (error) {
    throw error instanceof AppError && error.code === "not_found" ? missing : error;
  }
};
