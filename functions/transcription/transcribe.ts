import type { RequestContext } from "../../shared/accounts/access/caller.ts";
import type {
  Segment,
  Transcriber,
  Transcription,
  Word,
} from "../../shared/models/inference/transcription.ts";
import { countAudio } from "../../shared/platform/telemetry/use.ts";
import type { RecordingDependencies } from "../../shared/recordings/uploads/open-upload.ts";
import type { TranscriptionForm, TranscriptionResponse } from "./contract.ts";
import { openRecording } from "./open-recording.ts";

export interface TranscriptionDependencies extends RecordingDependencies {
  readonly transcriber: Transcriber;
}

/** Seconds to the millisecond. */
export const toMilliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** Models work in windows of fixed length and may report an end beyond that of the recording. */
const within =
  (durationSeconds: number) =>
  <Said extends Segment | Word>(said: Said): Said => ({
    ...said,
    start: toMilliseconds(Math.min(said.start, durationSeconds)),
    end: toMilliseconds(Math.min(said.end, durationSeconds)),
  });

/** The only segment of a model without timestamps: from the beginning to the end. */
const wholeRecording = (text: string, durationSeconds: number): Segment[] =>
  text === "" ? [] : [{ start: 0, end: durationSeconds, text }];

/** The segments of a transcription, within the recording; a single one for a model without timestamps. */
export const segmentsOf = ({ text, segments }: Transcription, durationSeconds: number): Segment[] =>
  segments?.length ? segments.map(within(durationSeconds)) : wholeRecording(text, durationSeconds);

/** The words of a transcription, within the recording; `undefined` for a model that does not report their times. */
export const wordsOf = ({ words }: Transcription, durationSeconds: number): Word[] | undefined =>
  words?.map(within(durationSeconds));

/** Transcribes a recording. @throws ValidationError and AppError as {@link openRecording} and the transcriber do. */
export const transcribe = async (
  form: TranscriptionForm,
  context: RequestContext,
  dependencies: TranscriptionDependencies,
): Promise<TranscriptionResponse> => {
  const { language, timestamps } = form;
  const recording = await openRecording(form, context, dependencies);
  const transcription = await dependencies.transcriber.transcribe(
    { recording, language, withSegments: timestamps },
    { signal: context.signal },
  );
  countAudio(recording.durationSeconds);
  const { text } = transcription;
  const durationSeconds = toMilliseconds(recording.durationSeconds);
  return {
    text,
    audio_transcription: text,
    language,
    segments: timestamps ? segmentsOf(transcription, durationSeconds) : null,
    duration_seconds: durationSeconds,
    usage: {
      duration_seconds: durationSeconds,
      input_audio_bytes: recording.source.size,
      output_characters: [...text].length,
    },
    audio_transcription_id: null,
    audio_url: null,
    diarization_output: {},
    formatted_diarization_output: "",
    was_audio_trimmed: false,
    original_duration_minutes: null,
  };
};
