import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";

const model = z
  .object({
    id: z.string().meta({ example: "lang-14b" }),
    object: z.literal("model"),
    created: z.int().meta({ example: 1_780_272_000, description: "Unix time in seconds" }),
    owned_by: z.string().meta({ example: "language-ai" }),
  })
  .meta({ id: "Model" });
export type Model = z.infer<typeof model>;

const common = {
  method: "GET",
  tag: "OpenAI clients",
  auth: "user",
  limit: "account",
  scope: "any",
} as const;

export const listModelsOperation = defineOperation({
  ...common,
  id: "listModels",
  path: "/v1/models",
  summary: "List the models",
  description: "Chat: `lang-14b` and `lang-9b`; transcription: `stt-51`; speech: `tts-20`.",
  response: {
    status: 200,
    description: "The models",
    schema: z.object({ object: z.literal("list"), data: z.array(model) }).meta({ id: "ModelList" }),
  },
  errors: [],
});

export const retrieveModelOperation = defineOperation({
  ...common,
  id: "retrieveModel",
  path: "/v1/models/{id}",
  summary: "Get a model",
  description:
    "A model of the list, or `stt-51:<language>`: transcription of one language, for clients that cannot send a language.",
  pathParameters: z.object({ id: z.string().meta({ example: "stt-51:lug" }) }),
  response: { status: 200, description: "The model", schema: model },
  errors: ["model_not_found"],
});
