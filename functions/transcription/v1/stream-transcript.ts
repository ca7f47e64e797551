import { Reply } from "../../../shared/http/response.ts";
import type { Transcription } from "../../../shared/models/inference/transcription.ts";
import type { AppError } from "../../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../../shared/platform/errors/dependency-failure.ts";
import { errorBody } from "../../../shared/platform/errors/error-body.ts";

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

const delta = (text: string): string => frame({ type: "transcript.text.delta", delta: text });

/** Texts as they arrive, until the end. */
class TextQueue {
  #texts: string[] = [];
  #isOver = false;
  #news = Promise.withResolvers<void>();

  push(text: string): void {
    this.#texts.push(text);
    this.#news.resolve();
  }

  end(): void {
    this.#isOver = true;
    this.#news.resolve();
  }

  /** The text since the last call, as soon as there is any; `undefined` at the end. */
  async take(): Promise<string | undefined> {
    await this.#news.promise;
    if (this.#texts.length === 0) return undefined;
    const text = this.#texts.join("");
    this.#texts = [];
    if (!this.#isOver) this.#news = Promise.withResolvers();
    return text;
  }
}

/**
 * A transcription as server-sent events of the OpenAI API. It starts with the first text, so earlier failures are
 * ordinary errors; a later one is an event with an `error`, which the SDKs throw.
 * @param write runs the transcription, and passes its texts on. @throws what `write` throws before its first text.
 */
export const streamTranscript = async (
  write: (onText: (text: string) => void) => Promise<Transcription>,
  requestId: string,
): Promise<Reply> => {
  const texts = new TextQueue();
  const transcription = write((text) => texts.push(text)).finally(() => texts.end());
  // Awaiting the transcription reports a failure; until then it must not count as unhandled.
  transcription.catch(() => undefined);
  const first = await texts.take();
  const whole = first === undefined ? await transcription : undefined;

  async function* events(): AsyncGenerator<string, AppError | undefined> {
    try {
      for (let text = first; text !== undefined; text = await texts.take()) yield delta(text);
      const { text } = whole ?? (await transcription);
      yield frame({ type: "transcript.text.done", text });
      return undefined;
    } catch (error) {
      const failure = toAppError(error);
      yield frame(errorBody(failure, requestId));
      return failure;
    }
  }
  return new Reply({ contentType: "text/event-stream; charset=utf-8", body: events() });
};
