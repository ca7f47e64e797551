import * as z from "zod";
import { BackendRefusal } from "../../outbound/failures.ts";
import type { WholeAnswer } from "../../outbound/http-client.ts";
import { multipartForm, sendUpload } from "../../outbound/upload.ts";
import type { Segment, Transcriber, Transcription, TranscriptionRequest } from "../transcription.ts";
import { type Backend, failureOf, ModelRefusal, notReady } from "./backend.ts";
import { type ModelCall, openModelServer } from "./call-policy.ts";
import { failureIn } from "./chat-completion.ts";

/** How long a server may take no more of a recording. Decoders read it at once or not at all. */
const defaultStallMilliseconds = 30_000;

/** What servers know how to answer; all of them know `json`. */
type ResponseFormat = "json" | "verbose_json" | "diarized_json";

/** What a format needs to be told besides. */
const formatFields: Readonly<Record<ResponseFormat, readonly (readonly [string, string])[]>> = {
  json: [],
  // Under this name only: some servers do not know it without the brackets.
  verbose_json: [["timestamp_granularities[]", "segment"]],
  // OpenAI demands it for more than 30 seconds.
  diarized_json: [["chunking_strategy", "auto"]],
};

const formatFor = ({ withSegments, withSpeakers }: TranscriptionRequest): ResponseFormat => {
  if (withSpeakers) return "diarized_json";
  // Models read better without times, and more of them can; so times are asked for only when they are wanted.
  return withSegments ? "verbose_json" : "json";
};

const toForm = ({ recording, language }: TranscriptionRequest, model: string, format: ResponseFormat) =>
  multipartForm(
    [
      ["model", model],
      ...(language === undefined ? [] : [["language", language] as const]),
      ["response_format", format],
      ...formatFields[format],
    ],
    {
      fieldName: "file",
      fileName: `recording.${recording.fileExtension}`,
      mediaType: recording.mediaType,
      source: recording.source,
    },
  );

/**
 * Models without times, or that cannot tell voices apart, refuse the form that has them, with these words about it
 * (OpenAI, older vLLM, SGLang).
 */
const refusesFormat = ({ statusCode, body }: WholeAnswer): boolean =>
  (statusCode === 400 || statusCode === 422) &&
  /response_format|verbose_json|diarized_json|timestamp_granularities|chunking_strategy/i.test(body);

const refusal = ({ statusCode, body }: WholeAnswer, model: string) => {
  if (statusCode === 202) return notReady("The model is starting; this can take 2 to 3 minutes. Try again.");
  if (statusCode === 413) {
    return new ModelRefusal("external_service_error", {
      message:
        "The model's server takes no recording of this size; send a shorter or a more strongly compressed one.",
      cause: new BackendRefusal(statusCode, model),
    });
  }
  return failureOf(statusCode, body, model);
};

const wireSegment = z
  .object({
    start: z.number(),
    end: z.number(),
    text: z.string(),
    speaker: z.string().min(1).nullish().catch(undefined),
  })
  .transform(({ start, end, text, speaker }): Segment => {
    const from = Math.max(0, start);
    return {
      start: from,
      end: Math.max(from, end),
      text: text.trim(),
      ...(speaker == null ? {} : { speaker }),
    };
  });

const wireTranscription = z.object({
  text: z.string(),
  // Times that make no sense are as good as none. `duration`, which some servers send as a string, is measured here.
  segments: z.array(wireSegment).nullish().catch(undefined),
  // Some servers report failures with status 200.
  error: z.null().optional(),
});

const jsonOrText = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

const parseTranscription = (body: string): Transcription => {
  const answer = jsonOrText(body);
  const { data, error } = wireTranscription.safeParse(answer);
  if (!data) throw failureIn(answer, error);
  return {
    text: data.text.trim(),
    segments: data.segments?.filter(({ text }) => text !== ""),
  };
};

/** Transcription by a server that speaks the OpenAI HTTP API. */
export const createOpenAiTranscriber = (
  backend: Backend,
  model: string,
  { stallMilliseconds = defaultStallMilliseconds }: { readonly stallMilliseconds?: number } = {},
): Transcriber => {
  const server = openModelServer(backend, "transcription");
  const ask = (
    { url, headers, silenceMilliseconds, send }: ModelCall,
    request: TranscriptionRequest,
    format: ResponseFormat,
    signal: AbortSignal,
  ): Promise<WholeAnswer> =>
    send(
      (onSent) =>
        sendUpload({
          url: url("/audio/transcriptions"),
          headers,
          body: toForm(request, model, format),
          stallMilliseconds,
          silenceMilliseconds,
          signal,
          onSent,
        }),
      signal,
    );

  return {
    transcribe: (request, { signal }) =>
      server.call(signal, async (call) => {
        const format = formatFor(request);
        const first = await ask(call, request, format, signal);
        const answer =
          format !== "json" && refusesFormat(first) ? await ask(call, request, "json", signal) : first;
        if (answer.statusCode !== 200) throw refusal(answer, model);
        return parseTranscription(answer.body);
      }),
  };
};
