import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { ApiError } from "./endpoint.ts";

/** Sends a value as the whole response. */
export const sendJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const body = JSON.stringify(value);
  const length = Buffer.byteLength(body);
  response
    .writeHead(status, { ...headers, "content-type": "application/json", "content-length": length })
    .end(body);
};

/**
 * Ends an exchange with an error. A client that has left gets nothing; a started response is broken off, so that a
 * client cannot take it as complete. Errors that are not the client's fault are written to standard error.
 */
export const sendError = (response: ServerResponse, error: unknown): void => {
  if (response.destroyed) return;
  if (!(error instanceof ApiError)) process.emitWarning(error instanceof Error ? error : String(error));
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, message, param, code, headers } =
    error instanceof ApiError ? error : new ApiError(500, "The sample server failed to respond.");
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  sendJson(response, status, { error: { message, type, param, code } }, headers);
};

/**
 * Sends a response piece by piece, as the pieces come. Waits when the client reads more slowly than they come, and
 * when the client leaves aborts the signal of the source.
 *
 * The head is sent with the first piece: a source that fails before can still lead to an error response.
 */
export const sendStream = async (
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  pieces: (clientGone: AbortSignal) => AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  if (response.destroyed) return;
  const clientGone = new AbortController();
  response.once("close", () => clientGone.abort());
  try {
    for await (const piece of pieces(clientGone.signal)) {
      if (clientGone.signal.aborted) return;
      if (!response.headersSent) response.writeHead(200, headers);
      const hasRoom = response.write(piece);
      if (!hasRoom) await once(response, "drain", { signal: clientGone.signal });
    }
    response.end();
  } catch (error) {
    if (!clientGone.signal.aborted) throw error;
  }
};

const headers = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

/**
 * Sends server-sent events, one `data:` line each, as they come; see `sendStream`.
 *
 * @param events makes the events, already serialised and without line breaks
 */
export const sendEvents = async (
  response: ServerResponse,
  events: (clientGone: AbortSignal) => AsyncIterable<string>,
): Promise<void> => {
  await sendStream(response, headers, (clientGone) => dataLines(events(clientGone)));
};

async function* dataLines(events: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const event of events) yield `data: ${event}\n\n`;
}
