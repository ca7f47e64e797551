import { AppError } from "../../shared/errors/app-error.ts";
import type { SpeechItem } from "../speech/contract.ts";
import type { Asking, SpeechDependencies } from "../speech/dependencies.ts";
import { synthesizeBatch } from "../speech/synthesize-batch.ts";
import { synthesizeSpeech } from "../speech/synthesize-speech.ts";
import type { VoiceBatchResponse, VoiceItem, VoiceResponse } from "./voice-contract.ts";

const toVoiceItem = ({ speaker_id: voice, ...item }: VoiceItem): SpeechItem => ({ ...item, voice });

/** Speaks a text with a voice of the catalogue. */
export const speakWithVoice = async (
  item: VoiceItem,
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<VoiceResponse> => {
  const { voice, storage_object, usage, model, platform, ...speech } = await synthesizeSpeech(
    toVoiceItem(item),
    asking,
    dependencies,
  );
  return {
    ...speech,
    speaker_id: voice,
    chunks: null,
    audio_size_bytes: usage.output_audio_bytes,
    gcs_object: storage_object,
  };
};

const largestBatch = 16;

/** Speaks several texts with voices of the catalogue. @throws AppError `bad_request` for more than 16. */
export const speakBatchWithVoices = async (
  items: readonly VoiceItem[],
  asking: Asking,
  dependencies: SpeechDependencies,
): Promise<VoiceBatchResponse> => {
  if (items.length > largestBatch) {
    const message = `At most ${largestBatch} items can be sent at once.`;
    throw new AppError("bad_request", { message, param: "items" });
  }
  const batch = { items: items.map(toVoiceItem) };
  const { results, request_id, timings_ms } = await synthesizeBatch(batch, asking, dependencies);
  return {
    results: results.map(({ voice, storage_object, ...result }) => ({
      ...result,
      speaker_id: voice,
      gcs_object: storage_object,
    })),
    request_id,
    timings_ms,
  };
};
