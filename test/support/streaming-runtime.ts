import type { ServerResponse } from "node:http";

/** A streaming function as the runtime knows it, once it is wrapped. */
export type StreamingHandler = (event: unknown, stream: ServerResponse, context: unknown) => Promise<void>;

/** What Lambda puts into the globals. The response itself is the stream, so that a reader's pace and departure are real. */
export const streamingRuntime = {
  streamifyResponse: (handler: StreamingHandler) => handler,
  HttpResponseStream: {
    from: (
      response: ServerResponse,
      { statusCode, headers }: { statusCode: number; headers: Record<string, string> },
    ) => response.writeHead(statusCode, headers),
  },
};
