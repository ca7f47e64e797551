import type { IncomingMessage } from "node:http";
import { UnreadableAudioError } from "../../../audio/reading/audio-errors.ts";
import { announcedLength } from "../../../audio/wav/joined-wav.ts";
import { monoHeader } from "../../../audio/wav/mono-wav.ts";
import type { Speech, SpeechHeader } from "../../../audio/wav/streamed-wav.ts";
import { readWavHeader } from "../../../audio/wav/wav-header.ts";
import { bytesPerSample } from "../../../audio/wav/wav-structure.ts";
import { findStageVoice, languageOfVoice, modelVoiceOf } from "../../../platform/catalogue/voices.ts";
import { BackendTimeout } from "../../../platform/outbound/failures.ts";
import { readPieces } from "../../../platform/outbound/http-client.ts";
import type { WholeResponse } from "../../../platform/outbound/read-response.ts";
import { limitTime } from "../../../platform/outbound/timeouts.ts";
import type { SpeechRequest, SpeechSynthesizer } from "../speech.ts";
import { type Backend, type Backends, type ServedModel, unusable } from "./backend.ts";
import { openModelServer, postJson, readWhole } from "./call-policy.ts";
import { KnownLanguages } from "./known-languages.ts";
import { failureOf, type RefusedRequest, reportedFailure } from "./refusals.ts";
import { jsonOrText } from "./server-words.ts";
import { speakInTurn, splitSpokenText } from "./speak-in-turn.ts";
import type { ModelCall } from "./task-server.ts";

/** Enough of an invalid response to see what it says. */
const maxWordsBytes = 64 * 1024;

/** Formats without loss, from which the service makes the others. */
type PlainFormat = "wav" | "pcm";

/** In hertz, as OpenAI documents it for `pcm`. */
const usualSampleRate = 24_000;

/** Names as servers of speech models know them; absent parameters are not sent. */
const toWire = (
  { text, voice, language, sampling }: SpeechRequest,
  { name, profile }: ServedModel,
  format: PlainFormat,
) => ({
  model: findStageVoice(voice)?.model ?? name,
  input: text,
  voice: modelVoiceOf(voice),
  response_format: format,
  ...(profile.speech.streams ? { stream: true } : {}),
  language,
  temperature: sampling.temperature,
  top_p: sampling.topP,
  repetition_penalty: sampling.repetitionPenalty,
  max_tokens: sampling.maxTokens,
  seed: sampling.seed,
});

type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

/** A response with status 200 that is not speech: some servers report failures so. */
const noSpeech = async (start: Buffer, pieces: Pieces, request: RefusedRequest, cause?: unknown) => {
  let words = start;
  while (words.length < maxWordsBytes) {
    const next = await pieces.next();
    if (next.done) break;
    words = Buffer.concat([words, next.value]);
  }
  await pieces.return();
  return (
    reportedFailure(jsonOrText(words.toString()), request) ??
    unusable("The model's server did not return WAV audio.", cause)
  );
};

const minHeaderBytes = 44;

/** @param responseBytes how long the response is; NaN when that is unknown */
const parseHeader = (start: Buffer, responseBytes: number): SpeechHeader | undefined => {
  const header = readWavHeader(start);
  if (!header) return undefined;
  const { format, dataStart } = header;
  const audioBytes = announcedLength(header.dataBytes);
  const isWhole = responseBytes - dataStart - (audioBytes ?? 0) < minHeaderBytes;
  return { bytes: start.subarray(0, dataStart), format, audioBytes, mayContinue: !isWhole };
};

/** Audio without a header has one channel of 16 bits. */
const headerAt = (sampleRate: number): SpeechHeader => {
  const format = { encoding: "pcm", sampleRate, channels: 1, bitsPerSample: 16 } as const;
  return { bytes: monoHeader(sampleRate), format, audioBytes: undefined };
};

const startsAsWav = /^(?:RIFF|RF64|BW64)/;

/** @param sampleRate of audio without a header, if the server may send such */
const readHeader = async (
  pieces: Pieces,
  request: RefusedRequest,
  responseBytes: number,
  sampleRate: number | undefined,
): Promise<{ header: SpeechHeader; rest: Uint8Array }> => {
  let start = Buffer.alloc(0);
  for (;;) {
    const next = await pieces.next();
    if (next.done) throw await noSpeech(start, pieces, request);
    start = Buffer.concat([start, next.value]);
    if (start.length < 4) continue;
    if (sampleRate !== undefined && !startsAsWav.test(start.toString("latin1", 0, 4)))
      return { header: headerAt(sampleRate), rest: start };
    try {
      const header = parseHeader(start, responseBytes);
      if (header) return { header, rest: start.subarray(header.bytes.length) };
    } catch (error) {
      if (!(error instanceof UnreadableAudioError)) throw error;
      throw await noSpeech(start, pieces, request, error);
    }
  }
};

/** Allowed in addition to the text, however short it is. */
const usualSeconds = 30;

/** A slow voice needs 0.2 seconds for a letter; figures, which are read as whole words, somewhat more than twice that. */
const secondsPerCharacter = 0.5;

/** More than any useful audio has. A header with a higher rate must not raise the limit. */
const maxBytesPerSecond = 48_000 * 2 * 4;

/**
 * The maximum audio of a text. A model that does not find the end of its speech continues forever, and when a caller
 * waits for a link, Lambda does not report that they have left.
 */
const maxAudioBytes = (text: string, { format }: SpeechHeader): number => {
  const seconds = usualSeconds + secondsPerCharacter * [...text].length;
  const bytesPerSecond = format.sampleRate * format.channels * bytesPerSample(format);
  return Math.ceil(seconds * Math.min(bytesPerSecond, maxBytesPerSecond));
};

async function* readAudio(
  { audioBytes }: SpeechHeader,
  rest: Uint8Array,
  { pieces, maxBytes }: { readonly pieces: Pieces; readonly maxBytes: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  let received = rest.length;
  try {
    if (rest.length > 0) yield rest;
    for await (const piece of pieces) {
      received += piece.length;
      if (received > maxBytes) break;
      yield piece;
    }
  } catch (error) {
    throw unusable("The model's server ended the speech early.", error);
  }
  if (received > maxBytes) throw unusable("The model returned more audio than the text can need.");
  if (received === 0) throw unusable("The model's server returned no audio.");
  if (received < (audioBytes ?? 0))
    throw unusable("The model's server returned less audio than it announced.");
}

/** Whether a response with status 200 is text, such as a report of a failure. */
const isText = ({ headers }: IncomingMessage): boolean =>
  /^(?:text\/|application\/json)/.test(headers["content-type"] ?? "");

const readSpeech = async (
  response: IncomingMessage,
  { text, ...request }: RefusedRequest & { readonly text: string },
  {
    silenceMilliseconds,
    sampleRate,
  }: { readonly silenceMilliseconds: number; readonly sampleRate: number | undefined },
): Promise<Speech> => {
  const pieces = readPieces(response, silenceMilliseconds);
  // It is not a number without this header.
  const length = Number(response.headers["content-length"]);
  const rate = isText(response) ? undefined : sampleRate;
  const { header, rest } = await readHeader(pieces, request, length, rate);
  const maxBytes = maxAudioBytes(text, header);
  return {
    header,
    audio: readAudio(header, rest, { pieces, maxBytes }),
    cancel: () => void response.destroy(),
  };
};

/** The format of each server: what its profile says, or what it was found to make. */
type Formats = WeakMap<Backend, PlainFormat>;

const formatOf = (backend: Backend, formats: Formats): PlainFormat =>
  formats.get(backend) ?? (backend.model.profile.speech.formats?.includes("wav") === false ? "pcm" : "wav");

/** Whether a server refuses WAV. */
const refusesWav = ({ statusCode, body }: WholeResponse): boolean =>
  (statusCode === 400 || statusCode === 422) && /response_format|\bwav\b/i.test(body);

const synthesizeAt = async (
  call: ModelCall,
  request: SpeechRequest,
  signal: AbortSignal,
  formats: Formats,
): Promise<Speech> => {
  const { silenceMilliseconds, backend } = call;
  const { sample_rate, formats: named } = backend.model.profile.speech;
  // Until there is audio, bytes do not mean that there will be any.
  const limit = limitTime(silenceMilliseconds, signal, () => {
    return new BackendTimeout(`The server sent no audio for ${silenceMilliseconds} ms.`);
  });
  const askFor = async (format: PlainFormat): Promise<Speech> => {
    const body = toWire(request, backend.model, format);
    const response = await postJson(call, "/audio/speech", body, limit.signal);
    const isCallers = (name: string): boolean => name !== "voice" || request.hasNamedVoice === true;
    const refused = { sent: body, isCallers, text: request.text };
    if (response.statusCode === 200) {
      const sampleRate = sample_rate ?? (format === "pcm" ? usualSampleRate : undefined);
      const speech = await readSpeech(response, refused, { silenceMilliseconds, sampleRate });
      formats.set(backend, format);
      return speech;
    }
    const whole = await readWhole(response, maxWordsBytes);
    if (format === "wav" && named === undefined && refusesWav(whole)) return askFor("pcm");
    throw failureOf(whole, refused);
  };
  try {
    return await askFor(formatOf(backend, formats));
  } finally {
    limit.lift();
  }
};

/** The pieces in which a server speaks a text. One that streams starts at once, even with a long text. */
const piecesFor = (text: string, { model: { profile } }: Backend): readonly [string, ...string[]] => {
  const { streams, max_characters } = profile.speech;
  return streams && text.length <= (max_characters ?? text.length)
    ? [text]
    : splitSpokenText(text, max_characters);
};

/** Speech from servers that speak the OpenAI HTTP API. */
export const createOpenAiSynthesizer = (backends: Backends): SpeechSynthesizer => {
  const server = openModelServer(backends, "speech");
  const languages = new KnownLanguages(backends, "speech");
  const formats: Formats = new WeakMap();
  return {
    synthesize: async (request, { signal }) => {
      const speaker = findStageVoice(request.voice)?.server;
      const language = languageOfVoice(request.voice)?.code;
      if (speaker === undefined) languages.require(language);
      const canSpeak = (backend: Backend): boolean =>
        speaker === undefined ? languages.serves(backend, language) : backend.name === speaker;
      return server.call(
        signal,
        async (call) => {
          const { backend } = call;
          const speak = (text: string, ended: AbortSignal, isFirst: boolean): Promise<Speech> =>
            isFirst
              ? synthesizeAt(call, { ...request, text }, ended, formats)
              : server.call(
                  ended,
                  (next) => synthesizeAt(next, { ...request, text }, ended, formats),
                  (other) => other === backend,
                );
          return speakInTurn(piecesFor(request.text, backend), speak, signal);
        },
        canSpeak,
      );
    },
  };
};
