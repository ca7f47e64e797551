import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Endpoint } from "../endpoint.ts";
import { requireModel, sampleModels } from "../models.ts";
import { parseRequest, readJson } from "../read-request.ts";
import { sendEvents, sendJson } from "../send-response.ts";
import { type Completion, complete } from "./completion.ts";
import { type CompletionRequest, completionRequest } from "./completion-request.ts";
import type { ToolCall } from "./tools.ts";

const chatModels = [sampleModels.model14b, sampleModels.model9b];

/**
 * `POST /v1/chat/completions`, as one object or as server-sent events.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat
 */
export const createChatCompletion: Endpoint = {
  method: "POST",
  path: "/v1/chat/completions",
  handle: async ({ request, response, settings }) => {
    const wanted = parseRequest(completionRequest, await readJson(request));
    requireModel(wanted.model, chatModels);
    const completion = complete(wanted);
    const head = {
      id: `chatcmpl-${randomUUID().replaceAll("-", "")}`,
      created: Math.floor(Date.now() / 1000),
      model: wanted.model,
    };
    if (wanted.stream !== true) {
      sendJson(response, 200, completionObject(head, completion));
      return;
    }
    const delay = settings.tokenDelayMilliseconds;
    await sendEvents(response, (clientGone) => chunkEvents(head, completion, wanted, delay, clientGone));
  },
};

/** The members that every chunk of a reply and the reply as one object have in common. */
type Head = { id: string; created: number; model: string };

/** A call as OpenAI's API writes it. */
const wireCall = ({ id, name, arguments: text }: ToolCall) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

const completionObject = (head: Head, { tokens, calls, finishReason, usage }: Completion) => {
  const message =
    calls.length > 0
      ? { role: "assistant", content: null, refusal: null, tool_calls: calls.map(wireCall) }
      : { role: "assistant", content: tokens.join(""), refusal: null };
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason };
  return { ...head, object: "chat.completion", choices: [choice], usage };
};

async function* chunkEvents(
  head: Head,
  { tokens, calls, finishReason, usage }: Completion,
  { stream_options }: CompletionRequest,
  delay: number,
  clientGone: AbortSignal,
): AsyncGenerator<string> {
  const includeUsage = stream_options?.include_usage === true;
  // With usage requested, every chunk has the member, and all but the last have null in it.
  const common = { ...head, object: "chat.completion.chunk", ...(includeUsage ? { usage: null } : {}) };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    JSON.stringify({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });

  yield chunk({ role: "assistant", content: calls.length > 0 ? null : "", refusal: null });
  for (const token of tokens) {
    await pause(delay, undefined, { signal: clientGone });
    yield chunk({ content: token });
  }
  for (const [index, call] of calls.entries()) {
    yield chunk({ tool_calls: [{ index, ...wireCall({ ...call, arguments: "" }) }] });
    for (const piece of call.arguments.match(/.{1,8}/gsu) ?? []) {
      await pause(delay, undefined, { signal: clientGone });
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  yield chunk({}, finishReason);
  if (includeUsage) yield JSON.stringify({ ...common, choices: [], usage });
  yield "[DONE]";
}
