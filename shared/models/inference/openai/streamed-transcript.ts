import { createParser } from "eventsource-parser";
import * as z from "zod";
import type { AppError } from "../../../platform/errors/app-error.ts";
import type { Transcription } from "../transcription.ts";
import { unusable } from "./backend.ts";
import { failureIn, parseJson } from "./chat-completion.ts";
import { endOfFinished, withoutSpecialTokens } from "./special-tokens.ts";

/** The next text: an event of OpenAI's or a chunk of vLLM's. */
const wireDelta = z.union([
  z
    .object({ type: z.literal("transcript.text.delta"), delta: z.string() })
    .transform(({ delta }) => ({ delta, isLast: false })),
  z
    .object({
      object: z.literal("transcription.chunk"),
      choices: z.array(
        z.object({
          delta: z.object({ content: z.string().nullish() }).nullish(),
          finish_reason: z.string().nullish(),
        }),
      ),
    })
    .transform(({ choices: [choice] }) => ({
      delta: choice?.delta?.content ?? "",
      isLast: Boolean(choice?.finish_reason),
    })),
]);

/** The whole text again, at the end (OpenAI). */
const wireDone = z.object({ type: z.literal("transcript.text.done"), text: z.string() });
const wireFailure = z.object({ error: z.unknown().refine((error) => error != null) });

/** Reads a transcription that comes as a stream of events. */
export class StreamedTranscript {
  readonly #onText: (text: string) => void;
  readonly #parser: ReturnType<typeof createParser>;
  #text = "";
  /** The start of what may be a special token. */
  #unfinished = "";
  #hasStarted = false;
  #isFinished = false;
  #failure: unknown;

  /** @param onText receives each piece of the text, without leading blanks. */
  constructor(onText: (text: string) => void) {
    this.#onText = onText;
    this.#parser = createParser({ onEvent: ({ data }) => this.#readEvent(data) });
  }

  /** Whether anything has arrived. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Reads the next text of the stream, cut anywhere. {@link end} reports a failure in it. */
  read(text: string): void {
    this.#hasStarted = true;
    this.#parser.feed(text);
  }

  /** The transcript. @throws AppError when the stream reported a failure, or ended before its text did. */
  end(): Transcription {
    this.#parser.feed("\n\n");
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#isFinished) throw this.brokenOff();
    this.#show(this.#unfinished);
    return { text: this.#text.trim(), segments: undefined };
  }

  /** The error for a transcription that ended early. */
  brokenOff(cause?: unknown): AppError {
    return unusable("The model's server ended its transcription early.", cause);
  }

  #readEvent(data: string): void {
    if (this.#isFinished || this.#failure !== undefined) return;
    if (data.trim() === "[DONE]") {
      this.#isFinished = true;
      return;
    }
    try {
      this.#readWire(parseJson(data));
    } catch (error) {
      this.#failure = error;
    }
  }

  #readWire(wire: unknown): void {
    if (wireFailure.safeParse(wire).success) throw failureIn(wire);
    const done = wireDone.safeParse(wire).data;
    if (done) {
      this.#isFinished = true;
      // Text that differs from the pieces cannot be taken back; text that only follows them is sent.
      const whole = withoutSpecialTokens(done.text).trimStart();
      if (!whole.startsWith(this.#text)) return;
      this.#unfinished = "";
      this.#show(whole.slice(this.#text.length));
      return;
    }
    const { delta = "", isLast = false } = wireDelta.safeParse(wire).data ?? {};
    this.#add(delta);
    this.#isFinished = isLast;
  }

  #add(text: string): void {
    const all = this.#unfinished + text;
    const end = endOfFinished(all);
    this.#unfinished = all.slice(end);
    this.#show(withoutSpecialTokens(all.slice(0, end)));
  }

  #show(text: string): void {
    const piece = this.#text === "" ? text.trimStart() : text;
    if (piece === "") return;
    this.#text += piece;
    this.#onText(piece);
  }
}
