import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** One request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly rawQuery: string;
  /** The address of the connection. Forwarding headers are the caller's own words and change nothing here. */
  readonly sourceIp: string;
  readonly requestId: string;
  /** API Gateway's second id, `x-amz-apigw-id`. */
  readonly extendedRequestId: string;
  readonly receivedAt: Date;
  /** Call it before the body is read: some callers wait for 100 Continue before they send it. */
  acceptBody(): void;
}

const splitTarget = (target: string): { path: string; rawQuery: string } => {
  // A proxy's client names the whole address (RFC 9112, absolute-form).
  const local = target.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = local.indexOf("?");
  const path = mark < 0 ? local : local.slice(0, mark);
  return { path: path === "" ? "/" : path, rawQuery: mark < 0 ? "" : local.slice(mark + 1) };
};

/** @param expectsContinue whether the request has the header `Expect: 100-continue`. */
export const openExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Exchange => ({
  request,
  response,
  method: request.method ?? "GET",
  ...splitTarget(request.url ?? "/"),
  sourceIp: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
  requestId: randomUUID(),
  extendedRequestId: randomBytes(11).toString("base64"),
  receivedAt: new Date(),
  acceptBody: () => {
    if (expectsContinue) response.writeContinue();
  },
});

/** Aborted when the caller leaves before the response is complete. */
export const signalOfCaller = ({ response }: Exchange): AbortSignal => {
  const caller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) caller.abort();
  });
  return caller.signal;
};
