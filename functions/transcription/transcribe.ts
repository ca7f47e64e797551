import type { RequestContext } from "../../shared/accounts/access/caller.ts";
import { promptWith, withAlternatives } from "../../shared/models/inference/keywords.ts";
import type {
  Segment,
  Transcriber,
  Transcription,
  TranscriptionOptions,
  Word,
} from "../../shared/models/inference/transcription.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { countAudio } from "../../shared/platform/telemetry/use.ts";
import {
  type AccountsLanguages,
  checkCandidates,
  languagesOfAccount,
} from "../../shared/recordings/spoken-language/candidates.ts";
import {
  type HeardUnnamed,
  transcribeIn,
  type UnnamedDependencies,
  type UnnamedRequest,
} from "../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import { nameSpeakers } from "../../shared/recordings/transcripts/speakers.ts";
import type {
  MeasuredRecording,
  RecordingDependencies,
} from "../../shared/recordings/uploads/open-upload.ts";
import {
  type AgentTranscription,
  type AgentTranscriptionForm,
  type TranscriptionForm,
  type TranscriptionResponse,
  unknownLanguage,
} from "./contract.ts";
import { openRecording } from "./open-recording.ts";

/** The account of a request, with what it says about its recordings. */
export interface AccountContext extends RequestContext, AccountsLanguages {
  /** The names and terms of the account's recordings. */
  readonly keywords: readonly string[] | undefined;
}

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

/** The response, but for what depends on the language. */
const describeText = ({ source, durationSeconds }: MeasuredRecording, text: string, seconds: number) => ({
  text,
  audio_transcription: text,
  duration_seconds: toMilliseconds(durationSeconds),
  usage: {
    duration_seconds: toMilliseconds(seconds),
    input_audio_bytes: source.size,
    output_characters: [...text].length,
  },
  audio_transcription_id: null,
  audio_url: null,
  diarization_output: {},
  formatted_diarization_output: "" as const,
  was_audio_trimmed: false as const,
  original_duration_minutes: null,
});

/** Transcribes a recording. @throws ValidationError and AppError as {@link openRecording} and the transcriber do. */
export const transcribe = async (
  form: TranscriptionForm,
  context: RequestContext,
  dependencies: TranscriptionDependencies,
): Promise<TranscriptionResponse> => {
  const { language, timestamps } = form;
  const recording = await openRecording(form, context, dependencies);
  const { durationSeconds } = recording;
  const transcription = await dependencies.transcriber.transcribe(
    { recording, language, withSegments: timestamps },
    { signal: context.signal },
  );
  countAudio(durationSeconds);
  return {
    ...describeText(recording, transcription.text, durationSeconds),
    language,
    segments: timestamps ? segmentsOf(transcription, toMilliseconds(durationSeconds)) : null,
  };
};

export interface UnnamedTranscriptionDependencies extends TranscriptionDependencies, UnnamedDependencies {}

/**
 * Transcribes a recording in its language or in that of the candidates which it is in, and counts its audio.
 *
 * @param speakersField the field of the request with which it requires speakers.
 * @throws AppError as the transcriber does.
 */
export const transcribeCandidates = async (
  request: UnnamedRequest,
  speakersField: string,
  dependencies: UnnamedDependencies,
  options: TranscriptionOptions,
): Promise<HeardUnnamed> => {
  try {
    const heard = await transcribeIn(request, dependencies, options);
    countAudio(heard.seconds);
    return heard;
  } catch (error) {
    const { code, message } = toAppError(error);
    if (!request.speakers || code !== "unsupported_parameter") throw error;
    throw new AppError(code, { param: speakersField, message });
  }
};

/**
 * Transcribes a recording for an agent: as {@link transcribe}, and in a language that the request need not name, with keywords, with
 * speakers, and with how sure the text is.
 *
 * @throws ValidationError and AppError as {@link openRecording}, {@link checkCandidates} and the transcriber do.
 */
export const transcribeForAgent = async (
  form: AgentTranscriptionForm,
  context: AccountContext,
  dependencies: UnnamedTranscriptionDependencies,
): Promise<AgentTranscription> => {
  const { language, languages = [], speakers } = form;
  const named = language === undefined ? [...new Set(languages)] : [language];
  const candidates = named.length > 0 ? named : languagesOfAccount(context).map(({ code }) => code);
  checkCandidates(candidates, dependencies.detectsLanguages);
  const keywords = [...(context.keywords ?? []), ...(form.keywords ?? [])];
  const withSegments = form.timestamps || speakers;
  const recording = await openRecording(form, context, dependencies);
  const request = {
    ...{ recording, candidates, withSegments, confidence: true, prompt: promptWith(keywords) },
    speakers: speakers ? ("required" as const) : undefined,
  };
  const heard = await transcribeCandidates(request, "speakers", dependencies, { signal: context.signal });
  const transcription = withAlternatives(heard.transcription, keywords);
  const [only, ...others] = candidates;
  const { confidence, reasons = [] } = transcription;
  const segments = () => nameSpeakers(segmentsOf(transcription, toMilliseconds(recording.durationSeconds)));
  return {
    ...describeText(recording, transcription.text, heard.seconds),
    language: (others.length === 0 ? only : undefined) ?? transcription.language ?? unknownLanguage,
    segments: withSegments
      ? segments().map(({ alternatives, ...segment }) => ({
          ...segment,
          ...(alternatives ? { alternatives: [...alternatives] } : {}),
        }))
      : null,
    ...(confidence === undefined ? {} : { confidence, reasons: [...reasons] }),
  };
};
