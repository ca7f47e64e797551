import type { IncomingMessage } from "node:http";
import type { EventSourceMessage } from "eventsource-parser";
import { toAppError } from "../../errors/dependency-failure.ts";
import { BackendTimeout, BackendUnreachable, readBody } from "../../outbound/http-client.ts";
import type { ChatAnswer, ChatEvent, ChatStream } from "../chat.ts";
import { type Backend, exchangeFailure, failureOf, postJson, type TaskBackend, unusable } from "./backend.ts";
import { callBackend } from "./call-backend.ts";
import { maximumAnswerBytes, parseCompletion } from "./chat-completion.ts";
import type { CompletionRequest } from "./completion-wire.ts";
import { readEvents } from "./event-stream.ts";
import { StreamedAnswer } from "./streamed-answer.ts";

type Groups = AsyncGenerator<readonly ChatEvent[], void, undefined>;

/** A connection that fails after the finish takes nothing from the answer but its token counts. */
const isMerelyLate = (thrown: unknown, answer: StreamedAnswer): boolean =>
  answer.isFinished && (thrown instanceof BackendTimeout || thrown instanceof BackendUnreachable);

/** What came before a failure is not lost, however closely the failure followed. */
const takeAll = (answer: StreamedAnswer, events: readonly EventSourceMessage[]) => {
  const group: ChatEvent[] = [];
  try {
    for (const event of events) group.push(...answer.take(event));
    return { group };
  } catch (error) {
    return { group, failure: toAppError(error) };
  }
};

async function* readStream(response: IncomingMessage, silenceMilliseconds: number): Groups {
  const answer = new StreamedAnswer();
  try {
    for await (const events of readEvents(response, silenceMilliseconds)) {
      const { group, failure } = takeAll(answer, events);
      if (answer.hasBegun) yield group;
      if (failure) throw failure;
    }
  } catch (error) {
    if (!isMerelyLate(error, answer)) throw error;
  }
  yield answer.end();
}

/** Everything a whole answer would have been as a stream. */
const eventsOf = ({ text, finishReason, usage }: ChatAnswer): ChatEvent[] => [
  { type: "text-delta", text },
  { type: "finish", finishReason },
  ...(usage ? [{ type: "usage", usage } as const] : []),
];

async function* groupsOf(backend: Backend, request: CompletionRequest, signal: AbortSignal): Groups {
  try {
    const response = await postJson(
      backend,
      "/chat/completions",
      { ...request, stream: true, stream_options: { include_usage: true } },
      signal,
    );
    const status = response.statusCode ?? 0;
    // Failures, and servers that do not stream, answer with JSON whatever was asked for.
    const isJson = response.headers["content-type"]?.startsWith("application/json");
    if (status === 200 && !isJson) return yield* readStream(response, backend.silenceMilliseconds);
    const body = await readBody(response, maximumAnswerBytes);
    if (status !== 200) throw failureOf(status, body);
    yield eventsOf(parseCompletion(body));
  } catch (error) {
    throw exchangeFailure(signal.aborted ? signal.reason : error);
  }
}

async function* startingWith(first: readonly ChatEvent[], rest: Groups): Groups {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Asks for a streamed completion and resolves when the model has begun to answer. The server may be silent for as
 * long as the backend allows, before the answer and anywhere inside it.
 *
 * @throws AppError `service_unavailable` or `external_service_error`, here for what fails before the answer begins,
 * from the iteration for what fails later.
 */
export const streamChat = async (
  backend: TaskBackend,
  request: CompletionRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<ChatStream> => {
  const groups = groupsOf(backend, request, signal);
  const first = await callBackend(backend, signal, () => groups.next());
  if (first.done) throw unusable("The model gave an empty answer.");
  return startingWith(first.value, groups);
};
