import type { EventSourceMessage } from "eventsource-parser";
import * as z from "zod";
import type { ChatEvent } from "../chat.ts";
import type { TokenUsage } from "../usage.ts";
import { unusable } from "./backend.ts";
import { emptyAnswer, failureIn, parseJson, readFinishReason, wireUsage } from "./completion-wire.ts";
import { ThinkingFilter } from "./thinking.ts";

const wireChunk = z.object({
  choices: z.array(
    z.object({
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
export class StreamedAnswer {
  readonly #thinking = new ThinkingFilter();
  #hasBegun = false;
  #hasText = false;
  #isFinished = false;
  #usage: TokenUsage | undefined;

  /** Whether the model has produced anything, if only thoughts. A chunk that merely names the role says nothing. */
  get hasBegun(): boolean {
    return this.#hasBegun;
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
    const choice = chunk.data.choices[0];
    if (!choice || this.#isFinished) return [];
    const { content, reasoning_content, reasoning } = choice.delta ?? {};
    if (content || reasoning_content || reasoning) this.#hasBegun = true;
    const events = this.#show(this.#thinking.push(content ?? ""));
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
    const events = this.#show(this.#thinking.end());
    if (!this.#hasText) throw emptyAnswer(finishReason);
    this.#isFinished = true;
    return [...events, { type: "finish", finishReason }];
  }
}
