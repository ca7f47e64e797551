import { chooseVoice } from "./choose-voice.ts";
import type { SpeechItem, SpeechResponse } from "./contract.ts";
import type { Asking, SpeechDependencies } from "./dependencies.ts";
import { newSpeechId } from "./speech-object.ts";
import { toSpeechRequest } from "./speech-request.ts";
import { millisecondsBetween, storeSpeech } from "./store-speech.ts";

/**
 * Turns a text into stored speech.
 *
 * @throws AppError as the choice of a voice, the synthesizer and the store do.
 */
export const synthesizeSpeech = async (
  item: SpeechItem,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<SpeechResponse> => {
  const startedAt = performance.now();
  const chosen = chooseVoice(item.voice, item.language);
  const id = newSpeechId();
  const stored = await storeSpeech(toSpeechRequest(item, chosen), id, asking, dependencies);
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
