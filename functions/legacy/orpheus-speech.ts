import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { SpeechItem } from "../speech/contract.ts";
import type { SpeechContext, SpeechDependencies } from "../speech/dependencies.ts";
import { synthesizeBatch } from "../speech/synthesize-batch.ts";
import { synthesizeSpeech } from "../speech/synthesize-speech.ts";
import type { OrpheusBatchResponse, OrpheusItem, OrpheusResponse } from "./orpheus-contract.ts";

const toSpeechItem = ({ speaker_id: voice, ...item }: OrpheusItem): SpeechItem => ({ ...item, voice });

/** `POST /tasks/{vendor_a}/orpheus/tts`: speaks a text with a voice of the catalogue. */
export const synthesizeOrpheusSpeech = async (
  item: OrpheusItem,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<OrpheusResponse> => {
  const synthesized = await synthesizeSpeech(toSpeechItem(item), context, dependencies);
  const { voice, storage_object, usage, model, platform, ...speech } = synthesized;
  return {
    ...speech,
    speaker_id: voice,
    chunks: null,
    audio_size_bytes: usage.output_audio_bytes,
    gcs_object: storage_object,
  };
};

const maxBatchSize = 16;

/**
 * `POST /tasks/{vendor_a}/orpheus/tts/batch`: speaks several texts with voices of the catalogue.
 *
 * @throws AppError `bad_request` for more than 16.
 */
export const synthesizeOrpheusBatch = async (
  items: readonly OrpheusItem[],
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<OrpheusBatchResponse> => {
  if (items.length > maxBatchSize) {
    const message = `A batch can have at most ${maxBatchSize} items.`;
    throw new AppError("bad_request", { message, param: "items" });
  }
  const batch = { items: items.map(toSpeechItem) };
  const { results, request_id, timings_ms } = await synthesizeBatch(batch, context, dependencies);
  return {
    results: results.map(({ voice: speaker_id, storage_object: gcs_object, ...result }) => ({
      ...result,
      speaker_id,
      gcs_object,
    })),
    request_id,
    timings_ms,
  };
};
