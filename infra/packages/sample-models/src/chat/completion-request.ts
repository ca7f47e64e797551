import * as z from "zod";

const textPart = z.looseObject({
  type: z.literal("text", { error: "The sample server reads parts of type 'text' only." }),
  text: z.string(),
});

const message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(textPart)]).nullish(),
});

const tokenLimit = z.int().min(1).nullish();

/**
 * The part of OpenAI's chat completion request that changes an answer of the sample server. Sampling parameters and
 * unknown fields are taken and ignored, as the servers it stands for do.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export const completionRequest = z
  .looseObject({
    model: z.string(),
    messages: z.array(message).min(1),
    max_tokens: tokenLimit,
    max_completion_tokens: tokenLimit,
    // An empty stop string would end every answer before it starts.
    stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
    n: z.literal(1, { error: "The sample server gives one choice." }).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .refine(({ stream, stream_options }) => stream === true || stream_options == null, {
    path: ["stream_options"],
    error: "Only allowed when 'stream' is true.",
  });

/** A request for a chat completion, checked. */
export type CompletionRequest = z.infer<typeof completionRequest>;

/** One message of such a request. */
export type ChatMessage = CompletionRequest["messages"][number];
