import { BackendRefusal } from "../../../platform/outbound/failures.ts";
import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { sendUpload, type UploadBody } from "../../../platform/outbound/upload.ts";
import type {
  Transcriber,
  Transcription,
  TranscriptionOptions,
  TranscriptionRequest,
} from "../transcription.ts";
import { type Backend, type Backends, ModelRefusal, notReady } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { KnownLanguages } from "./known-languages.ts";
import { LanguageProbe } from "./language-probe.ts";
import { failureOf } from "./refusals.ts";
import { StreamedTranscript } from "./streamed-transcript.ts";
import type { ModelCall } from "./task-server.ts";
import { formFor, type RefusableFeature, refusedOf, toBody } from "./transcription-form.ts";
import { parseTranscription } from "./whole-transcript.ts";

/** How long a server may stop reading a recording. Decoders read it at once or not at all. */
const defaultStallMilliseconds = 30_000;

const refusal = (response: WholeResponse, model: string, { prompt, temperature }: TranscriptionRequest) => {
  const { statusCode } = response;
  if (statusCode === 202) return notReady("The model is starting; this can take 2 to 3 minutes. Try again.");
  if (statusCode === 413) {
    return new ModelRefusal("external_service_error", {
      message:
        "The model's server does not accept recordings of this size; send a shorter or more compressed one.",
      cause: new BackendRefusal(statusCode, { model }),
    });
  }
  return failureOf(response, { sent: { model, prompt, temperature }, isCallers: () => true, hasAudio: true });
};

const upload = (
  { url, headers, silenceMilliseconds, send }: ModelCall,
  body: UploadBody,
  { signal, stallMilliseconds }: { readonly signal: AbortSignal; readonly stallMilliseconds: number },
  transcript?: StreamedTranscript,
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

/** What a transcriber knows between its requests. */
interface Knowledge {
  readonly languages: KnownLanguages;
  readonly probe: LanguageProbe;
  /** What each server has refused before it transcribed without it. */
  readonly lacking: WeakMap<Backend, ReadonlySet<RefusableFeature>>;
  readonly stallMilliseconds: number;
}

const transcribeAt = async (
  call: ModelCall,
  request: TranscriptionRequest,
  { signal, onText: onCallersText }: TranscriptionOptions,
  { languages, probe, lacking, stallMilliseconds }: Knowledge,
): Promise<Transcription> => {
  const { backend } = call;
  const { model, name } = backend;
  const { language, prompt = "" } = request;
  call.noteSent(prompt);
  const ask = (body: UploadBody, transcript?: StreamedTranscript) =>
    upload(call, body, { signal, stallMilliseconds }, transcript);
  const onText =
    onCallersText &&
    ((text: string): void => {
      call.begin();
      onCallersText(text);
    });
  const askFor = async (refused: ReadonlySet<RefusableFeature>): Promise<Transcription> => {
    const form = formFor(request, model.profile.transcription, { isStreamed: onText !== undefined, refused });
    const transcript = form.isStreamed && onText ? new StreamedTranscript(onText) : undefined;
    const response = await ask(toBody(request, model, form), transcript);
    const feature = refusedOf(form, response);
    if (feature) return askFor(new Set([...refused, feature]));
    if (response.statusCode !== 200) {
      if (language !== undefined && (await probe.refuses(language, backend, response, ask)))
        throw languages.refusal(language, name);
      throw refusal(response, model.name, request);
    }
    lacking.set(backend, refused);
    if (transcript?.hasStarted) return transcript.end();
    const transcription = parseTranscription(response.body);
    if (transcription.text !== "") onText?.(transcription.text);
    return transcription;
  };
  return askFor(lacking.get(backend) ?? new Set());
};

/** Transcription by servers that speak the OpenAI HTTP API. */
export const createOpenAiTranscriber = (
  backends: Backends,
  { stallMilliseconds = defaultStallMilliseconds }: { readonly stallMilliseconds?: number } = {},
): Transcriber => {
  const server = openModelServer(backends, "transcription");
  const languages = new KnownLanguages(backends, "transcription");
  const knowledge = { languages, probe: new LanguageProbe(), lacking: new WeakMap(), stallMilliseconds };
  return {
    transcribe: async (request, options) => {
      languages.require(request.language);
      return server.call(
        options.signal,
        (call) => transcribeAt(call, request, options, knowledge),
        (backend) => languages.serves(backend, request.language),
      );
    },
  };
};
