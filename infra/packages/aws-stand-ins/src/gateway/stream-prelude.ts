import type { OutgoingHttpHeaders } from "node:http";
import * as z from "zod";
import { statusCodeSchema } from "./buffered-answer.ts";
import { headerFields, mergeHeaders } from "./response-headers.ts";

/** The content type by which `awslambda.HttpResponseStream` announces status and headers before the body. */
export const HTTP_STREAM_TYPE = "application/vnd.awslambda.http-integration-response";

const DELIMITER = Buffer.alloc(8);
/** The metadata must be over by then ("Lambda proxy integration with payload response streaming"). */
const MAXIMUM_BYTES = 16 * 1024;

export interface Prelude {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
}

const preludeSchema = z.object({ statusCode: statusCodeSchema.default(200), ...headerFields });

/** The beginning of an HTTP answer that is streamed. */
export interface StreamedAnswer extends Prelude {
  /** What had already arrived of the body. */
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
 * Takes the metadata, JSON and eight zero bytes, off the beginning of a stream.
 *
 * @param chunks goes on with the body afterwards.
 * @returns undefined when the stream has none, or ends or breaks before they are complete.
 */
export const readPrelude = async (chunks: AsyncIterator<Buffer>): Promise<StreamedAnswer | undefined> => {
  let received = Buffer.alloc(0);
  while (received.length <= MAXIMUM_BYTES) {
    const next = await chunks.next().catch(() => undefined);
    if (next === undefined || next.done) return undefined;
    received = Buffer.concat([received, next.value]);
    const end = received.indexOf(DELIMITER);
    if (end < 0) continue;
    const prelude = parse(received.subarray(0, end));
    return prelude && { ...prelude, firstBytes: received.subarray(end + DELIMITER.length) };
  }
  return undefined;
};
