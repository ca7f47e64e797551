import * as z from "zod";
import { defineOperation } from "../../../shared/http/operation.ts";

const model = z
  .object({
    id: z.string().meta({ example: "lang-14b", description: "The `model` of requests" }),
    object: z.literal("model").describe("The kind of object, as in the OpenAI API"),
    created: z.int().meta({ example: 1_780_272_000, description: "Unix time in seconds" }),
    owned_by: z.string().meta({ example: "language-ai", description: "The same for all models" }),
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
    schema: z
      .object({
        object: z.literal("list").describe("The kind of object, as in the OpenAI API"),
        data: z.array(model).describe("All models"),
      })
      .meta({ id: "ModelList" }),
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
  pathParameters: z.object({
    id: z.string().meta({ example: "stt-51:lug", description: "The `model` of requests" }),
  }),
  response: { status: 200, description: "The model", schema: model },
  errors: ["model_not_found"],
});
