import * as z from "zod";
import { defineOperation, longBodyBytes } from "../../shared/http/operation.ts";
import {
  conversationTooLong,
  defaultTemperature,
  fitsConversation,
  maxConversationCharacters,
  tokenUsage,
} from "../../shared/models/inference/chat.ts";
import { formNumber, optionalField, text } from "../../shared/platform/validation/fields.ts";
import { temperatureText } from "../chat/conversation-fields.ts";
import { replacedBy } from "./settings.ts";

const common = {
  method: "POST",
  auth: "user",
  scope: "chat",
  ...replacedBy("/tasks/chat/completions"),
} as const;
const failures = [
  "context_length_exceeded",
  "content_policy_violation",
  "external_service_error",
  "service_unavailable",
] as const;

const modelTypes = ["qwen", "gemma"] as const;
const modelText = "The model: `qwen` is `lang-14b`, `gemma` is `lang-9b`";
const modelType = z.enum(modelTypes).describe(modelText);
export type ModelType = z.output<typeof modelType>;
const defaultModelType = "qwen";

const temperature = z.number().min(0).max(2).describe(temperatureText);

const seconds = z.number().meta({ example: 0.61, description: "Seconds that the request took" });
const replyText = z.string().meta({ example: "Apwoyo matek.", description: "The reply" });

export const chatOperation = defineOperation({
  ...common,
  id: "legacyChat",
  path: "/tasks/sunflower_inference",
  summary: "Continue a conversation",
  body: {
    encoding: "json",
    schema: z
      .object({
        messages: z
          .array(
            z
              .object({
                role: z
                  .enum(["system", "user", "assistant"])
                  .meta({ example: "user", description: "Who wrote the message" }),
                content: text()
                  .trim()
                  .min(1)
                  .meta({ example: "How do you say 'thank you' in Acholi?", description: "The message" }),
              })
              .meta({ id: "LegacyChatMessage" }),
          )
          .refine(fitsConversation, conversationTooLong)
          .meta({ description: "The whole conversation, oldest first: at least one message; otherwise 400" }),
        model_type: modelType.default(defaultModelType).describe(modelText),
        temperature: temperature.default(defaultTemperature).describe(temperatureText),
        stream: z.boolean().default(false).meta({ description: "Has no effect" }),
        system_message: text()
          .max(maxConversationCharacters)
          .nullish()
          .meta({ description: "Replaces the conversation's own system message" }),
      })
      .meta({ id: "LegacyChatRequest" }),
    maxBytes: longBodyBytes,
  },
  response: {
    status: 200,
    description: "The reply",
    schema: z
      .object({
        content: replyText,
        model_type: modelType,
        usage: tokenUsage,
        processing_time: seconds,
        inference_time: seconds,
        message_count: z
          .int()
          .meta({ example: 2, description: "Messages sent to the model, including the system message" }),
      })
      .meta({ id: "LegacyChatAnswer" }),
  },
  errors: ["bad_request", ...failures],
});

export const instructOperation = defineOperation({
  ...common,
  id: "legacyInstruct",
  path: "/tasks/sunflower_simple",
  summary: "Follow one instruction",
  body: {
    encoding: "form",
    schema: z
      .object({
        instruction: text().meta({
          example: "How do you say 'thank you' in Acholi?",
          description: "1 to 4,000 characters; otherwise 400",
        }),
        model_type: optionalField(modelType)
          .transform((type) => type ?? defaultModelType)
          .meta({
            override: { type: "string", enum: [...modelTypes], default: defaultModelType },
            description: modelText,
          }),
        temperature: optionalField(formNumber().pipe(temperature))
          .transform((value) => value ?? defaultTemperature)
          .meta({
            override: { type: "number", minimum: 0, maximum: 2, default: defaultTemperature },
            description: temperatureText,
          }),
        system_message: text()
          .max(maxConversationCharacters)
          .optional()
          .describe("A system message before the instruction"),
      })
      .meta({ id: "LegacyInstructForm" }),
    maxBytes: longBodyBytes,
  },
  response: {
    status: 200,
    description: "The reply",
    schema: z
      .object({
        response: replyText,
        model_type: modelType,
        processing_time: seconds,
        usage: tokenUsage,
        success: z.literal(true).describe("Failures have another status"),
      })
      .meta({ id: "LegacyInstructAnswer" }),
  },
  errors: ["bad_request", ...failures],
});

export const summariseOperation = defineOperation({
  ...common,
  id: "legacySummarise",
  path: "/tasks/summarise",
  summary: "Summarise a text in English or Luganda without personal names",
  body: {
    encoding: "json",
    schema: z
      .object({
        text: text().trim().min(1).max(maxConversationCharacters).meta({
          example: "Amina says that the well in her village has had no water since Monday.",
          description: "The text to summarise",
        }),
      })
      .meta({ id: "LegacySummariseRequest" }),
    maxBytes: longBodyBytes,
  },
  response: {
    status: 200,
    description: "The summary",
    schema: z
      .object({
        summarized_text: z.string().meta({
          example: "A well has had no water since Monday.",
          description: "The summary in the language of the text, without personal names",
        }),
      })
      .meta({ id: "LegacySummary" }),
  },
  errors: failures,
});
