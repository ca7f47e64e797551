import type { Writable } from "node:stream";
import { AppError } from "../platform/errors/app-error.ts";
import type { Source } from "../platform/outbound/source.ts";
import { describeError, logger } from "../platform/telemetry/logger.ts";
import type { StreamEnd } from "./request-log.ts";
import type { BodyChunks } from "./response.ts";

/** Resolves when the stream takes more or has come to its end; a reader that went away is no error. */
const whenWritable = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      stream.off("drain", finish);
      stream.off("close", finish);
      resolve();
    };
    if (stream.destroyed) return resolve();
    stream.once("drain", finish);
    stream.once("close", finish);
  });

/** Resolves when everything has been written, or nothing more can be. */
const whenOver = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableFinished) {
      resolve();
      return;
    }
    stream.once("finish", resolve);
    stream.once("close", resolve);
  });

/** Called while a response is sent. */
export interface SendingObserver {
  /** The size of each piece. */
  readonly onSent?: (bytes: number) => void;
  /** A failure that the body itself reports: for its reader the response is complete. */
  readonly onReportedFailure?: (failure: AppError) => void;
}

/** What a body says of its end. */
const report = (end: unknown, { onReportedFailure }: SendingObserver): void => {
  if (end instanceof AppError) onReportedFailure?.(end);
};

/**
 * Writes what a source produces, and pauses it while the reader is slow. A reader that disconnects stops it at once.
 */
const sendSource = (stream: Writable, source: Source<string>, observer: SendingObserver): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = (): void => {
      source.stop();
      resolve();
    };
    if (stream.destroyed) return leave();
    stream.once("close", leave);
    // As below.
    stream.write("");
    source.start({
      onPiece: (text) => {
        try {
          observer.onSent?.(Buffer.byteLength(text));
          if (stream.write(text)) return;
          source.pause();
          void whenWritable(stream).then(() => source.resume());
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

/** Writes chunk by chunk. Also while the next chunk is being made, a reader that goes away stops its maker at once. */
const sendChunks = async (
  stream: Writable,
  body: AsyncIterable<string | Uint8Array, unknown>,
  observer: SendingObserver,
): Promise<void> => {
  const chunks = body[Symbol.asyncIterator]();
  const stop = () => void chunks.return?.().catch(() => undefined);
  stream.once("close", stop);
  try {
    // Without a first write the runtime forgets status and headers; with an empty one they leave at once.
    stream.write("");
    let next = await chunks.next();
    for (; !next.done; next = await chunks.next()) {
      if (stream.destroyed) {
        await chunks.return?.();
        break;
      }
      observer.onSent?.(Buffer.byteLength(next.value));
      if (!stream.write(next.value)) await whenWritable(stream);
    }
    if (next.done) report(next.value, observer);
  } finally {
    // A stream that was sent as a whole closes, too.
    stream.off("close", stop);
  }
};

/**
 * Writes a body at the reader's pace and ends the stream.
 *
 * The producer reports failures in the stream's own format. Where that has none, like audio, it throws: the stream is
 * left open and the invocation fails, so Lambda breaks off the response and no client takes it as complete.
 * (Destroying the stream would end the runtime.) When the reader disconnects, the iteration ends, which lets the
 * producer stop; that is no failure.
 *
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
  await whenOver(stream);
  return stream.writableFinished ? "whole" : "client_disconnected";
};
