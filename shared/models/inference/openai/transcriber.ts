import * as z from "zod";
import { BackendRefusal } from "../../../platform/outbound/failures.ts";
import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { multipartForm, sendUpload, type UploadBody } from "../../../platform/outbound/upload.ts";
import type {
  Segment,
  SegmentDetails,
  Transcriber,
  Transcription,
  TranscriptionRequest,
  Word,
} from "../transcription.ts";
import { type Backends, failureOf, ModelRefusal, notReady } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { failureIn } from "./chat-completion.ts";
import { StreamedTranscript } from "./streamed-transcript.ts";
import type { ModelCall } from "./task-server.ts";

/** How long a server may stop reading a recording. Decoders read it at once or not at all. */
const defaultStallMilliseconds = 30_000;

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
interface Form {
  readonly format: ResponseFormat;
  readonly withWords: boolean;
  readonly isStreamed: boolean;
}

const formFor = (
  { withSegments, withSpeakers, withWords = false }: TranscriptionRequest,
  isStreamed: boolean,
): Form => {
  if (withSpeakers) return { format: "diarized_json", withWords: false, isStreamed: false };
  // Models transcribe better without times, and more of them can; so times are requested only when needed.
  const withTimes = withSegments || withWords;
  return { format: withTimes ? "verbose_json" : "json", withWords, isStreamed: isStreamed && !withTimes };
};

/** A field of a form, if it has a value. */
const field = (name: string, value: string | undefined): (readonly [string, string])[] =>
  value === undefined ? [] : [[name, value]];

const toBody = (
  { recording, language, prompt, temperature }: TranscriptionRequest,
  model: string,
  { format, withWords, isStreamed }: Form,
) =>
  multipartForm(
    [
      ["model", model],
      ...field("language", language),
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

/** Models without times, speakers or streams refuse the format with these messages (OpenAI, older vLLM, SGLang). */
const lesserForm = (form: Form, { statusCode, body }: WholeResponse): Form | undefined => {
  const isRefused = (words: RegExp): boolean =>
    (statusCode === 400 || statusCode === 422) && words.test(body);
  if (form.isStreamed && isRefused(/\bstream/i)) return { ...form, isStreamed: false };
  if (form.withWords && isRefused(/\bwords?\b/i)) return { ...form, withWords: false };
  const times = /response_format|verbose_json|diarized_json|timestamp_granularities|chunking_strategy/i;
  return form.format !== "json" && isRefused(times)
    ? { format: "json", withWords: false, isStreamed: false }
    : undefined;
};

const refusal = ({ statusCode, body }: WholeResponse, model: string) => {
  if (statusCode === 202) return notReady("The model is starting; this can take 2 to 3 minutes. Try again.");
  if (statusCode === 413) {
    return new ModelRefusal("external_service_error", {
      message:
        "The model's server does not accept recordings of this size; send a shorter or more compressed one.",
      cause: new BackendRefusal(statusCode, model),
    });
  }
  return failureOf(statusCode, body, model);
};

/** What models of the Whisper family report about a segment: all of it, or nothing. */
const wireDetails = z
  .object({
    seek: z.int(),
    tokens: z.array(z.int()),
    temperature: z.number(),
    avg_logprob: z.number(),
    compression_ratio: z.number(),
    no_speech_prob: z.number(),
  })
  .transform(
    (details): SegmentDetails => ({
      seek: details.seek,
      tokens: details.tokens,
      temperature: details.temperature,
      averageLogProbability: details.avg_logprob,
      compressionRatio: details.compression_ratio,
      noSpeechProbability: details.no_speech_prob,
    }),
  );

/** An end is never before its start, and neither is before the recording. */
const timesOf = ({ start, end }: { readonly start: number; readonly end: number }) => ({
  start: Math.max(0, start),
  end: Math.max(0, start, end),
});

const wireSegment = z
  .looseObject({
    start: z.number(),
    end: z.number(),
    text: z.string(),
    speaker: z.string().min(1).nullish().catch(undefined),
  })
  .transform((wire): Segment => {
    const details = wireDetails.safeParse(wire).data;
    return {
      ...timesOf(wire),
      text: wire.text.trim(),
      ...(wire.speaker == null ? {} : { speaker: wire.speaker }),
      ...(details ? { details } : {}),
    };
  });

const wireWord = z
  .object({ start: z.number(), end: z.number(), word: z.string() })
  .transform((wire): Word => ({ ...timesOf(wire), text: wire.word.trim() }));

const wireTranscription = z.object({
  text: z.string(),
  // Times that make no sense are as good as none. `duration`, which some servers send as a string, is measured here.
  segments: z.array(wireSegment).nullish().catch(undefined),
  words: z.array(wireWord).nullish().catch(undefined),
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
  const response = jsonOrText(body);
  const { data, error } = wireTranscription.safeParse(response);
  if (!data) throw failureIn(response, error);
  const words = data.words?.filter(({ text }) => text !== "");
  return {
    text: data.text.trim(),
    segments: data.segments?.filter(({ text }) => text !== ""),
    ...(words ? { words } : {}),
  };
};

/** Transcription by servers that speak the OpenAI HTTP API. @param usualModel their name for the model, unless a server has its own. */
export const createOpenAiTranscriber = (
  backends: Backends,
  usualModel: string,
  { stallMilliseconds = defaultStallMilliseconds }: { readonly stallMilliseconds?: number } = {},
): Transcriber => {
  const server = openModelServer(backends, "transcription");
  const ask = (
    { url, headers, silenceMilliseconds, send }: ModelCall,
    body: UploadBody,
    signal: AbortSignal,
    transcript: StreamedTranscript | undefined,
  ): Promise<WholeResponse> =>
    send(async (onSent) => {
      try {
        return await sendUpload({
          url: url("/audio/transcriptions"),
          headers,
          body,
          stallMilliseconds,
          silenceMilliseconds,
          signal,
          onSent,
          onEvents: transcript && ((text) => transcript.read(text)),
        });
      } catch (error) {
        // A caller who has seen the start must not get it again from another attempt.
        if (transcript?.hasStarted && !signal.aborted) throw transcript.brokenOff(error);
        throw error;
      }
    }, signal);

  return {
    transcribe: (request, { signal, onText: onCallersText }) =>
      server.call(signal, async (call) => {
        const { model = usualModel } = call.backend;
        const onText =
          onCallersText &&
          ((text: string): void => {
            call.begin();
            onCallersText(text);
          });
        const askFor = async (form: Form): Promise<Transcription> => {
          const transcript = form.isStreamed && onText ? new StreamedTranscript(onText) : undefined;
          const response = await ask(call, toBody(request, model, form), signal, transcript);
          const lesser = lesserForm(form, response);
          if (lesser) return askFor(lesser);
          if (response.statusCode !== 200) throw refusal(response, model);
          if (transcript?.hasStarted) return transcript.end();
          const transcription = parseTranscription(response.body);
          if (transcription.text !== "") onText?.(transcription.text);
          return transcription;
        };
        return askFor(formFor(request, onText !== undefined));
      }),
  };
};
