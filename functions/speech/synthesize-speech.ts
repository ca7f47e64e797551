import { audioKinds } from "../../shared/audio/encode/audio-formats.ts";
import type { SpeechRequest } from "../../shared/models/inference/speech.ts";
import type { SignedLink } from "../../shared/platform/storage/object-store.ts";
import { requestScope } from "../../shared/platform/telemetry/request-scope.ts";
import { countCharacters } from "../../shared/platform/telemetry/use.ts";
import type { SpeechItem } from "./contract.ts";
import type { SpeechContext, SpeechDependencies } from "./dependencies.ts";
import { recordSpeech } from "./record-speech.ts";
import type { SpeechResponse, SpeechUsage } from "./speech-results.ts";
import { newSpeechId, speechObjectKey, speechPresentation } from "./stored-speech.ts";
import { chooseVoice, toSpeechRequest } from "./voices.ts";

/** Turns a text into stored speech. @throws AppError as the choice of a voice, the synthesizer and the store do. */
export const synthesizeSpeech = async (
  item: SpeechItem,
  context: SpeechContext,
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

/**
 * Creates speech, stores it and signs a link to it. @param id 32 hexadecimal digits, part of the object's name.
 * @throws AppError as the synthesizer and the store do; nothing stays stored then.
 */
export const storeSpeech = async (
  request: SpeechRequest,
  id: string,
  { userId, signal, format }: SpeechContext,
  { synthesizer, encode, store }: SpeechDependencies,
): Promise<StoredSpeech> => {
  const kind = audioKinds[format];
  const objectKey = speechObjectKey(userId, id, kind);
  const startedAt = performance.now();
  const audio = await encode(format, await synthesizer.synthesize(request, { signal }));
  countCharacters(request.text);
  const streamedAt = performance.now();
  let createdAt = streamedAt;
  let bytes = 0;
  for await (const piece of recordSpeech(audio, store.write(objectKey, { contentType: kind.contentType }))) {
    bytes += piece.length;
    createdAt = performance.now();
  }
  const storedAt = performance.now();
  const scope = requestScope();
  if (scope) scope.upstreamMilliseconds = (scope.upstreamMilliseconds ?? 0) + createdAt - streamedAt;
  const link = await store.signDownload(objectKey, speechPresentation(kind));
  return {
    objectKey,
    link,
    sampleRate: audio.sampleRate,
    usage: {
      input_characters: [...request.text].length,
      output_audio_bytes: bytes,
      duration_seconds: audio.end().seconds,
    },
    took: {
      inference: millisecondsBetween(startedAt, createdAt),
      upload: millisecondsBetween(createdAt, storedAt),
      signing: millisecondsBetween(storedAt, performance.now()),
    },
  };
};
