import type { Endpoint } from "../endpoint.ts";
import { sendJson } from "../json.ts";
import { sampleModelIds } from "../models.ts";

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
