import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors/app-error.ts";
import { toAppError } from "../../errors/dependency-failure.ts";
import {
  BackendOverdue,
  BackendTimeout,
  BackendUnreachable,
  connectionFailure,
  readBody,
} from "../../outbound/http-client.ts";
import { limitTime } from "../../outbound/timeouts.ts";
import { logger } from "../../telemetry/logger.ts";
import type { ChatAnswer, ChatEvent, ChatStream } from "../chat.ts";
import { exchangeFailure, failureOf } from "./backend.ts";
import { type ModelCall, type ModelServer, postJson } from "./call-policy.ts";
import { type CompletionRequest, maximumAnswerBytes, parseCompletion } from "./chat-completion.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import type { ThoughtHabits } from "./thinking.ts";

/** A server that has sent its last event ends the answer at once; one that does not loses its connection. */
const endMilliseconds = 1_000;

/** Lets the rest of an answer pass unread, so that its connection can be used again. */
const release = (response: IncomingMessage): void => {
  const timer = setTimeout(() => response.destroy(), endMilliseconds);
  response.once("close", () => clearTimeout(timer));
  response.resume();
};

type Group = readonly ChatEvent[];
type GroupResult = IteratorResult<Group, undefined>;

interface Groups {
  next(): Promise<GroupResult>;
  return(): Promise<GroupResult>;
}

const end: GroupResult = { done: true, value: undefined };

/** What a stream is read with. */
interface ReadOptions {
  readonly habits: ThoughtHabits;
  readonly model: string;
  readonly silenceMilliseconds: number;
  /** Whatever was thrown as one of our errors. */
  readonly asFailure: (thrown: unknown) => AppError;
}

/**
 * The groups of a streamed answer in which its model has made something, if only thoughts; at last the end.
 *
 * Dozens of streams come through here token by token, so a token costs one promise and no timer: bytes are taken as they
 * arrive, and there is one timer, which is set back. While nobody waits for a group nothing is read, and the model's silence
 * is not counted. A comment, or a part of an event, is no sign that a group will come. Leaving early closes the connection.
 */
class AnswerGroups implements Groups {
  readonly #response: IncomingMessage;
  readonly #options: ReadOptions;
  readonly #answer: StreamedAnswer;
  readonly #silence: NodeJS.Timeout;
  #waiting: PromiseWithResolvers<GroupResult> | undefined;
  /** What has arrived and is not read yet. */
  #text = "";
  /** Whether the server's last byte has arrived. */
  #isComplete = false;
  #failure: unknown;
  #isClosed = false;

  constructor(response: IncomingMessage, options: ReadOptions) {
    this.#response = response;
    this.#options = options;
    this.#answer = new StreamedAnswer(options.habits);
    this.#silence = setTimeout(() => this.#endSilence(), options.silenceMilliseconds);
    // The socket's own time-out does not know whether the server is silent or its reader slow.
    response.setTimeout(0);
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#addText(text));
    response.once("end", () => {
      this.#isComplete = true;
      this.#advance();
    });
    response.on("error", (error) => this.#break(error));
    response.once("close", () => this.#break(undefined));
    if (response.destroyed) this.#break(response.errored);
  }

  next(): Promise<GroupResult> {
    if (this.#isClosed) return Promise.resolve(end);
    const waiting = Promise.withResolvers<GroupResult>();
    this.#waiting = waiting;
    this.#advance();
    if (this.#waiting) {
      this.#silence.refresh();
      if (this.#response.isPaused()) this.#response.resume();
    }
    return waiting.promise;
  }

  return(): Promise<GroupResult> {
    this.#close();
    this.#waiting?.resolve(end);
    this.#waiting = undefined;
    return Promise.resolve(end);
  }

  #addText(text: string): void {
    if (this.#isClosed || this.#answer.isOver) return;
    // All that arrives at the same moment is read together, so that it can leave together.
    if (this.#text === "") queueMicrotask(() => this.#advance());
    this.#text += text;
    if (!this.#waiting) this.#response.pause();
  }

  #break(cause: unknown): void {
    if (this.#isComplete) return;
    this.#failure ??= connectionFailure(cause);
    this.#advance();
  }

  #endSilence(): void {
    if (!this.#waiting) return;
    const { silenceMilliseconds } = this.#options;
    this.#response.destroy(new BackendTimeout(`The model made nothing for ${silenceMilliseconds} ms.`));
  }

  /** Gives whoever waits what there is for them. */
  #advance(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    try {
      const group = this.#take();
      if (!group) return;
      this.#waiting = undefined;
      waiting.resolve({ done: false, value: group });
    } catch (thrown) {
      this.#waiting = undefined;
      this.#close();
      waiting.reject(this.#options.asFailure(thrown));
    }
  }

  /** The next group, once there is one. What came before a failure is not lost, however closely the failure followed. */
  #take(): Group | undefined {
    this.#read();
    const made = this.#answer.take();
    if (made) return made;
    if (this.#failure !== undefined && !this.#isMerelyLate()) throw this.#failure;
    if (this.#failure === undefined && !this.#isComplete && !this.#answer.isOver) return undefined;
    const last = this.#answer.end();
    this.#close();
    return last;
  }

  #read(): void {
    // What follows on an event that cannot be used is not read.
    if (this.#failure instanceof AppError) return;
    const text = this.#text;
    this.#text = "";
    try {
      if (text !== "") this.#answer.read(text);
      if (this.#isComplete) this.#answer.readEnd();
    } catch (error) {
      this.#failure = toAppError(error);
    }
  }

  /** A connection that fails after the finish takes nothing from the answer but its token counts. */
  #isMerelyLate(): boolean {
    const isConnections =
      this.#failure instanceof BackendTimeout || this.#failure instanceof BackendUnreachable;
    return this.#answer.isFinished && isConnections;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#silence);
    if (this.#answer.isOver || this.#isComplete) release(this.#response);
    else this.#response.destroy();
    if (this.#answer.hasShownThought) logger.warn("chat.thought_shown", { model: this.#options.model });
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

/** An answer that has come as a whole. */
const inOneGroup = (answer: ChatAnswer): Groups => {
  const groups = [eventsOf(answer)];
  return {
    next: async () => {
      const value = groups.shift();
      return value ? { done: false, value } : end;
    },
    return: async () => end,
  };
};

const openGroups = async (
  call: ModelCall,
  request: CompletionRequest,
  { signal, thinksFirst, onResponse }: GroupOptions,
): Promise<Groups> => {
  const asFailure = (thrown: unknown): AppError => exchangeFailure(signal.aborted ? signal.reason : thrown);
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
      const { model } = request;
      return new AnswerGroups(response, { habits: { thinksFirst }, model, silenceMilliseconds, asFailure });
    }
    const body = await readBody(response, maximumAnswerBytes);
    if (status !== 200) throw failureOf(status, body, request.model);
    return inOneGroup(parseCompletion(body, { thinksFirst }));
  } catch (error) {
    throw asFailure(error);
  }
};

const startingWith = (first: GroupResult, rest: Groups): ChatStream => ({
  [Symbol.asyncIterator]: () => {
    let taken: Promise<GroupResult> | undefined = Promise.resolve(first);
    return {
      next: () => {
        const next = taken ?? rest.next();
        taken = undefined;
        return next;
      },
      return: () => rest.return(),
    };
  },
});

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
    try {
      const groups = await openGroups(call, request, {
        ...options,
        signal: limit.signal,
        onResponse: () => {
          hasResponse = true;
        },
      });
      return { first: await groups.next(), rest: groups };
    } finally {
      limit.lift();
    }
  });
  return startingWith(first, rest);
};
