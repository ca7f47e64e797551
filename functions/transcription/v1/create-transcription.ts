import type { Reply } from "../../../shared/http/response.ts";
import { promptWith, withAlternatives } from "../../../shared/models/inference/keywords.ts";
import type { Transcription, TranscriptionRequest } from "../../../shared/models/inference/transcription.ts";
import { findLanguage, type Language, shortestCode } from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../../shared/platform/errors/dependency-failure.ts";
import { countAudio } from "../../../shared/platform/telemetry/use.ts";
import type { MeasuredRecording } from "../../../shared/recordings/uploads/open-upload.ts";
import { openRecording } from "../open-recording.ts";
import { type TranscriptionDependencies, toMilliseconds } from "../transcribe.ts";
import { type AccountContext, chooseLanguage, namedLanguage } from "./choose-language.ts";
import type { Granularity, TranscriptFormat, V1TranscriptionForm } from "./contract.ts";
import { formatTranscript } from "./format-transcript.ts";
import { streamTranscript } from "./stream-transcript.ts";
import type { Transcript } from "./transcript.ts";

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

/** The code of ISO 639 for an undetermined language. */
const undetermined = "und";

const codeInResponse = (language: Language | undefined): string =>
  language ? shortestCode(language) : undetermined;

/** Opens the recording of a form of `/v1`, where the field is called `file`. */
export const openFormsRecording = (
  { file, file_id }: Pick<V1TranscriptionForm, "file" | "file_id">,
  context: AccountContext,
  dependencies: TranscriptionDependencies,
): Promise<MeasuredRecording> => openRecording({ audio: file, file_id }, context, dependencies, "file");

/**
 * Transcribes a recording for a client of the OpenAI API.
 * @throws AppError `unsupported_parameter`, or as {@link chooseLanguage}, {@link openRecording} and the transcriber
 * do.
 */
export const createV1Transcription = async (
  form: V1TranscriptionForm,
  context: AccountContext,
  requestId: string,
  dependencies: TranscriptionDependencies,
): Promise<Transcript | Reply> => {
  checkCombination(form);
  const { response_format: format, timestamp_granularities: requested = [], temperature } = form;
  const granularities: readonly Granularity[] = requested.length > 0 ? requested : ["segment"];
  const { signal, defaultLanguage } = context;
  const keywords = [...(context.keywords ?? []), ...(form.keywords ?? [])];
  const choose = dependencies.detectsLanguages ? namedLanguage : chooseLanguage;
  const language = choose(form, defaultLanguage);
  const recording = await openFormsRecording(form, context, dependencies);
  const request: TranscriptionRequest = {
    recording,
    language: language?.code,
    detectsLanguage: !language,
    // Servers report the language in this form only.
    withSegments: isTimed(format) || !language,
    speakers: format === "diarized_json" ? "required" : undefined,
    withWords: isTimed(format) && (format !== "verbose_json" || granularities.includes("word")),
    // Those of the request are nearest to the recording.
    prompt: promptWith(keywords, form.prompt),
    temperature,
  };
  const write = async (onText?: (text: string) => void): Promise<Transcription> => {
    const transcription = await dependencies.transcriber
      .transcribe(request, { signal, onText })
      .catch((error: unknown) => {
        const isAboutSpeakers = request.speakers && toAppError(error).code === "unsupported_parameter";
        throw isAboutSpeakers ? refuse("response_format", toAppError(error).message) : error;
      });
    countAudio(recording.durationSeconds);
    return transcription;
  };
  if (form.stream) return streamTranscript(write, requestId);

  const transcription = await write();
  if (granularities.includes("word") && !transcription.words?.length && transcription.text !== "") {
    throw refuse("timestamp_granularities", "The model does not return word timestamps.");
  }
  const heard = {
    task: "transcribe",
    language: codeInResponse(language ?? findLanguage(transcription.language ?? "")),
    isDetected: !language,
    durationSeconds: toMilliseconds(recording.durationSeconds),
    transcription: withAlternatives(transcription, keywords),
    temperature,
  } as const;
  return formatTranscript(format, heard, granularities);
};
