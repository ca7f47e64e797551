import { BackendRefusal } from "../../../platform/outbound/failures.ts";
import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { sendUpload, type UploadBody } from "../../../platform/outbound/upload.ts";
import { codeFromWire } from "../language-codes.ts";
import { layTurns, type Turn } from "../lay-turns.ts";
import type {
  Transcriber,
  Transcription,
  TranscriptionOptions,
  TranscriptionRequest,
} from "../transcription.ts";
import { type Backend, type Backends, ModelRefusal, NoSpeakers, notReady } from "./backend.ts";
import { openModelServer } from "./call-policy.ts";
import { KnownLanguages } from "./known-languages.ts";
import { KnownSpeakers } from "./known-speakers.ts";
import { LanguageProbe } from "./language-probe.ts";
import { failureOf } from "./refusals.ts";
import { StreamedTranscript } from "./streamed-transcript.ts";
import type { ModelCall } from "./task-server.ts";
import { formFor, type RefusableFeature, refusedOf, toBody } from "./transcription-form.ts";
import { parseTranscription, parseTurns } from "./whole-transcript.ts";

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
  readonly speakers: KnownSpeakers;
  /** What each server has refused before it transcribed without it. */
  readonly lacking: WeakMap<Backend, ReadonlySet<RefusableFeature>>;
  readonly stallMilliseconds: number;
}

/** Some servers distinguish speakers without being requested to. */
const withoutSpeakers = ({ segments, ...others }: Transcription): Transcription => ({
  ...others,
  segments: segments?.map(({ speaker: _, ...segment }) => segment),
});

/** Whether a model reports how probable its text is; silence does not show it. */
const hasScores = ({ text, segments = [], words = [] }: Transcription): boolean =>
  text === "" ||
  segments.some(({ details }) => details?.averageLogProbability !== undefined) ||
  words.some(({ probability }) => probability !== undefined);

const transcribeAt = async (
  call: ModelCall,
  request: TranscriptionRequest,
  { signal, onText: onCallersText }: TranscriptionOptions,
  { languages, probe, speakers, lacking, stallMilliseconds }: Knowledge,
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
    const withSpeakers = form.format === "diarized_json";
    if (request.speakers === "required" && !withSpeakers) throw new NoSpeakers();
    const transcript = form.isStreamed && onText ? new StreamedTranscript(onText) : undefined;
    const response = await ask(toBody(request, model, form), transcript);
    const feature = refusedOf(form, response);
    if (feature === "speakers") speakers.learn(backend, false);
    if (feature) return askFor(new Set([...refused, feature]));
    if (response.statusCode !== 200) {
      if (language !== undefined && (await probe.refuses(language, backend, response, ask)))
        throw languages.refusal(language, name);
      throw refusal(response, model.name, request);
    }
    lacking.set(backend, refused);
    if (transcript?.hasStarted) return transcript.end();
    const { language_codes: codes } = model.profile.transcription;
    const parsed = parseTranscription(
      response.body,
      request.detectsLanguage ? (named) => codeFromWire(codes, named) : undefined,
    );
    const isScored = request.scores === undefined || form.format !== "verbose_json" || hasScores(parsed);
    if (!isScored) lacking.set(backend, new Set([...refused, "scores"]));
    const transcription = request.speakers ? parsed : withoutSpeakers(parsed);
    if (withSpeakers) speakers.require(request, backend, transcription);
    if (transcription.text !== "") onText?.(transcription.text);
    return transcription;
  };
  const refused = lacking.get(backend) ?? new Set();
  const isWorthAsking =
    request.speakers === "if-known" ? speakers.isSure(backend) : speakers.mayDistinguish(backend);
  return askFor(isWorthAsking ? refused : new Set([...refused, "speakers"]));
};

/** Requests who speaks when from a server that only distinguishes speakers. */
const turnsAt = async (
  call: ModelCall,
  { recording }: TranscriptionRequest,
  signal: AbortSignal,
  { stallMilliseconds }: Knowledge,
): Promise<readonly Turn[]> => {
  const { model } = call.backend;
  const request = { recording, language: undefined, withSegments: true };
  const form = { format: "diarized_json", withWords: false, isStreamed: false } as const;
  const response = await upload(call, toBody(request, model, form), { signal, stallMilliseconds });
  if (response.statusCode !== 200) throw refusal(response, model.name, request);
  return parseTurns(response.body);
};

interface TranscriberOptions {
  readonly stallMilliseconds?: number;
  /** A server that distinguishes speakers where those of transcription do not. */
  readonly diarizer?: Backend | undefined;
}

/** Transcription by servers that speak the OpenAI HTTP API. */
export const createOpenAiTranscriber = (
  backends: Backends,
  { stallMilliseconds = defaultStallMilliseconds, diarizer }: TranscriberOptions = {},
): Transcriber => {
  const server = openModelServer(diarizer ? [...backends, diarizer] : backends, "transcription");
  const languages = new KnownLanguages(backends, "transcription");
  const speakers = new KnownSpeakers();
  const knowledge = {
    ...{ languages, speakers, probe: new LanguageProbe() },
    ...{ lacking: new WeakMap(), stallMilliseconds },
  };

  const serves = (backend: Backend, { language, detectsLanguage }: TranscriptionRequest): boolean =>
    languages.serves(backend, language) &&
    (!detectsLanguage || backend.model.profile.transcription.detects === true);

  const transcribe = (request: TranscriptionRequest, options: TranscriptionOptions) =>
    server.call(
      options.signal,
      (call) => transcribeAt(call, request, options, knowledge),
      (backend) =>
        backend !== diarizer &&
        serves(backend, request) &&
        (request.speakers !== "required" || speakers.mayDistinguish(backend)),
      (backend) => request.speakers !== undefined && speakers.isSure(backend),
    );

  /** Transcribes and distinguishes speakers at two servers, and joins both. The first failure ends it. */
  const transcribeAtTwo = async (request: TranscriptionRequest, options: TranscriptionOptions) => {
    const ending = new AbortController();
    const signal = AbortSignal.any([options.signal, ending.signal]);
    const plain = { ...request, speakers: undefined, withSegments: true, withWords: true };
    try {
      const [transcription, turns] = await Promise.all([
        transcribe(plain, { signal }),
        server.call(
          signal,
          (call) => turnsAt(call, request, signal, knowledge),
          (backend) => backend === diarizer,
        ),
      ]);
      if (transcription.text !== "") options.onText?.(transcription.text);
      return layTurns(transcription, turns);
    } finally {
      ending.abort();
    }
  };

  return {
    transcribe: async (request, options) => {
      languages.require(request.language);
      const { speakers: requested = "if-known" } = request;
      const mayDistinguish = backends.some(
        (backend) => serves(backend, request) && speakers.mayDistinguish(backend),
      );
      if (requested === "if-known" || (!diarizer && (mayDistinguish || requested !== "required")))
        return transcribe(request, options);
      if (!diarizer) throw new NoSpeakers();
      try {
        if (mayDistinguish) return await transcribe({ ...request, speakers: "required" }, options);
      } catch (error) {
        if (!(error instanceof NoSpeakers)) throw error;
      }
      return transcribeAtTwo(request, options);
    },
  };
};
