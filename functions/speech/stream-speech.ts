import type { RequestContext } from "../../shared/auth/caller.ts";
import { Reply } from "../../shared/http/response.ts";
import { countCharacters } from "../../shared/limits/use.ts";
import type { SignedLink } from "../../shared/storage/object-store.ts";
import type { SpeechItem } from "./contract.ts";
import type { SpeechDependencies } from "./dependencies.ts";
import { recordSpeech, streamSpeech } from "./record-speech.ts";
import { newSpeechId, speechContentType, speechObjectKey, speechPresentation } from "./stored-speech.ts";
import { chooseVoice, toSpeechRequest } from "./voices.ts";

/**
 * Turns a text into speech that leaves while it is made. A failure before the first byte is an ordinary error; after
 * it the stream breaks off.
 *
 * @throws AppError as the choice of a voice and the synthesizer do.
 */
export const streamOnly = async (
  item: SpeechItem,
  { signal }: RequestContext,
  { synthesizer }: SpeechDependencies,
): Promise<Reply> => {
  const request = toSpeechRequest(item, chooseVoice(item.voice, item.language));
  const speech = await synthesizer.synthesize(request, { signal });
  countCharacters(request.text);
  return new Reply({
    contentType: speechContentType,
    headers: { "X-Sample-Rate": String(speech.header.format.sampleRate) },
    body: streamSpeech(speech),
  });
};

/** Speech on its way to the caller and to the store at once. */
export interface StoredStream {
  readonly objectKey: string;
  /** Signed before anything else happened. It answers 404 until the pieces have come to their end. */
  readonly link: SignedLink;
  readonly sampleRate: number;
  /** A WAV file; when it breaks off, nothing stays stored. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Starts to turn a text into speech that is stored while it leaves.
 *
 * @throws AppError as {@link streamOnly} does, or the store.
 */
export const openStoredStream = async (
  item: SpeechItem,
  { userId, signal }: RequestContext,
  { synthesizer, store }: SpeechDependencies,
): Promise<StoredStream> => {
  const request = toSpeechRequest(item, chooseVoice(item.voice, item.language));
  const objectKey = speechObjectKey(userId, newSpeechId());
  const link = await store.signDownload(objectKey, speechPresentation);
  const speech = await synthesizer.synthesize(request, { signal });
  countCharacters(request.text);
  return {
    objectKey,
    link,
    sampleRate: speech.header.format.sampleRate,
    pieces: recordSpeech(speech, store.write(objectKey, { contentType: speechContentType })),
  };
};

/**
 * Like {@link streamOnly}, and stores the speech under a link. Until the stream has come to its end, and for good when
 * it breaks off, the link answers 404.
 */
export const streamAndStore = async (
  item: SpeechItem,
  context: RequestContext,
  dependencies: SpeechDependencies,
): Promise<Reply> => {
  const { objectKey, link, sampleRate, pieces } = await openStoredStream(item, context, dependencies);
  return new Reply({
    contentType: speechContentType,
    headers: {
      "X-Sample-Rate": String(sampleRate),
      "X-Audio-Url": link.url,
      "X-Storage-Object": objectKey,
    },
    body: pieces,
  });
};
