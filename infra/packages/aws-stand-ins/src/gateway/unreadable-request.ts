import { randomBytes, randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** A request of which so little could be read that it has no method, no path and no headers. */
export interface UnreadableRequest {
  readonly status: number;
  /** The status in words. */
  readonly reason: string;
  readonly requestId: string;
  readonly extendedRequestId: string;
}

/** Words the answer to such a request, as the service that is stood in for would. */
export type WordUnreadable = (request: UnreadableRequest) => {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Node's names for what went wrong; everything else is a malformed request. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** How long a caller may take to read the answer and to stop sending. */
const FAREWELL_MILLISECONDS = 1_000;

export const describeUnreadable = (code: string | undefined): UnreadableRequest => {
  const status = statuses[code ?? ""] ?? 400;
  return {
    status,
    reason: STATUS_CODES[status] ?? "",
    requestId: randomUUID(),
    extendedRequestId: randomBytes(11).toString("base64"),
  };
};

/** Answers on a connection that no request came through, and ends it. */
export const answerUnreadable = (
  socket: Duplex,
  { status, reason, requestId }: UnreadableRequest,
  { headers = {}, body }: ReturnType<WordUnreadable>,
): void => {
  const all = {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    Date: new Date().toUTCString(),
    "x-amzn-RequestId": requestId,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${body}`);
  // Destroyed at once, with bytes of the caller's unread, the connection would be reset and the answer lost.
  const timer = setTimeout(() => socket.destroy(), FAREWELL_MILLISECONDS);
  socket.once("close", () => clearTimeout(timer));
};
