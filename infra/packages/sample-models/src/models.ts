import { ApiError, type Endpoint } from "./endpoint.ts";
import { sendJson } from "./send-response.ts";

/**
 * The model ids of the sample server: a larger and a smaller chat model, which reply alike, and the models of speech
 * and of transcription.
 */
export const sampleModels = {
  model14b: "sample-14b",
  model9b: "sample-9b",
  speech: "sample-tts",
  transcription: "sample-stt",
} as const;

/** The ids in the order in which they are listed. */
const sampleModelIds: readonly string[] = Object.values(sampleModels);

/** Throws an `ApiError` (404) when a request names none of the models that can do what it asks. */
export const requireModel = (model: string, able: readonly string[]): void => {
  if (able.includes(model)) return;
  const message = `The model '${model}' does not exist; for this the sample server has ${able.join(" and ")}.`;
  throw new ApiError(404, message, { code: "model_not_found", param: "model" });
};

/** Unix time of the first version of these models; OpenAI's list has such a time for every model. */
const created = Date.UTC(2026, 0, 1) / 1000;

/** `GET /v1/models`: the models of the sample server, whose owner says that they are samples. */
export const listModels: Endpoint = {
  method: "GET",
  path: "/v1/models",
  handle: async ({ response }) => {
    const data = sampleModelIds.map((id) => ({ id, object: "model", created, owned_by: "sample" }));
    sendJson(response, 200, { object: "list", data });
  },
};
