import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { StreamedAnswer } from "./stream-prelude.ts";

/** How a stream ended: whole; broken, which the caller sees as a broken connection; or left by the caller. */
export type StreamEnd = "complete" | "broken" | "abandoned";

/** A stream that a function has begun. */
export interface RunningStream {
  readonly body: Readable;
  /** What is still to come of the body. One iterator reads it from first to last, so that nothing slips between. */
  readonly chunks: AsyncIterator<Buffer>;
  /** After the end: why the stream is not whole, or undefined. */
  failure(): string | undefined;
}

/**
 * Sends an answer to the caller as it arrives and no faster than the caller reads. When the caller leaves, reading
 * stops at once.
 */
export const relayStream = async (
  { statusCode, headers, firstBytes }: StreamedAnswer,
  { body, chunks, failure }: RunningStream,
  response: ServerResponse,
): Promise<StreamEnd> => {
  const caller = new AbortController();
  const stopReading = (): void => {
    caller.abort();
    body.destroy();
  };
  if (response.destroyed) stopReading();
  response.once("close", stopReading);
  const send = async (bytes: Buffer): Promise<void> => {
    if (!response.write(bytes)) await once(response, "drain", { signal: caller.signal });
  };
  response.writeHead(statusCode, headers);
  response.flushHeaders();
  try {
    if (firstBytes.length > 0) await send(firstBytes);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) await send(next.value);
    if (failure() === undefined) {
      response.end();
      return "complete";
    }
  } catch {
    if (caller.signal.aborted) return "abandoned";
  }
  // The headers have left with a good status: an early end of the connection is the only thing left to say.
  response.destroy();
  return "broken";
};
