import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { multipartForm, type UploadBody } from "../../../platform/outbound/upload.ts";
import { codeOnWire } from "../language-codes.ts";
import type { ModelProfile } from "../profile-schema.ts";
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
  readonly prompt?: string | undefined;
}

/** What a server may refuse, or return a transcript without: `scores` are the probabilities of the text. */
export type RefusableFeature = "speakers" | "times" | "words" | "stream" | "prompt" | "scores";

/** The fullest form for a request that a model supports, as far as its profile says and without what its server has refused. */
export const formFor = (
  { withSegments, speakers, withWords, scores, prompt: said }: TranscriptionRequest,
  { diarizes, log_probabilities: hasScores, prompt: takesPrompt }: ModelProfile["transcription"],
  { isStreamed, refused }: { readonly isStreamed: boolean; readonly refused: ReadonlySet<RefusableFeature> },
): WireForm => {
  const prompt = takesPrompt === false || refused.has("prompt") ? undefined : said || undefined;
  if (speakers && diarizes !== false && !refused.has("speakers"))
    return { format: "diarized_json", withWords: false, isStreamed: false, prompt };
  // Models transcribe better without times, and more of them can; so times are requested only when needed.
  const scored = hasScores === false || refused.has("scores") ? undefined : scores;
  const needsWords = withWords === true || scored === "words";
  const needsTimes = withSegments || needsWords || scored !== undefined;
  const withTimes = needsTimes && !refused.has("times");
  return {
    format: withTimes ? "verbose_json" : "json",
    withWords: needsWords && withTimes && !refused.has("words"),
    isStreamed: isStreamed && !needsTimes && !refused.has("stream"),
    prompt,
  };
};

/** A field of a form, if it has a value. */
const field = (name: string, value: string | undefined): (readonly [string, string])[] =>
  value === undefined ? [] : [[name, value]];

/** The body of a request to a model. */
export const toBody = (
  { recording, language, temperature }: TranscriptionRequest,
  { name, profile: { transcription } }: ServedModel,
  { format, withWords, isStreamed, prompt }: WireForm,
): UploadBody =>
  multipartForm(
    [
      ["model", name],
      ...field("language", language && codeOnWire(transcription.language_codes, language)),
      ["response_format", format],
      ...formatFields[format],
      ...field("timestamp_granularities[]", withWords ? "word" : undefined),
      ...field("prompt", prompt),
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

/** What a response refuses of a form, in the words of servers whose models have no times, speakers or streams (OpenAI, older vLLM, SGLang). */
export const refusedOf = (
  form: WireForm,
  { statusCode, body }: WholeResponse,
): RefusableFeature | undefined => {
  const isRefused = (words: RegExp): boolean =>
    (statusCode === 400 || statusCode === 422) && words.test(body);
  if (form.isStreamed && isRefused(/\bstream/i)) return "stream";
  // One that is too long is the caller's.
  if (form.prompt !== undefined && isRefused(/\bprompt\b/i) && !/too long|exceed|length|tokens/i.test(body))
    return "prompt";
  if (form.withWords && isRefused(/\bwords?\b/i)) return "words";
  const times = /response_format|verbose_json|diarized_json|timestamp_granularities|chunking_strategy/i;
  if (form.format === "json" || !isRefused(times)) return undefined;
  return form.format === "diarized_json" ? "speakers" : "times";
};
