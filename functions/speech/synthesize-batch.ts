import pLimit from "p-limit";
import type { AppError } from "../../shared/platform/errors/app-error.ts";
import { allItemsFailed, atItem } from "../../shared/platform/errors/batch-errors.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { countUse } from "../../shared/platform/telemetry/use.ts";
import type { BatchRequest } from "./contract.ts";
import type { SpeechContext, SpeechDependencies } from "./dependencies.ts";
import type { BatchResponse, BatchResult } from "./speech-results.ts";
import { newSpeechId } from "./stored-speech.ts";
import { millisecondsBetween, type StoredSpeech, storeSpeech } from "./synthesize-speech.ts";
import { type ChosenVoice, chooseVoice, toSpeechRequest } from "./voices.ts";

/** How many items run in parallel, so one caller does not occupy a GPU alone. */
const concurrentItems = 4;

interface Outcome {
  readonly index: number;
  readonly voice: ChosenVoice;
  readonly stored?: StoredSpeech;
  readonly error?: AppError;
}

const logFailure = (index: number, thrown: unknown): AppError => {
  const error = toAppError(thrown);
  logger.error("speech.item_failed", { index, code: error.code, reason: describeError(error.cause) });
  return error;
};

const toResult = ({ index, voice, stored, error }: Outcome, requestId: string): BatchResult => ({
  index,
  status: stored ? "ok" : "error",
  ...voice,
  audio_url: stored?.link.url ?? null,
  audio_url_expires_at: stored?.link.expiresAt.toISOString() ?? null,
  sample_rate: stored?.sampleRate ?? null,
  duration_seconds: stored?.usage.duration_seconds ?? null,
  audio_size_bytes: stored?.usage.output_audio_bytes ?? null,
  storage_object: stored?.objectKey ?? null,
  request_id: stored ? requestId : null,
  error_code: error?.code ?? null,
  error_detail: error?.message ?? null,
});

const sum = (values: readonly number[]): number =>
  Math.round(values.reduce((total, value) => total + value, 0) * 1_000) / 1_000;

/**
 * Turns several texts into stored speech. All are checked first; then some may fail while others succeed.
 * @throws AppError for the first item without a usable voice, its message starting with `item index N:`;
 * `external_service_error` when all items fail, `service_unavailable` when the model was unavailable for all.
 */
export const synthesizeBatch = async (
  { items }: Pick<BatchRequest, "items">,
  context: SpeechContext,
  dependencies: SpeechDependencies,
): Promise<BatchResponse> => {
  const startedAt = performance.now();
  const requestId = newSpeechId();
  const chosen = items.map((item, index) => ({
    item,
    index,
    voice: atItem(index, () => chooseVoice(item.voice, item.language)),
  }));
  const outcomes = await pLimit(concurrentItems).map(
    chosen,
    ({ item, index, voice }): Promise<Outcome> =>
      storeSpeech(toSpeechRequest(item, voice), newSpeechId(), context, dependencies).then(
        (stored) => ({ index, voice, stored }),
        (thrown: unknown) => ({ index, voice, error: logFailure(index, thrown) }),
      ),
  );
  const stored = outcomes.flatMap((outcome) => outcome.stored ?? []);
  const errors = outcomes.flatMap(({ error }) => error ?? []);
  const results = outcomes.map((outcome) => toResult(outcome, requestId));
  countUse("errors", errors.length);
  if (stored.length === 0) throw allItemsFailed("No item could be synthesised.", errors, results);
  return {
    model: dependencies.model,
    platform: dependencies.platform,
    results,
    request_id: requestId,
    timings_ms: {
      inference_ms: sum(stored.map(({ took }) => took.inference)),
      upload_ms: sum(stored.map(({ took }) => took.upload)),
      total_ms: millisecondsBetween(startedAt, performance.now()),
    },
    usage: {
      input_characters: sum(stored.map(({ usage }) => usage.input_characters)),
      output_audio_bytes: sum(stored.map(({ usage }) => usage.output_audio_bytes)),
      duration_seconds: sum(stored.map(({ usage }) => usage.duration_seconds)),
    },
  };
};
