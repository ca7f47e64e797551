import * as z from "zod";
import { readBody } from "../../outbound/http-client.ts";
import type { ChatAnswer } from "../chat.ts";
import { failureOf, postJson, type TaskBackend } from "./backend.ts";
import { callBackend } from "./call-backend.ts";
import {
  type CompletionRequest,
  emptyAnswer,
  failureIn,
  parseJson,
  readFinishReason,
  wireUsage,
} from "./completion-wire.ts";
import { withoutThinking } from "./thinking.ts";

/** More than the longest answer of any model, whole or as the body of an error. */
export const maximumAnswerBytes = 4 * 1024 * 1024;

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

/**
 * Reads the body of a completion that was answered with status 200.
 *
 * @throws AppError as {@link completeChat} does.
 */
export const parseCompletion = (body: string): ChatAnswer => {
  const answer = parseJson(body);
  const completion = wireCompletion.safeParse(answer);
  const choice = completion.data?.choices[0];
  if (!completion.success || !choice) throw failureIn(answer, completion.error);
  const finishReason = readFinishReason(choice.finish_reason ?? "stop");
  const text = withoutThinking(choice.message.content ?? "").trim();
  if (text === "") throw emptyAnswer(finishReason);
  return { text, finishReason, usage: completion.data.usage };
};

/**
 * Asks for a whole completion. The exchange as a whole may take as long as the backend may stay silent, so that a
 * server which drips bytes cannot hold a request forever.
 *
 * @throws AppError `service_unavailable` or `external_service_error`, as the specification's rules 4 and 5 of
 * translation say.
 */
export const completeChat = (
  backend: TaskBackend,
  request: CompletionRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<ChatAnswer> =>
  callBackend(backend, signal, async () => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(backend.silenceMilliseconds)]);
    const response = await postJson(backend, "/chat/completions", { ...request, stream: false }, deadline);
    const body = await readBody(response, maximumAnswerBytes);
    if (response.statusCode !== 200) throw failureOf(response.statusCode ?? 0, body);
    return parseCompletion(body);
  });
