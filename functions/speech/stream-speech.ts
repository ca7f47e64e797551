import { audioKinds, type EncodedAudio } from "../../shared/audio/encode/audio-formats.ts";
import { Reply } from "../../shared/http/response.ts";
import type { SpeechRequest } from "../../shared/models/inference/speech.ts";
import type { SignedLink } from "../../shared/platform/storage/object-store.ts";
import { countCharacters } from "../../shared/platform/telemetry/use.ts";
import type { SpeechItem } from "./contract.ts";
import type { SpeechContext, SpeechDependencies } from "./dependencies.ts";
import { recordSpeech, streamSpeech } from "./record-speech.ts";
import { newSpeechId, speechObjectKey, speechPresentation } from "./stored-speech.ts";
import { chooseVoice, toSpeechRequest } from "./voices.ts";

/** What is known about a stream before its first byte; its account's usage shows the rest. */
const streamHeaders = (
  { text }: SpeechRequest,
  { sampleRate, statedSeconds }: EncodedAudio,
  platform: string,
): Record<string, string> => ({
  "X-Sample-Rate": String(sampleRate),
  "X-Platform": platform,
  "X-Usage-Characters": String([...text].length),
  ...(statedSeconds === undefined ? {} : { "X-Usage-Seconds": String(statedSeconds) }),
});

/**
 * Turns a text into a stream of speech. Later failures end the stream early.
 * @throws AppError as the choice of a voice and the synthesizer do, before the first byte.
 */
export const streamOnly = async (
  item: SpeechItem,
  { signal, format }: SpeechContext,
  { synthesizer, encode, platform }: SpeechDependencies,
): Promise<Reply> => {
  const request = toSpeechRequest(item, chooseVoice(item.voice, item.language));
  const audio = await encode(format, await synthesizer.synthesize(request, { signal }));
  countCharacters(request.text);
  return new Reply({
    contentType: audio.contentType,
    headers: streamHeaders(request, audio, platform),
    body: streamSpeech(audio),
  });
};

/** Speech that is streamed to the caller and stored at the same time. */
export interface StoredStream {
  readonly objectKey: string;
  /** Signed first. It returns 404 until the stream is complete. */
  readonly link: SignedLink;
  readonly sampleRate: number;
  readonly headers: Readonly<Record<string, string>>;
  /** If the stream fails, nothing stays stored. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Starts to stream and store speech. @throws AppError as {@link streamOnly} does, or the store. */
export const openStoredStream = async (
  item: SpeechItem,
  { userId, signal, format }: SpeechContext,
  { synthesizer, encode, store, platform }: SpeechDependencies,
): Promise<StoredStream> => {
  const request = toSpeechRequest(item, chooseVoice(item.voice, item.language));
  const objectKey = speechObjectKey(userId, newSpeechId(), audioKinds[format]);
  const link = await store.signDownload(objectKey, speechPresentation(audioKinds[format]));
  const audio = await encode(format, await synthesizer.synthesize(request, { signal }));
  countCharacters(request.text);
  const { contentType, sampleRate } = audio;
  return {
    objectKey,
    link,
    sampleRate,
    headers: streamHeaders(request, audio, platform),
    pieces: recordSpeech(audio, store.write(objectKey, { contentType })),
  };
};

/** Like {@link streamOnly}, and stores the speech. Its link returns 404 until the stream is complete. */
export const streamAndStore = async (
  item: SpeechItem,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<Reply> => {
  const { objectKey, link, headers, pieces } = await openStoredStream(item, context, dependencies);
  return new Reply({
    contentType: audioKinds[context.format].contentType,
    headers: {
      ...headers,
      "X-Audio-Url": link.url,
      "X-Storage-Object": objectKey,
    },
    body: pieces,
  });
};
