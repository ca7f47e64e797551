import type { IncomingMessage } from "node:http";
import { isFromAnotherSite, isFromThisMachine } from "../machine/loopback.ts";
import type { Exchange } from "./exchange.ts";
import { maxLocalBodyBytes, readBody } from "./read-body.ts";

export interface LocalResponse {
  readonly status: number;
  /** `content-type` is JSON unless given. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

type LocalRoute = (request: IncomingMessage, body: Buffer) => Promise<LocalResponse>;

/**
 * Routes that exist on this machine only, by method and exact path: `GET /_local/mail`. They serve this machine only,
 * under a name of its own (`localhost`, 127.0.0.1), and no pages of other sites, because they show all mails and more.
 */
export type LocalRoutes = Readonly<Record<string, LocalRoute>>;

/** The local-only route of a request, if it has one. */
export const findLocalRoute = ({ method, path }: Exchange, routes: LocalRoutes): LocalRoute | undefined => {
  const name = `${method} ${path}`;
  return Object.hasOwn(routes, name) ? routes[name] : undefined;
};

const refusal: LocalResponse = {
  status: 403,
  body: '{"message":"This route is only available on this machine, at http://127.0.0.1 or http://localhost."}',
};

const foreignPage: LocalResponse = {
  status: 403,
  body: '{"message":"Web pages of other sites cannot use this route."}',
};

const sendLocally = (
  { request }: Exchange,
  route: LocalRoute,
  body: Buffer | undefined,
): LocalResponse | Promise<LocalResponse> => {
  if (!isFromThisMachine(request)) return refusal;
  if (isFromAnotherSite(request)) return foreignPage;
  return body ? route(request, body) : { status: 413, body: '{"message":"Request Too Long"}' };
};

export const respondLocally = async (exchange: Exchange, route: LocalRoute): Promise<void> => {
  const received = await readBody(exchange, maxLocalBodyBytes);
  if (received.kind === "aborted") return;
  const whole = received.kind === "complete" ? received.bytes : undefined;
  const { status, headers, body } = await sendLocally(exchange, route, whole);
  exchange.response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  exchange.response.end(body);
};
