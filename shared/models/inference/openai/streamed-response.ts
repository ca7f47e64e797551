import type { EventSourceMessage } from "eventsource-parser";
import * as z from "zod";
import type { ChatEvent, TokenUsage } from "../chat.ts";
import { unusable } from "./backend.ts";
import {
  emptyReply,
  failureIn,
  finishReasonOf,
  firstChoice,
  newCallId,
  parseJson,
  type ReadingOptions,
  wireArguments,
  wireIndex,
  wireUsage,
} from "./chat-completion.ts";
import { EventStream } from "./event-stream.ts";
import { ThoughtFilter } from "./thinking.ts";

const wireCallPiece = z.object({
  index: wireIndex,
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: wireArguments }).nullish(),
});
type CallPiece = z.output<typeof wireCallPiece>;

const wireChunk = z.object({
  choices: z.array(
    z.object({
      index: wireIndex,
      delta: z
        .object({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          tool_calls: z.array(wireCallPiece).nullish(),
        })
        .nullish(),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: wireUsage,
  error: z.unknown().optional(),
});
type WireChunk = z.output<typeof wireChunk>;

/** @throws AppError for a chunk that reports a failure, or is malformed. */
const readChunk = (data: string): WireChunk => {
  const wire = parseJson(data);
  const chunk = wireChunk.safeParse(wire);
  if (!chunk.success || chunk.data.error != null) throw failureIn(wire, chunk.error);
  return chunk.data;
};

/** The content of a chunk that contains nothing else. */
const contentOf = ({ choices, usage }: WireChunk): string | undefined => {
  const { delta, finish_reason } = firstChoice(choices) ?? {};
  const hasMore =
    usage || finish_reason || delta?.reasoning_content || delta?.reasoning || delta?.tool_calls?.length;
  return hasMore ? undefined : (delta?.content ?? undefined);
};

const contentIn = (data: string): string | undefined => {
  try {
    return contentOf(readChunk(data));
  } catch {
    return undefined;
  }
};

/** The calls of one streamed completion, which arrive in pieces. */
class StreamedCalls {
  /** The call that a server's index currently refers to. Some servers use the same index for every call. */
  readonly #open = new Map<number, { readonly index: number; readonly id: string }>();
  #count = 0;

  get hasAny(): boolean {
    return this.#count > 0;
  }

  /** @throws AppError `external_service_error` for the first piece of a call that names no tool. */
  read({ index: position, id, function: called }: CallPiece): ChatEvent | undefined {
    const at = position ?? 0;
    const text = called?.arguments ?? "";
    const open = this.#open.get(at);
    if (open && !(called?.name && id && id !== open.id)) {
      return text === "" ? undefined : { type: "tool-call-delta", index: open.index, arguments: text };
    }
    if (!called?.name) throw unusable("The model's server called a tool without a name.");
    const call = { id: id || newCallId(), name: called.name, arguments: text };
    const index = this.#count;
    this.#count += 1;
    this.#open.set(at, { index, id: call.id });
    return { type: "tool-call", index, call };
  }
}

/** Reads the text of one streamed completion, in order, and converts it to a reply's events. */
export class StreamedResponse {
  readonly #thoughts: ThoughtFilter;
  readonly #stream: EventStream;
  #events: ChatEvent[] = [];
  #hasProgress = false;
  #hasText = false;
  /** Only when the request has tools. */
  readonly #calls: StreamedCalls | undefined;
  #isFinished = false;
  #usage: TokenUsage | undefined;

  constructor({ thinksFirst, hasTools }: ReadingOptions) {
    this.#thoughts = new ThoughtFilter({ thinksFirst });
    this.#calls = hasTools ? new StreamedCalls() : undefined;
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
    return this.#isFinished;
  }

  /** Whether the server has ended its stream; what follows is not read. */
  get isOver(): boolean {
    return this.#stream.isOver;
  }

  /**
   * Reads the next text, cut anywhere. @throws AppError for a failure, an invalid chunk, or a reply without any
   * text.
   */
  read(text: string): void {
    this.#stream.read(text);
  }

  /** Reads the rest when the server has sent its last byte. @throws AppError as `read` does. */
  readEnd(): void {
    this.#stream.end();
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

  /** The last events. @throws AppError `external_service_error` when the server never reported the end of the reply. */
  end(): readonly ChatEvent[] {
    if (!this.#isFinished) throw unusable("The model's server ended its response early.");
    return this.#usage ? [{ type: "usage", usage: this.#usage }] : [];
  }

  #readEvent({ event, data }: EventSourceMessage): string | undefined {
    if (event === "error") throw failureIn(data.startsWith("{") ? parseJson(data) : data);
    const chunk = readChunk(data);
    this.#usage = chunk.usage ?? this.#usage;
    const choice = firstChoice(chunk.choices);
    if (!choice || this.#isFinished) return undefined;
    const { content, reasoning_content, reasoning, tool_calls } = choice.delta ?? {};
    if (reasoning_content || reasoning) this.#hasProgress = true;
    this.#addContent(content ?? "");
    if (this.#calls) for (const piece of tool_calls ?? []) this.#addCall(this.#calls, piece);
    if (choice.finish_reason) this.#finish(choice.finish_reason);
    return contentOf(chunk);
  }

  #addContent(content: string): void {
    if (content === "" || this.#isFinished) return;
    this.#hasProgress = true;
    this.#show(this.#thoughts.push(content));
  }

  #addCall(calls: StreamedCalls, piece: CallPiece): void {
    const event = calls.read(piece);
    if (!event) return;
    this.#hasProgress = true;
    this.#events.push(event);
  }

  #show(text: string): void {
    if (text === "") return;
    this.#hasText ||= text.trim() !== "";
    this.#events.push({ type: "text-delta", text });
  }

  #finish(word: string): void {
    const hasCalls = this.#calls?.hasAny ?? false;
    const finishReason = finishReasonOf(word, hasCalls);
    this.#show(this.#thoughts.end(finishReason === "length"));
    if (!this.#hasText && !hasCalls) throw emptyReply(finishReason);
    this.#isFinished = true;
    this.#hasProgress = true;
    this.#events.push({ type: "finish", finishReason });
  }
}
