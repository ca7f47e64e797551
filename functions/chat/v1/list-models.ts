import { chatModelIds } from "../../../shared/models/inference/chat.ts";
import {
  findTranscriptionModel,
  speechModel,
  transcriptionModel,
} from "../../../shared/platform/catalogue/audio-models.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { Model } from "./models-contract.ts";

/** The same for every model: OpenAI's clients only show it. */
const created = Date.UTC(2026, 0, 1) / 1_000;

const modelOf = (id: string): Model => ({ id, object: "model", created, owned_by: "language-ai-service" });

/** Every model of the service, by its name in requests. */
const models: readonly Model[] = [...chatModelIds, transcriptionModel, speechModel].map(modelOf);

export const listModels = () => ({ object: "list" as const, data: [...models] });

/** @throws AppError `model_not_found`. */
export const retrieveModel = (id: string): Model => {
  const found = models.find((model) => model.id === id);
  if (found) return found;
  // Transcription of one language is a model of its own for clients that cannot name a language.
  if (findTranscriptionModel(id)?.language) return modelOf(id);
  throw new AppError("model_not_found", { param: "model" });
};
