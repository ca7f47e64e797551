import { Reply } from "../../shared/http/response.ts";
import type { ChatModels, ChatRequest, ChatStream } from "../../shared/models/inference/chat.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { withKeepAlive } from "./keep-alive.ts";
import { type EventWriter, writeFrames } from "./write-frames.ts";

/** What a streamed reply needs in addition to the conversation. */
export interface StreamDependencies {
  readonly models: ChatModels;
  readonly signal: AbortSignal;
  /** For the log. */
  readonly requestId: string;
  /** How long the stream may be silent before a comment is sent. */
  readonly keepAliveMilliseconds: number;
  /** How long the whole reply may take; the function's own end would break the connection silently. */
  readonly timeLimitMilliseconds: number;
  /** The events of the stream. */
  readonly writer: EventWriter;
}

const headers = {
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};

const tooLong = (milliseconds: number): AppError =>
  new AppError("external_service_error", {
    message: `The reply took longer than the limit of ${Math.floor(milliseconds / 1_000)} seconds.`,
  });

/**
 * Continues a conversation with a streamed reply. Resolves when the model has started, or when it has been silent so
 * long that callers and proxies would give up: then headers and a comment are sent, and later failures are reported
 * in the stream. The exchange with the model's server ends as soon as the client disconnects.
 * @throws AppError as the models do, for failures before the start and before the first comment.
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
    const opening = models.streamReply(request, { signal: exchange.signal });
    const reply = await firstOf(opening, keepAliveMilliseconds);
    const frames = writeFrames(writer, reply ?? when(opening), onEnd);
    const texts = withKeepAlive(frames, keepAliveMilliseconds, reply === undefined);
    // Also while waiting for the next text: its source would only learn then that the client has gone.
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

/** The value of a promise, or `undefined` if it takes longer; the promise then continues. */
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

/** A reply that has not started yet. */
const when = (opening: Promise<ChatStream>): ChatStream => {
  let reply: ChatStream | undefined;
  let isPaused = false;
  let isStopped = false;
  return {
    start: (receiver) => {
      opening.then(
        (started) => {
          if (isStopped) {
            started.stop();
            return;
          }
          reply = started;
          started.start(receiver);
          if (isPaused) started.pause();
        },
        (thrown) => {
          if (!isStopped) receiver.onEnd(thrown);
        },
      );
    },
    pause: () => {
      isPaused = true;
      reply?.pause();
    },
    resume: () => {
      isPaused = false;
      reply?.resume();
    },
    stop: () => {
      isStopped = true;
      reply?.stop();
    },
  };
};
