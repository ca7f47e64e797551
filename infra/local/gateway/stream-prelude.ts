import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
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

const parse = (metadata: Buffer): Prelude | undefined => {
  try {
    const { statusCode, ...fields } = preludeSchema.parse(JSON.parse(metadata.toString()));
    return { statusCode, headers: mergeHeaders(fields) };
  } catch {
    return undefined;
  }
};

/**
 * Takes the metadata, JSON and eight zero bytes, off the beginning of a stream, and leaves the body in it.
 *
 * @returns undefined when the stream has none, or ends or breaks before they are complete.
 */
export const readPrelude = (body: Readable): Promise<Prelude | undefined> =>
  new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const settle = (prelude: Prelude | undefined): void => {
      body.off("readable", onReadable).off("end", onOver).off("close", onOver).off("error", onOver);
      resolve(prelude);
    };
    const onOver = (): void => settle(undefined);
    const onReadable = (): void => {
      for (let chunk: unknown = body.read(); Buffer.isBuffer(chunk); chunk = body.read()) {
        received = Buffer.concat([received, chunk]);
        const end = received.indexOf(DELIMITER);
        if (end < 0 && received.length <= MAXIMUM_BYTES) continue;
        const rest = received.subarray(end + DELIMITER.length);
        if (end >= 0 && rest.length > 0) body.unshift(rest);
        settle(end < 0 ? undefined : parse(received.subarray(0, end)));
        return;
      }
    };
    body.on("readable", onReadable).on("end", onOver).on("close", onOver).on("error", onOver);
  });
