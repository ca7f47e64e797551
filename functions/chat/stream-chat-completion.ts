import { Reply } from "../../shared/http/response.ts";
import type { ChatModels, ChatRequest, ChatStream } from "../../shared/models/inference/chat.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { withKeepAlive } from "./keep-alive.ts";
import { type EventWriter, writeFrames } from "./write-frames.ts";

/** What a streamed answer needs beyond the conversation. */
export interface StreamDependencies {
  readonly models: ChatModels;
  readonly signal: AbortSignal;
  /** For the log. */
  readonly requestId: string;
  /** After how much silence a comment is sent. */
  readonly keepAliveMilliseconds: number;
  /** How long the whole answer may take; the function's own end would break the connection without a word. */
  readonly timeLimitMilliseconds: number;
  /** In which events the answer leaves. */
  readonly writer: EventWriter;
}

const headers = {
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

const tooLong = (milliseconds: number): AppError =>
  new AppError("external_service_error", {
    message: `The answer took longer than the ${Math.floor(milliseconds / 1_000)} seconds it may take.`,
  });

/**
 * Continues a conversation with an answer that is sent while it is made. Resolves when the model has begun, or when it has
 * been silent for so long that callers and proxies would think nobody was there: headers and a comment leave then, and what
 * fails later is told in the stream.
 *
 * The exchange with the model's server ends as soon as the client disconnects, which stops the reply's body.
 *
 * @throws AppError as the models do, for what fails before the beginning and before the first comment.
 */
export const streamChatCompletion = async (
  request: ChatRequest,
  dependencies: StreamDependencies,
): Promise<Reply> => {
  const { models, requestId, keepAliveMilliseconds, timeLimitMilliseconds, writer } = dependencies;
  const exchange = new AbortController();
  const timer = setTimeout(() => exchange.abort(tooLong(timeLimitMilliseconds)), timeLimitMilliseconds);
  let isDisconnected = false;
  const disconnect = (): void => {
    isDisconnected = true;
    clearTimeout(timer);
    exchange.abort();
  };
  const onEnd = (failure: AppError | undefined): void => {
    clearTimeout(timer);
    if (!failure || isDisconnected) return;
    const { code, cause } = failure;
    logger.error("chat.broken_off", { request_id: requestId, code, reason: describeError(cause) });
  };
  // `AbortSignal.any` would do the same for several times the CPU.
  const { signal } = dependencies;
  const follow = (): void => exchange.abort(signal.reason);
  signal.addEventListener("abort", follow, { once: true });
  if (signal.aborted) follow();
  try {
    const beginning = models.streamAnswer(request, { signal: exchange.signal });
    const answer = await firstOf(beginning, keepAliveMilliseconds);
    const frames = writeFrames(writer, answer ?? when(beginning), onEnd);
    const texts = withKeepAlive(frames, keepAliveMilliseconds, answer === undefined);
    // Also while the next text is waited for: its source would learn only then that nobody wants it.
    const stop = (): void => {
      disconnect();
      texts.stop();
    };
    return new Reply({
      contentType: "text/event-stream; charset=utf-8",
      headers,
      body: { ...texts, stop },
    });
  } catch (error) {
    disconnect();
    throw error;
  }
};

/** What a promise resolves with, unless that takes longer: the promise goes on then. */
const firstOf = async <Result>(
  promise: Promise<Result>,
  milliseconds: number,
): Promise<Result | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, milliseconds, undefined);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

/** An answer that has not begun yet. */
const when = (beginning: Promise<ChatStream>): ChatStream => {
  let answer: ChatStream | undefined;
  let isPaused = false;
  let isStopped = false;
  return {
    start: (receiver) => {
      beginning.then(
        (begun) => {
          if (isStopped) {
            begun.stop();
            return;
          }
          answer = begun;
          begun.start(receiver);
          if (isPaused) begun.pause();
        },
        (thrown) => {
          if (!isStopped) receiver.onEnd(thrown);
        },
      );
    },
    pause: () => {
      isPaused = true;
      answer?.pause();
    },
    resume: () => {
      isPaused = false;
      answer?.resume();
    },
    stop: () => {
      isStopped = true;
      answer?.stop();
    },
  };
};
