import type { IncomingMessage } from "node:http";
import type { Exchange } from "./exchange.ts";
import { MAXIMUM_LOCAL_BODY_BYTES, readBody } from "./read-body.ts";

export interface LocalResponse {
  readonly status: number;
  /** `content-type` is JSON unless given. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

type LocalRoute = (request: IncomingMessage, body: Buffer) => Promise<LocalResponse>;

/** Routes that exist on this machine only, by method and exact path: `GET /_local/mail`. */
export type LocalRoutes = Readonly<Record<string, LocalRoute>>;

/** The local-only route of a request, if it has one. */
export const findLocalRoute = ({ method, path }: Exchange, routes: LocalRoutes): LocalRoute | undefined => {
  const name = `${method} ${path}`;
  return Object.hasOwn(routes, name) ? routes[name] : undefined;
};

export const respondLocally = async (exchange: Exchange, route: LocalRoute): Promise<void> => {
  const received = await readBody(exchange, MAXIMUM_LOCAL_BODY_BYTES);
  if (received.kind === "aborted") return;
  const answer: LocalResponse =
    received.kind === "complete"
      ? await route(exchange.request, received.bytes)
      : { status: 413, body: '{"message":"Request Too Long"}' };
  const { status, headers, body } = answer;
  exchange.response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  exchange.response.end(body);
};
