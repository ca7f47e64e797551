import { once } from "node:events";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import * as z from "zod";
import { headerFields, mergeHeaders, statusCodeSchema } from "./buffered-response.ts";

/** The content type by which `awslambda.HttpResponseStream` announces status and headers before the body. */
export const httpStreamType = "application/vnd.awslambda.http-integration-response";

const delimiter = Buffer.alloc(8);
/** The metadata must be over by then ("Lambda proxy integration with payload response streaming"). */
const maxPreludeBytes = 16 * 1024;

interface Prelude {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
}

const preludeSchema = z.object({ statusCode: statusCodeSchema.default(200), ...headerFields });

/** The start of a streamed HTTP response. */
interface StreamedResponse extends Prelude {
  /** The part of the body that has already arrived. */
  readonly firstBytes: Buffer;
}

const parse = (metadata: Buffer): Prelude | undefined => {
  try {
    const { statusCode, ...fields } = preludeSchema.parse(JSON.parse(metadata.toString()));
    return { statusCode, headers: mergeHeaders(fields) };
  } catch {
    return undefined;
  }
};

/**
 * Removes the metadata, JSON and eight zero bytes, from the start of a stream.
 *
 *
 * @param chunks continues with the body afterwards.
 * @returns undefined when the stream has none, or ends or breaks before they are complete.
 */
export const readPrelude = async (chunks: AsyncIterator<Buffer>): Promise<StreamedResponse | undefined> => {
  let received = Buffer.alloc(0);
  while (received.length <= maxPreludeBytes) {
    const next = await chunks.next().catch(() => undefined);
    if (next === undefined || next.done) return undefined;
    received = Buffer.concat([received, next.value]);
    const end = received.indexOf(delimiter);
    if (end < 0) continue;
    const prelude = parse(received.subarray(0, end));
    return prelude && { ...prelude, firstBytes: received.subarray(end + delimiter.length) };
  }
  return undefined;
};

/** How a stream ended: whole; broken, which the caller sees as a broken connection; or left by the caller. */
type StreamEnd = "complete" | "broken" | "abandoned";

/** A started stream of a function. */
interface RunningStream {
  readonly body: Readable;
  /** The rest of the body. One iterator reads all of it, so no chunk is lost. */
  readonly chunks: AsyncIterator<Buffer>;
  /** After the end: why the stream is not whole, or undefined. */
  failure(): string | undefined;
}

/**
 * Sends a response to the caller as it arrives and no faster than the caller reads. When the caller leaves, reading
 * stops at once.
 */
export const relayStream = async (
  { statusCode, headers, firstBytes }: StreamedResponse,
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
