import type { Writable } from "node:stream";
import { AppError } from "../platform/errors/app-error.ts";
import type { Source } from "../platform/outbound/source.ts";
import { describeError, logger } from "../platform/telemetry/logger.ts";
import type { BodyChunks } from "./exchange.ts";
import type { StreamEnd } from "./request-log.ts";

/** Resolves when the stream accepts more or has finished, or when its reader disconnected, which is no error. */
const untilReady = (stream: Writable, event: "drain" | "finish"): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      stream.off(event, finish);
      stream.off("close", finish);
      resolve();
    };
    if (stream.destroyed || stream.writableFinished) return resolve();
    stream.once(event, finish);
    stream.once("close", finish);
  });

export interface SendingObserver {
  /** The size of each piece. */
  readonly onSent?: (bytes: number) => void;
  /** A failure that the body itself reports: for its reader the response is complete. */
  readonly onReportedFailure?: (failure: AppError) => void;
}

/** Without a first write the runtime forgets status and headers; with an empty one they leave at once. */
const headOnly = "";

const report = (end: unknown, { onReportedFailure }: SendingObserver): void => {
  if (end instanceof AppError) onReportedFailure?.(end);
};

/** Writes what a source produces, and pauses it while the reader is slow. A reader that disconnects stops it at once. */
const sendSource = (stream: Writable, source: Source<string>, observer: SendingObserver): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      source.stop();
      resolve();
    };
    if (stream.destroyed) return leave();
    stream.once("close", leave);
    stream.write(headOnly);
    source.start({
      onPiece: (text) => {
        try {
          observer.onSent?.(Buffer.byteLength(text));
          if (stream.write(text)) return;
          source.pause();
          void untilReady(stream, "drain").then(() => source.resume());
        } catch (error) {
          source.stop();
          reject(error);
        }
      },
      onEnd: (end) => {
        stream.off("close", leave);
        report(end, observer);
        resolve();
      },
    });
  });

/** Writes chunk by chunk. A reader that disconnects stops the producer at once, even while it works on a chunk. */
const sendChunks = async (
  stream: Writable,
  body: AsyncIterable<string | Uint8Array, unknown>,
  observer: SendingObserver,
): Promise<void> => {
  const chunks = body[Symbol.asyncIterator]();
  const stop = () => void chunks.return?.().catch(() => undefined);
  stream.once("close", stop);
  try {
    stream.write(headOnly);
    let next = await chunks.next();
    for (; !next.done; next = await chunks.next()) {
      if (stream.destroyed) {
        await chunks.return?.();
        break;
      }
      observer.onSent?.(Buffer.byteLength(next.value));
      if (!stream.write(next.value)) await untilReady(stream, "drain");
    }
    if (next.done) report(next.value, observer);
  } finally {
    stream.off("close", stop);
  }
};

/**
 * Writes a body at the reader's pace and ends the stream.
 *
 * The producer reports failures in the stream's own format. Without one, as for audio, it throws: the stream stays open and
 * the invocation fails, so Lambda breaks off the response. (Destroying the stream would end the runtime.) A reader that
 * disconnects stops the producer; that is no failure.
 *
 * @returns whether the response was sent completely, or its reader disconnected before.
 * @throws what the producer throws.
 */
export const sendStream = async (
  stream: Writable,
  body: string | BodyChunks,
  observer: SendingObserver = {},
): Promise<Exclude<StreamEnd, "failed">> => {
  stream.on("error", () => undefined);
  try {
    if (typeof body === "string") {
      observer.onSent?.(Buffer.byteLength(body));
      stream.write(body);
    } else if ("start" in body) await sendSource(stream, body, observer);
    else await sendChunks(stream, body, observer);
  } catch (error) {
    logger.error("stream.failed", { reason: describeError(error) });
    if (!stream.destroyed) throw error;
  }
  stream.end();
  await untilReady(stream, "finish");
  return stream.writableFinished ? "whole" : "client_disconnected";
};
