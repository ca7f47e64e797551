import type { Reply } from "../../../shared/http/response.ts";
import { promptWith, withAlternatives } from "../../../shared/models/inference/keywords.ts";
import { findLanguage } from "../../../shared/platform/catalogue/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { MeasuredRecording } from "../../../shared/recordings/uploads/open-upload.ts";
import { openRecording } from "../open-recording.ts";
import {
  type AccountContext,
  type TranscriptionDependencies,
  toMilliseconds,
  transcribeCandidates,
  type UnnamedTranscriptionDependencies,
} from "../transcribe.ts";
import { languagesOfForm } from "./choose-language.ts";
import type { Granularity, TranscriptFormat, V1TranscriptionForm } from "./contract.ts";
import { codeInResponse, formatTranscript } from "./format-transcript.ts";
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
  dependencies: UnnamedTranscriptionDependencies,
): Promise<Transcript | Reply> => {
  checkCombination(form);
  const { response_format: format, timestamp_granularities: requested = [], temperature } = form;
  const granularities: readonly Granularity[] = requested.length > 0 ? requested : ["segment"];
  const { signal } = context;
  const keywords = [...(context.keywords ?? []), ...(form.keywords ?? [])];
  const languages = languagesOfForm(form, context, dependencies.detectsLanguages);
  const recording = await openFormsRecording(form, context, dependencies);
  const request = {
    recording,
    candidates: languages.map(({ code }) => code),
    withSegments: isTimed(format),
    speakers: format === "diarized_json" ? ("required" as const) : undefined,
    withWords: isTimed(format) && (format !== "verbose_json" || granularities.includes("word")),
    // Those of the request are nearest to the recording.
    prompt: promptWith(keywords, form.prompt),
    temperature,
  };
  const write = (onText?: (text: string) => void) =>
    transcribeCandidates(request, "response_format", dependencies, { signal, onText });
  if (form.stream) {
    const writeText = async (onText: (text: string) => void) => (await write(onText)).transcription;
    return streamTranscript(writeText, requestId);
  }

  const { transcription, seconds } = await write();
  if (granularities.includes("word") && !transcription.words?.length && transcription.text !== "") {
    throw refuse("timestamp_granularities", "The model does not return word timestamps.");
  }
  const [language] = languages.length === 1 ? languages : [];
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
