import { ApiError } from "./api-error.ts";

/**
 * The model ids of the sample server: for `CHAT_MODEL_14B` and `CHAT_MODEL_9B`, which give the same answers, and for
 * the models of speech and of transcription.
 */
export const sampleModels = {
  model14b: "sample-14b",
  model9b: "sample-9b",
  speech: "sample-tts",
  transcription: "sample-stt",
} as const;

/** The ids in the order in which they are listed. */
export const sampleModelIds: readonly string[] = Object.values(sampleModels);

/** Throws an `ApiError` (404) when a request names none of the models that can do what it asks. */
export function requireModel(model: string, able: readonly string[]): void {
  if (able.includes(model)) return;
  const message = `The model '${model}' does not exist; for this the sample server has ${able.join(" and ")}.`;
  throw new ApiError(404, message, { code: "model_not_found", param: "model" });
}
