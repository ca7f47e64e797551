import type { AppError } from "../../../platform/errors/app-error.ts";
import { BackendOverdue, BackendTimeout } from "../../../platform/outbound/failures.ts";
import { limitTime } from "../../../platform/outbound/timeouts.ts";
import type { ChatEvent, ChatReply, ChatStream } from "../chat.ts";
import { exchangeFailure } from "./backend.ts";
import { postJson, readWhole } from "./call-policy.ts";
import { type CompletionPlan, maxResponseBytes, parseCompletion } from "./chat-completion.ts";
import { failureOf } from "./refusals.ts";
import { ReplyGroups } from "./reply-groups.ts";
import type { ModelCall } from "./task-server.ts";

/** A whole reply as a stream. */
const eventsOf = ({ text, toolCalls = [], finishReason, usage }: ChatReply): ChatEvent[] => [
  ...(text === "" ? [] : [{ type: "text-delta", text } as const]),
  ...toolCalls.map((call, index) => ({ type: "tool-call", index, call }) as const),
  { type: "finish", finishReason },
  ...(usage ? [{ type: "usage", usage } as const] : []),
];

interface GroupOptions {
  readonly signal: AbortSignal;
  /** Called when the server has started to respond, which need not mean that its model has. */
  readonly onResponse: () => void;
}

/** A reply that has arrived as a whole. */
const inOneGroup = (reply: ChatReply): ChatStream => ({
  start: (receiver) => {
    receiver.onPiece(eventsOf(reply));
    receiver.onEnd(undefined);
  },
  pause: () => undefined,
  resume: () => undefined,
  stop: () => undefined,
});

const openGroups = async (
  call: ModelCall,
  { request, thinksFirst, isCallers }: CompletionPlan,
  { signal, onResponse }: GroupOptions,
): Promise<ChatStream> => {
  const asFailure = (thrown: unknown): AppError => exchangeFailure(signal.aborted ? signal.reason : thrown);
  try {
    const response = await postJson(
      call,
      "/chat/completions",
      { ...request, stream: true, stream_options: { include_usage: true } },
      signal,
    );
    onResponse();
    const toolNames = request.tools?.map(({ function: { name } }) => name);
    const habits = { thinksFirst, hasTools: toolNames !== undefined, toolNames };
    const status = response.statusCode ?? 0;
    // Failures, and servers that do not stream, always return JSON; a proxy or login page is HTML.
    const isWhole = /^(?:application\/json|text\/html)/i.test(response.headers["content-type"] ?? "");
    if (status === 200 && !isWhole) {
      const { silenceMilliseconds } = call;
      const { model } = request;
      const groups = new ReplyGroups(response, { habits, model, silenceMilliseconds, asFailure });
      await groups.begin();
      return groups;
    }
    const whole = await readWhole(response, maxResponseBytes);
    if (status !== 200) throw failureOf(whole, { sent: { ...request }, isCallers });
    return inOneGroup(parseCompletion(whole.body, habits));
  } catch (error) {
    throw asFailure(error);
  }
};

/**
 * Requests a streamed completion and resolves when the model has started to reply. The model may be silent for as
 * long as the backend allows, before the reply and anywhere inside it, regardless of what else its server sends.
 * @throws AppError `service_unavailable` or `external_service_error` for failures before the reply starts.
 */
export const streamChat = async (
  call: ModelCall,
  plan: CompletionPlan,
  signal: AbortSignal,
): Promise<ChatStream> => {
  const { silenceMilliseconds } = call;
  let hasResponse = false;
  const limit = limitTime(silenceMilliseconds, signal, () =>
    hasResponse
      ? new BackendOverdue(silenceMilliseconds)
      : new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`),
  );
  try {
    return await openGroups(call, plan, {
      signal: limit.signal,
      onResponse: () => {
        hasResponse = true;
      },
    });
  } finally {
    limit.lift();
  }
};
