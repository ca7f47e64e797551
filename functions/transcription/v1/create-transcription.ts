import type { Reply } from "../../../shared/http/response.ts";
import { promptWith, withAlternatives } from "../../../shared/models/inference/keywords.ts";
import { findLanguage } from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../../shared/platform/errors/dependency-failure.ts";
import { countAudio } from "../../../shared/platform/telemetry/use.ts";
import {
  type HeardUnnamed,
  transcribeUnnamed,
  type UnnamedDependencies,
} from "../../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import type { MeasuredRecording } from "../../../shared/recordings/uploads/open-upload.ts";
import { openRecording } from "../open-recording.ts";
import { type TranscriptionDependencies, toMilliseconds } from "../transcribe.ts";
import { type AccountContext, languagesOfForm } from "./choose-language.ts";
import type { Granularity, TranscriptFormat, V1TranscriptionForm } from "./contract.ts";
import { codeInResponse, formatTranscript } from "./format-transcript.ts";
import { streamTranscript } from "./stream-transcript.ts";
import type { Transcript } from "./transcript.ts";

export interface V1TranscriptionDependencies extends TranscriptionDependencies, UnnamedDependencies {}

/** Formats that need timestamps. */
export const isTimed = (format: TranscriptFormat): boolean => format !== "json" && format !== "text";

const refuse = (param: string, message: string) => new AppError("unsupported_parameter", { param, message });

/** The OpenAI API's rules about several fields. */
const checkCombination = ({
  response_format: format,
  stream,
  timestamp_granularities,
}: V1TranscriptionForm) => {
  if (timestamp_granularities?.length && format !== "verbose_json") {
    throw refuse("timestamp_granularities", "Timestamps require `response_format: verbose_json`.");
  }
  if (stream && isTimed(format)) throw refuse("stream", "Only `json` and `text` can be streamed.");
};

/** Opens the recording of a form of `/v1`, where the field is called `file`. */
export const openFormsRecording = (
  { file, file_id }: Pick<V1TranscriptionForm, "file" | "file_id">,
  context: AccountContext,
  dependencies: TranscriptionDependencies,
): Promise<MeasuredRecording> => openRecording({ audio: file, file_id }, context, dependencies, "file");

/**
 * Transcribes a recording for a client of the OpenAI API.
 * @throws AppError `unsupported_parameter`, or as {@link languagesOfForm}, {@link openRecording} and the transcriber
 * do.
 */
export const createV1Transcription = async (
  form: V1TranscriptionForm,
  context: AccountContext,
  requestId: string,
  dependencies: V1TranscriptionDependencies,
): Promise<Transcript | Reply> => {
  checkCombination(form);
  const { response_format: format, timestamp_granularities: requested = [], temperature } = form;
  const granularities: readonly Granularity[] = requested.length > 0 ? requested : ["segment"];
  const { signal } = context;
  const keywords = [...(context.keywords ?? []), ...(form.keywords ?? [])];
  const languages = languagesOfForm(form, context, dependencies.detectsLanguages);
  const [language] = languages.length === 1 ? languages : [];
  const recording = await openFormsRecording(form, context, dependencies);
  const request = {
    recording,
    withSegments: isTimed(format),
    speakers: format === "diarized_json" ? ("required" as const) : undefined,
    withWords: isTimed(format) && (format !== "verbose_json" || granularities.includes("word")),
    // Those of the request are nearest to the recording.
    prompt: promptWith(keywords, form.prompt),
    temperature,
  };
  const transcribe = async (onText?: (text: string) => void): Promise<HeardUnnamed> => {
    const options = { signal, onText };
    if (!language) {
      const candidates = languages.map(({ code }) => code);
      return transcribeUnnamed({ ...request, candidates }, dependencies, options);
    }
    const named = { ...request, language: language.code };
    const transcription = await dependencies.transcriber.transcribe(named, options);
    return { transcription, seconds: recording.durationSeconds };
  };
  const write = async (onText?: (text: string) => void): Promise<HeardUnnamed> => {
    const heard = await transcribe(onText).catch((error: unknown) => {
      const isAboutSpeakers = request.speakers && toAppError(error).code === "unsupported_parameter";
      throw isAboutSpeakers ? refuse("response_format", toAppError(error).message) : error;
    });
    countAudio(heard.seconds);
    return heard;
  };
  if (form.stream) {
    const writeText = async (onText: (text: string) => void) => (await write(onText)).transcription;
    return streamTranscript(writeText, requestId);
  }

  const { transcription, seconds } = await write();
  if (granularities.includes("word") && !transcription.words?.length && transcription.text !== "") {
    throw refuse("timestamp_granularities", "The model does not return word timestamps.");
  }
  const heard = {
    task: "transcribe",
    language: codeInResponse(language ?? findLanguage(transcription.language ?? "")),
    isDetected: !language,
    durationSeconds: toMilliseconds(recording.durationSeconds),
    transcribedSeconds: toMilliseconds(seconds),
    transcription: withAlternatives(transcription, keywords),
    temperature,
  } as const;
  return formatTranscript(format, heard, granularities);
};
