import type { RequestContext } from "../../shared/auth/caller.ts";
import type { SpeechRequest } from "../../shared/inference/speech.ts";
import { countCharacters } from "../../shared/limits/use.ts";
import type { SignedLink } from "../../shared/storage/object-store.ts";
import { requestScope } from "../../shared/telemetry/request-scope.ts";
import type { SpeechItem, SpeechResponse, SpeechUsage } from "./contract.ts";
import type { SpeechDependencies } from "./dependencies.ts";
import { durationSeconds, recordSpeech } from "./record-speech.ts";
import { newSpeechId, speechContentType, speechObjectKey, speechPresentation } from "./stored-speech.ts";
import { chooseVoice, toSpeechRequest } from "./voices.ts";

/**
 * Turns a text into stored speech.
 *
 * @throws AppError as the choice of a voice, the synthesizer and the store do.
 */
export const synthesizeSpeech = async (
  item: SpeechItem,
  context: RequestContext,
  dependencies: SpeechDependencies,
): Promise<SpeechResponse> => {
  const startedAt = performance.now();
  const chosen = chooseVoice(item.voice, item.language);
  const id = newSpeechId();
  const stored = await storeSpeech(toSpeechRequest(item, chosen), id, context, dependencies);
  return {
    audio_url: stored.link.url,
    audio_url_expires_at: stored.link.expiresAt.toISOString(),
    model: dependencies.model,
    platform: dependencies.platform,
    ...chosen,
    sample_rate: stored.sampleRate,
    duration_seconds: stored.usage.duration_seconds,
    storage_object: stored.objectKey,
    request_id: id,
    timings_ms: {
      inference_ms: stored.took.inference,
      upload_ms: stored.took.upload,
      signed_url_ms: stored.took.signing,
      total_ms: millisecondsBetween(startedAt, performance.now()),
    },
    usage: stored.usage,
  };
};

/** Speech that was made and stored. */
export interface StoredSpeech {
  readonly objectKey: string;
  readonly link: SignedLink;
  readonly sampleRate: number;
  readonly usage: SpeechUsage;
  /** How long each step took, in milliseconds. */
  readonly took: { readonly inference: number; readonly upload: number; readonly signing: number };
}

/** Milliseconds between two moments, to a tenth. */
export const millisecondsBetween = (start: number, end: number): number =>
  Math.round((end - start) * 10) / 10;

/** Reads an iteration to its end for what it returns; `onYield` sees when each value came. */
const drain = async <Result>(
  iteration: AsyncGenerator<unknown, Result, undefined>,
  onYield: () => void,
): Promise<Result> => {
  for (;;) {
    const next = await iteration.next();
    if (next.done) return next.value;
    onYield();
  }
};

/**
 * Makes speech, stores it and signs a link to it.
 *
 * @param id 32 hexadecimal digits that become part of the object's name.
 * @throws AppError as the synthesizer and the store do; nothing stays stored then.
 */
export const storeSpeech = async (
  request: SpeechRequest,
  id: string,
  { userId, signal }: RequestContext,
  { synthesizer, store }: SpeechDependencies,
): Promise<StoredSpeech> => {
  const objectKey = speechObjectKey(userId, id);
  const startedAt = performance.now();
  const speech = await synthesizer.synthesize(request, { signal });
  countCharacters(request.text);
  const beganAt = performance.now();
  let madeAt = beganAt;
  const writer = store.write(objectKey, { contentType: speechContentType });
  const followingBytes = await drain(recordSpeech(speech, writer), () => {
    madeAt = performance.now();
  });
  const storedAt = performance.now();
  const scope = requestScope();
  if (scope) scope.upstreamMilliseconds = (scope.upstreamMilliseconds ?? 0) + madeAt - beganAt;
  const link = await store.signDownload(objectKey, speechPresentation);
  return {
    objectKey,
    link,
    sampleRate: speech.header.format.sampleRate,
    usage: {
      input_characters: [...request.text].length,
      output_audio_bytes: speech.header.bytes.length + followingBytes,
      duration_seconds: durationSeconds(speech.header, followingBytes),
    },
    took: {
      inference: millisecondsBetween(startedAt, madeAt),
      upload: millisecondsBetween(madeAt, storedAt),
      signing: millisecondsBetween(storedAt, performance.now()),
    },
  };
};
