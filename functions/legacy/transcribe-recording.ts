import type { RequestContext } from "../../shared/accounts/access/caller.ts";
import { ReplyWithHeaders } from "../../shared/http/response.ts";
import type {
  SpeakerRequest,
  Transcriber,
  Transcription,
} from "../../shared/models/inference/transcription.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { countAudio } from "../../shared/platform/telemetry/use.ts";
import {
  type MeasuredRecording,
  openUpload,
  type RecordingDependencies,
} from "../../shared/recordings/uploads/open-upload.ts";
import { formatDiarization } from "./format-diarization.ts";
import type { SavedTranscriptions } from "./saved-transcriptions.ts";
import { keepRecording, maxSeconds, recordingKey } from "./stored-recordings.ts";
import type { LegacyTranscription } from "./transcription-contract.ts";

export interface LegacyTranscriptionDependencies extends RecordingDependencies {
  readonly transcriber: Transcriber;
  /** The model that `whisper` selects, where the stage has one. */
  readonly alternative?: Transcriber | undefined;
  readonly store: Pick<ObjectStore, "delete" | "open" | "write">;
  readonly saved: SavedTranscriptions;
}

/** The options of `POST /tasks/stt` and `/tasks/stt_from_gcs`. */
export interface TranscriptionChoices {
  readonly language?: string | undefined;
  readonly adapter?: string | undefined;
  readonly recognise_speakers: boolean;
  readonly whisper: boolean;
}

/** Version 1 transcribed recordings without speakers where the model did not distinguish them. */
const speakersFor = (isRequested: boolean): SpeakerRequest | undefined =>
  isRequested ? "attempted" : undefined;

const toReply = (
  transcription: Transcription,
  withSpeakers: boolean,
  more: Partial<LegacyTranscription> = {},
  lacksAlternative = false,
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
  return new ReplyWithHeaders(body, {
    ...(withSpeakers && !diarization ? { "X-Diarization": "unavailable" } : {}),
    ...(lacksAlternative ? { "X-Whisper": "unavailable" } : {}),
  });
};

/**
 * `POST /tasks/org/stt` and `/tasks/{vendor_a}/stt`: transcribes a recording and stores nothing.
 *
 * @param language ISO 639-3; without it, the model detects the language.
 */
export const transcribeOnly = async (
  recording: MeasuredRecording,
  { language, withSpeakers }: { readonly language: string | undefined; readonly withSpeakers: boolean },
  { transcriber, signal }: { readonly transcriber: Transcriber; readonly signal: AbortSignal },
): Promise<ReplyWithHeaders<LegacyTranscription>> => {
  const request = { recording, language, withSegments: false, speakers: speakersFor(withSpeakers) };
  const transcription = await transcriber.transcribe(request, { signal });
  countAudio(recording.durationSeconds);
  return toReply(transcription, withSpeakers);
};

const minutesOf = ({ durationSeconds }: MeasuredRecording): number =>
  Math.round((durationSeconds / 60) * 1_000) / 1_000;

/**
 * `POST /tasks/stt` and `/tasks/stt_from_gcs`: transcribes the first ten minutes of a recording, and saves the text and one copy of
 * the audio.
 *
 * @param field the request's field with the recording.
 * @throws AppError `external_service_error` for a recording without words, as in version 1; the errors of `keepRecording` and the
 * transcriber. Nothing stays saved then.
 */
export const transcribeAndSave = async (
  measured: MeasuredRecording,
  field: string,
  { language, adapter, recognise_speakers: withSpeakers, whisper }: TranscriptionChoices,
  context: RequestContext,
  { transcriber, alternative, store, saved }: LegacyTranscriptionDependencies,
): Promise<ReplyWithHeaders<LegacyTranscription>> => {
  const chosen = language ?? adapter ?? "lug";
  const { userId, signal } = context;
  const objectKey = await recordingKey(measured, userId);
  const id = await saved.begin(objectKey);
  try {
    const { recording, isTrimmed } = await keepRecording(measured, objectKey, field, signal, store);
    const request = { recording, language: chosen, withSegments: false, speakers: speakersFor(withSpeakers) };
    const model = (whisper && alternative) || transcriber;
    const transcription = await model.transcribe(request, { signal });
    countAudio(isTrimmed ? maxSeconds : measured.durationSeconds);
    if (transcription.text === "") {
      throw new AppError("external_service_error", { message: "The model found no words in the recording." });
    }
    await saved.save(id, { userId, text: transcription.text, language: chosen, objectKey });
    const more = {
      audio_transcription_id: id,
      audio_url: objectKey,
      language: chosen,
      was_audio_trimmed: isTrimmed,
      original_duration_minutes: isTrimmed ? minutesOf(measured) : null,
    };
    return toReply(transcription, withSpeakers, more, whisper && !alternative);
  } catch (error) {
    // If this fails, the bucket's lifecycle rule removes the recording.
    await letGo(id, objectKey, { saved, store }).catch(() => undefined);
    throw error;
  }
};

/** Releases the recording of a transcription, and removes it when no other transcription needs it. */
const letGo = async (
  id: number,
  objectKey: string,
  { saved, store }: Pick<LegacyTranscriptionDependencies, "saved" | "store">,
): Promise<void> => {
  if (await saved.release(id, objectKey)) await store.delete(objectKey);
};

/**
 * `DELETE /tasks/stt/{audio_transcription_id}`: removes a saved transcription of the account, and its audio unless another
 * transcription needs it. The transcription itself goes last, so a failed request can be repeated.
 *
 * @throws AppError `not_found` alike for unknown, removed and other accounts' transcriptions; the store's errors.
 */
export const deleteTranscription = async (
  id: number,
  userId: number,
  dependencies: Pick<LegacyTranscriptionDependencies, "saved" | "store">,
): Promise<{ success: true; audio_transcription_id: number }> => {
  const objectKey = await dependencies.saved.find(id, userId);
  if (objectKey === undefined) {
    throw new AppError("not_found", {
      message: "This account has no such saved transcription.",
      param: "audio_transcription_id",
    });
  }
  await letGo(id, objectKey, dependencies);
  await dependencies.saved.delete(id, userId);
  return { success: true, audio_transcription_id: id };
};

const uploadName = /^(?:uploads\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/[^/]+)?$/i;

/**
 * Opens an upload by its object name or file id.
 *
 * @throws AppError `bad_request` when the account has no such upload, as in version 1; the other errors of `openUpload`.
 */
export const openStorageObject = async (
  name: string,
  context: RequestContext,
  dependencies: RecordingDependencies,
): Promise<MeasuredRecording> => {
  const field = "gcs_blob_name";
  const missing = new AppError("bad_request", {
    message: "This account has no such upload, its file was never sent, or it has expired.",
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
