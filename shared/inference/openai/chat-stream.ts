import type { IncomingMessage } from "node:http";
import type { EventSourceMessage } from "eventsource-parser";
import * as z from "zod";
import { toAppError } from "../../errors/dependency-failure.ts";
import { BackendOverdue, BackendTimeout, BackendUnreachable, readBody } from "../../outbound/http-client.ts";
import { limitTime, withIdleTimeout } from "../../outbound/timeouts.ts";
import { logger } from "../../telemetry/logger.ts";
import type { ChatAnswer, ChatEvent, ChatStream, TokenUsage } from "../chat.ts";
import { exchangeFailure, failureOf, unusable } from "./backend.ts";
import { type ModelCall, type ModelServer, postJson } from "./call-policy.ts";
import {
  type CompletionRequest,
  emptyAnswer,
  failureIn,
  firstChoice,
  maximumAnswerBytes,
  parseCompletion,
  parseJson,
  readFinishReason,
  wireIndex,
  wireUsage,
} from "./chat-completion.ts";
import { readEvents } from "./event-stream.ts";
import { ThoughtFilter, type ThoughtHabits } from "./thinking.ts";

const wireChunk = z.object({
  choices: z.array(
    z.object({
      index: wireIndex,
      delta: z
        .object({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
        })
        .nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: wireUsage,
  error: z.unknown().optional(),
});

/** Reads the chunks of one streamed completion, in order, and makes the events of an answer from them. */
class StreamedAnswer {
  readonly #thoughts: ThoughtFilter;
  #progress = 0;
  #hasText = false;
  #isFinished = false;
  #usage: TokenUsage | undefined;

  constructor(habits: ThoughtHabits) {
    this.#thoughts = new ThoughtFilter(habits);
  }

  /** How many chunks have held anything the model made, if only thoughts. One that merely names the role says nothing. */
  get progress(): number {
    return this.#progress;
  }

  /** Whether a thought has left, because nothing told in time that it was one. */
  get hasShownThought(): boolean {
    return this.#thoughts.hasShownThought;
  }

  /** Whether the server has said why the answer ended: nothing of it can be missing any more. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /**
   * Takes the next chunk.
   *
   * @throws AppError when it reports a failure, is no chunk, or ends an answer without any text.
   */
  take({ event, data }: EventSourceMessage): ChatEvent[] {
    if (event === "error") throw failureIn(data.startsWith("{") ? parseJson(data) : data);
    const wire = parseJson(data);
    const chunk = wireChunk.safeParse(wire);
    if (!chunk.success || chunk.data.error != null) throw failureIn(wire, chunk.error);

    this.#usage = chunk.data.usage ?? this.#usage;
    const choice = firstChoice(chunk.data.choices);
    if (!choice || this.#isFinished) return [];
    const { content, reasoning_content, reasoning } = choice.delta ?? {};
    if (content || reasoning_content || reasoning) this.#progress += 1;
    const events = this.#show(this.#thoughts.push(content ?? ""));
    return choice.finish_reason ? [...events, ...this.#finish(choice.finish_reason)] : events;
  }

  /** The last event. @throws AppError `external_service_error` when the server never said that the answer ended. */
  end(): ChatEvent[] {
    if (!this.#isFinished) throw unusable("The model's server broke off its answer.");
    return this.#usage ? [{ type: "usage", usage: this.#usage }] : [];
  }

  #show(text: string): ChatEvent[] {
    if (text === "") return [];
    this.#hasText ||= text.trim() !== "";
    return [{ type: "text-delta", text }];
  }

  #finish(word: string): ChatEvent[] {
    const finishReason = readFinishReason(word);
    const events = this.#show(this.#thoughts.end(finishReason === "length"));
    if (!this.#hasText) throw emptyAnswer(finishReason);
    this.#isFinished = true;
    this.#progress += 1;
    return [...events, { type: "finish", finishReason }];
  }
}

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

/** The groups of a streamed answer in which its model has made something, if only thoughts; at last the end. */
async function* readGroups(response: IncomingMessage, answer: StreamedAnswer): Groups {
  try {
    for await (const events of readEvents(response)) {
      const before = answer.progress;
      const { group, failure } = takeAll(answer, events);
      if (answer.progress > before) yield group;
      if (failure) throw failure;
    }
  } catch (error) {
    if (!isMerelyLate(error, answer)) throw error;
  }
  yield answer.end();
}

/** What a stream is read with. */
interface ReadOptions {
  readonly habits: ThoughtHabits;
  readonly model: string;
  readonly silenceMilliseconds: number;
}

async function* readStream(
  response: IncomingMessage,
  { habits, model, silenceMilliseconds }: ReadOptions,
): Groups {
  const answer = new StreamedAnswer(habits);
  const onIdle = (): void => {
    response.destroy(new BackendTimeout(`The model made nothing for ${silenceMilliseconds} ms.`));
  };
  try {
    yield* withIdleTimeout(readGroups(response, answer), { milliseconds: silenceMilliseconds, onIdle });
  } finally {
    if (answer.hasShownThought) logger.warn("chat.thought_shown", { model });
  }
}

/** Everything a whole answer would have been as a stream. */
const eventsOf = ({ text, finishReason, usage }: ChatAnswer): ChatEvent[] => [
  { type: "text-delta", text },
  { type: "finish", finishReason },
  ...(usage ? [{ type: "usage", usage } as const] : []),
];

interface StreamOptions extends ThoughtHabits {
  readonly signal: AbortSignal;
}

interface GroupOptions extends StreamOptions {
  /** Called when the server has begun to answer, which need not mean that its model has. */
  readonly onResponse: () => void;
}

async function* groupsOf(
  call: ModelCall,
  request: CompletionRequest,
  { signal, thinksFirst, onResponse }: GroupOptions,
): Groups {
  try {
    const response = await postJson(
      call,
      "/chat/completions",
      { ...request, stream: true, stream_options: { include_usage: true } },
      signal,
    );
    onResponse();
    const status = response.statusCode ?? 0;
    // Failures, and servers that do not stream, answer with JSON whatever was asked for.
    const isJson = response.headers["content-type"]?.startsWith("application/json");
    if (status === 200 && !isJson) {
      const { silenceMilliseconds } = call;
      return yield* readStream(response, {
        habits: { thinksFirst },
        model: request.model,
        silenceMilliseconds,
      });
    }
    const body = await readBody(response, maximumAnswerBytes);
    if (status !== 200) throw failureOf(status, body, request.model);
    yield eventsOf(parseCompletion(body, { thinksFirst }));
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
 * Asks for a streamed completion and resolves when the model has begun to answer. The model may make
 * nothing for as long as the backend allows, before the answer and anywhere inside it, whatever else its server sends.
 *
 * @throws AppError `service_unavailable` or `external_service_error`, here for what fails before the answer begins,
 * from the iteration for what fails later.
 */
export const streamChat = async (
  server: ModelServer,
  request: CompletionRequest,
  options: StreamOptions,
): Promise<ChatStream> => {
  const { first, rest } = await server.call(options.signal, async (call) => {
    const { silenceMilliseconds } = call;
    let hasResponse = false;
    const limit = limitTime(silenceMilliseconds, options.signal, () =>
      hasResponse
        ? new BackendOverdue(silenceMilliseconds)
        : new BackendTimeout(`The server was silent for ${silenceMilliseconds} ms.`),
    );
    const groups = groupsOf(call, request, {
      ...options,
      signal: limit.signal,
      onResponse: () => {
        hasResponse = true;
      },
    });
    try {
      return { first: await groups.next(), rest: groups };
    } finally {
      limit.lift();
    }
  });
  if (first.done) throw unusable("The model gave an empty answer.");
  return startingWith(first.value, rest);
};
