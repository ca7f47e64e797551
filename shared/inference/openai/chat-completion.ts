import * as z from "zod";
import type { TokenUsage } from "../usage.ts";
import {
  type Backend,
  exchangeFailure,
  failureOf,
  postJson,
  saysLoading,
  unavailable,
  unusable,
} from "./backend.ts";
import { readBody } from "./http-client.ts";
import { withoutThinking } from "./thinking.ts";

/** A turn of a conversation. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What a chat completion is asked for; names and meanings are those of the OpenAI API. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
}

/** A whole completion. */
export interface Completion {
  /** Without think-blocks, trimmed, never empty. */
  readonly text: string;
  readonly finishReason: string;
  readonly usage: TokenUsage | undefined;
}

const maximumAnswerBytes = 4 * 1024 * 1024;

const count = z.number().int().nullish().catch(null);

/** Token counts as servers report them; anything odd in them is as good as absent. */
export const wireUsage = z
  .object({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
  .nullish()
  .catch(undefined)
  .transform((usage): TokenUsage | undefined =>
    usage
      ? {
          prompt_tokens: usage.prompt_tokens ?? null,
          completion_tokens: usage.completion_tokens ?? null,
          total_tokens: usage.total_tokens ?? null,
        }
      : undefined,
  );

const wireCompletion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: wireUsage,
});

/** Some servers report failures with status 200: an `error`, `detail` or `message` and no choices. */
const wireFailure = z.union([
  z
    .object({
      error: z.union([z.string(), z.looseObject({ message: z.string() }).transform((e) => e.message)]),
    })
    .transform((body) => body.error),
  z.object({ detail: z.string() }).transform((body) => body.detail),
  z.object({ message: z.string() }).transform((body) => body.message),
  z.object({ status: z.string() }).transform((body) => body.status),
]);

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw unusable("The model's server did not answer with JSON.", error);
  }
};

const parseCompletion = (body: string): Completion => {
  const answer = parseJson(body);
  const completion = wireCompletion.safeParse(answer);
  const choice = completion.data?.choices[0];
  if (!completion.success || !choice) {
    const words = wireFailure.safeParse(answer);
    if (words.success && saysLoading(words.data))
      throw unavailable("The model is loading; try again in 2 to 3 minutes.");
    throw unusable("The model's server gave no usable answer.", completion.error);
  }
  const text = withoutThinking(choice.message.content ?? "").trim();
  if (text === "") throw unusable("The model gave an empty answer.");
  return { text, finishReason: choice.finish_reason ?? "stop", usage: completion.data.usage };
};

/**
 * Asks for a whole completion. The exchange as a whole may take as long as the backend may stay silent, so that a
 * server which drips bytes cannot hold a request forever.
 *
 * @throws AppError `service_unavailable` or `external_service_error`, as the specification's rules 4 and 5 of
 * translation say.
 */
export const completeChat = async (
  backend: Backend,
  request: CompletionRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<Completion> => {
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(backend.silenceMilliseconds)]);
    const response = await postJson(backend, "/chat/completions", { ...request, stream: false }, deadline);
    const body = await readBody(response, maximumAnswerBytes);
    if (response.statusCode !== 200) throw failureOf(response.statusCode ?? 0, body);
    return parseCompletion(body);
  } catch (error) {
    throw exchangeFailure(error);
  }
};
