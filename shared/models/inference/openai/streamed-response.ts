import type { EventSourceMessage } from "eventsource-parser";
import * as z from "zod";
import type { ChatEvent, TokenUsage } from "../chat.ts";
import { unusable } from "./backend.ts";
import {
  emptyReply,
  failureIn,
  finishReasonOf,
  firstChoice,
  type ReadingOptions,
  wireUsage,
} from "./chat-completion.ts";
import { EventStream } from "./event-stream.ts";
import { StreamedCalls } from "./streamed-calls.ts";
import { ThoughtFilter } from "./thinking.ts";
import { textOf, type WireCall, wireCalls, wireFinish, wireIndex } from "./wire-fields.ts";

const field = z.unknown().optional();

const wireChunk = z.object({
  choices: z
    .array(
      z.object({
        index: wireIndex,
        delta: z
          .object({
            content: field,
            refusal: field,
            reasoning_content: field,
            reasoning: field,
            tool_calls: wireCalls,
          })
          .nullish()
          .catch(undefined),
        finish_reason: wireFinish,
      }),
    )
    .nullish()
    .catch(undefined),
  usage: wireUsage,
  error: field,
  detail: field,
  message: field,
});
type WireChunk = z.output<typeof wireChunk>;

/** Servers report failures in an `error`, or in words of their own instead of a reply. */
const reportsFailure = ({ choices, error, detail, message }: WireChunk): boolean =>
  Boolean(error) || (!choices && (typeof detail === "string" || typeof message === "string"));

/** What a chunk says of the requested reply. */
const readChoice = ({ choices, usage }: WireChunk) => {
  const { delta, finish_reason: finishWord } = firstChoice(choices ?? []) ?? {};
  const { content, refusal, reasoning_content, reasoning, tool_calls: calls = [] } = delta ?? {};
  const text = textOf(content) || textOf(refusal);
  const isThought = Boolean(reasoning_content || reasoning || Array.isArray(content));
  const hasMore = isThought || calls.length > 0 || finishWord !== undefined || usage !== undefined;
  /** Whether it says nothing but its text. */
  return { text, isThought, calls, finishWord, isOnlyText: !hasMore };
};

/** @returns undefined for anything but JSON. */
const jsonIn = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};

/** The content of a chunk that contains nothing else. */
const contentIn = (data: string): string | undefined => {
  const chunk = wireChunk.safeParse(jsonIn(data)).data;
  if (!chunk || reportsFailure(chunk)) return undefined;
  const { text, isOnlyText } = readChoice(chunk);
  return isOnlyText ? text : undefined;
};

/** Reads the text of one streamed completion, in order, and converts it to a reply's events. */
export class StreamedResponse {
  readonly #thoughts: ThoughtFilter;
  readonly #stream: EventStream;
  #events: ChatEvent[] = [];
  #hasProgress = false;
  #hasText = false;
  /** Only when the request has tools. */
  readonly #calls: StreamedCalls | undefined;
  /** The last one counts: some servers write one into every chunk. */
  #finishWord: string | undefined;
  #hasEnded = false;
  #usage: TokenUsage | undefined;

  constructor({ thinksFirst, hasTools, toolNames }: ReadingOptions) {
    this.#thoughts = new ThoughtFilter({ thinksFirst });
    this.#calls = hasTools ? new StreamedCalls(toolNames) : undefined;
    this.#stream = new EventStream({
      onEvent: (event) => this.#readEvent(event),
      contentOf: contentIn,
      onContent: (content) => this.#addContent(content),
    });
  }

  /** Whether a thought has been sent, because it was not recognised in time. */
  get hasShownThought(): boolean {
    return this.#thoughts.hasShownThought;
  }

  /** Whether the server has said why the reply ended: nothing of it can be missing. */
  get isFinished(): boolean {
    return this.#finishWord !== undefined;
  }

  /** Whether the server has ended its stream; what follows is not read. */
  get isOver(): boolean {
    return this.#stream.isOver;
  }

  /**
   * Reads the next text, cut anywhere. @throws AppError for a failure, for an invalid chunk before the finish, or at the end for a reply
   * without any text.
   */
  read(text: string): void {
    try {
      this.#stream.read(text);
    } catch (error) {
      // An event after the finish was too long.
      if (!this.isFinished || !this.isOver) throw error;
    }
    if (this.isOver) this.#finish();
  }

  /** Reads the rest when the server has sent its last byte. @throws AppError as `read` does. */
  readEnd(): void {
    this.#stream.end();
    this.#finish();
  }

  /**
   * What has been read since the last call: nothing to show if the model has only thought, `undefined` if it has
   * produced nothing. A chunk with only a role counts as nothing.
   */
  take(): readonly ChatEvent[] | undefined {
    if (!this.#hasProgress) return undefined;
    const events = this.#events;
    this.#events = [];
    this.#hasProgress = false;
    return events;
  }

  /** The last events. @throws AppError as `read` does, or when the server never reported the end of the reply. */
  end(): readonly ChatEvent[] {
    if (!this.isFinished) throw unusable("The model's server ended its response early.");
    this.#finish();
    return [...this.#events, ...(this.#usage ? [{ type: "usage", usage: this.#usage } as const] : [])];
  }

  #finish(): void {
    if (this.#hasEnded || this.#finishWord === undefined) return;
    this.#hasEnded = true;
    for (const event of this.#calls?.end() ?? []) this.#events.push(event);
    const hasCalls = this.#calls?.hasAny ?? false;
    const finishReason = finishReasonOf(this.#finishWord, hasCalls);
    this.#show(this.#thoughts.end(finishReason === "length"));
    if (!this.#hasText && !hasCalls && finishReason !== "content_filter") throw emptyReply(finishReason);
    this.#hasProgress = true;
    this.#events.push({ type: "finish", finishReason });
  }

  #readEvent(message: EventSourceMessage): string | undefined {
    const { event, data } = message;
    if (event === "error") throw failureIn(jsonIn(data) ?? data);
    const chunk = this.#readChunk(message);
    if (!chunk) return undefined;
    this.#usage = chunk.usage ?? this.#usage;
    const { text, isThought, calls, finishWord, isOnlyText } = readChoice(chunk);
    if (isThought) this.#hasProgress = true;
    this.#addContent(text);
    if (this.#calls) for (const piece of calls) this.#addCall(this.#calls, piece);
    if (finishWord !== undefined) {
      // A word for a failure is one now.
      finishReasonOf(finishWord, false);
      this.#finishWord = finishWord;
    }
    return isOnlyText ? text : undefined;
  }

  /**
   * Reads a chunk, if there is one: some servers send events without any to keep the connection open.
   * @throws AppError for a chunk that reports a failure, or before the finish cannot be read.
   */
  #readChunk({ event = "message", data }: EventSourceMessage): WireChunk | undefined {
    if (data.trim() === "" || data === "null") return undefined;
    const wire = jsonIn(data);
    const { data: chunk, error } = wireChunk.safeParse(wire);
    if (chunk && reportsFailure(chunk)) throw failureIn(wire);
    if (!chunk && event === "message" && !this.isFinished) throw failureIn(wire ?? data, error);
    return chunk;
  }

  #addContent(content: string): void {
    if (content === "") return;
    this.#hasProgress = true;
    this.#show(this.#thoughts.push(content));
  }

  #addCall(calls: StreamedCalls, piece: WireCall): void {
    this.#hasProgress = true;
    for (const event of calls.read(piece)) this.#events.push(event);
  }

  #show(text: string): void {
    if (text === "") return;
    this.#hasText ||= text.trim() !== "";
    this.#events.push({ type: "text-delta", text });
  }
}
