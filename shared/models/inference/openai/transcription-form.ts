import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { multipartForm, type UploadBody } from "../../../platform/outbound/upload.ts";
import { codeOnWire } from "../language-codes.ts";
import type { ModelProfile } from "../profiles.ts";
import type { TranscriptionRequest } from "../transcription.ts";
import type { ServedModel } from "./backend.ts";

/** The response formats that servers know; all of them know `json`. */
type ResponseFormat = "json" | "verbose_json" | "diarized_json";

/** The parameters that a format needs. */
const formatFields: Readonly<Record<ResponseFormat, readonly (readonly [string, string])[]>> = {
  json: [],
  // Under this name only: some servers do not know it without the brackets.
  verbose_json: [["timestamp_granularities[]", "segment"]],
  // OpenAI demands it for more than 30 seconds.
  diarized_json: [["chunking_strategy", "auto"]],
};

/** The request to a server. All know the plainest form; fewer support times of segments, of words, or streams. */
export interface WireForm {
  readonly format: ResponseFormat;
  readonly withWords: boolean;
  readonly isStreamed: boolean;
}

/** The fullest form for a request that a model supports, as far as its profile says. */
export const formFor = (
  { withSegments, withSpeakers, withWords = false }: TranscriptionRequest,
  { diarizes = true }: ModelProfile["transcription"],
  isStreamed: boolean,
): WireForm => {
  if (withSpeakers && diarizes) return { format: "diarized_json", withWords: false, isStreamed: false };
  // Models transcribe better without times, and more of them can; so times are requested only when needed.
  const withTimes = withSegments || withWords;
  return { format: withTimes ? "verbose_json" : "json", withWords, isStreamed: isStreamed && !withTimes };
};

/** A field of a form, if it has a value. */
const field = (name: string, value: string | undefined): (readonly [string, string])[] =>
  value === undefined ? [] : [[name, value]];

/** The body of a request to a model. */
export const toBody = (
  { recording, language, prompt, temperature }: TranscriptionRequest,
  { name, profile: { transcription } }: ServedModel,
  { format, withWords, isStreamed }: WireForm,
): UploadBody =>
  multipartForm(
    [
      ["model", name],
      ...field("language", language && codeOnWire(transcription.language_codes, language)),
      ["response_format", format],
      ...formatFields[format],
      ...field("timestamp_granularities[]", withWords ? "word" : undefined),
      ...field("prompt", transcription.prompt === false ? undefined : prompt),
      ...field("temperature", temperature?.toString()),
      ...field("stream", isStreamed ? "true" : undefined),
    ],
    {
      fieldName: "file",
      fileName: `recording.${recording.fileExtension}`,
      mediaType: recording.mediaType,
      source: recording.source,
    },
  );

/** The form to try next: models without times, speakers or streams refuse the format with these messages (OpenAI, older vLLM, SGLang). */
export const lesserForm = (form: WireForm, { statusCode, body }: WholeResponse): WireForm | undefined => {
  const isRefused = (words: RegExp): boolean =>
    (statusCode === 400 || statusCode === 422) && words.test(body);
  if (form.isStreamed && isRefused(/\bstream/i)) return { ...form, isStreamed: false };
  if (form.withWords && isRefused(/\bwords?\b/i)) return { ...form, withWords: false };
  const times = /response_format|verbose_json|diarized_json|timestamp_granularities|chunking_strategy/i;
  return form.format !== "json" && isRefused(times)
    ? { format: "json", withWords: false, isStreamed: false }
    : undefined;
};
