import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { vi } from "vitest";

/** What a streaming function has sent. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
  readonly body: string;
}

type StreamingHandler = (event: unknown, stream: PassThrough, context: unknown) => Promise<void>;

/**
 * Defines the globals of the Lambda runtime that streaming functions need. Call it before the function is created;
 * `vi.unstubAllGlobals` removes them.
 */
export const stubStreamingRuntime = (): void => {
  vi.stubGlobal("awslambda", {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from: (stream: PassThrough, metadata: unknown) => {
        stream.emit("metadata", metadata);
        return stream;
      },
    },
  });
};

/** Invokes a streaming function and collects what it sends. */
export const invokeStreaming = async (
  handler: (...args: never[]) => unknown,
  event: unknown,
  context: unknown,
): Promise<StreamedResponse> => {
  const stream = new PassThrough();
  let metadata: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly cookies?: readonly string[];
  } = { statusCode: 0, headers: {} };
  stream.once("metadata", (sent) => {
    metadata = sent;
  });
  const body = text(stream);
  await Reflect.apply(handler, undefined, [event, stream, context]);
  const { statusCode: status, ...head } = metadata;
  return { ...head, status, body: await body };
};
