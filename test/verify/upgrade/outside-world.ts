import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type LoopbackServer, listenOnLoopback } from "../../support/loopback-server.ts";

const startServer = (
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<LoopbackServer> =>
  listenOnLoopback(
    createServer((request, response) => {
      // A service that is killed closes its connections.
      respond(request, response).catch(() => response.destroy());
    }),
  );

/** A proxy that can hold requests back, or refuse them. */
export interface Gate extends LoopbackServer {
  /** The bodies of the requests that it is holding back. */
  readonly held: ReadonlySet<Buffer>;
  /** How many requests it has refused. */
  readonly refused: () => number;
  /** Holds back POST requests from now on. @param after lets this many pass first. */
  shut(after?: number): void;
  /** Responds to POST requests with this status from now on. @param after lets this many pass first. */
  refuse(status: number, after?: number): void;
  /** Passes on all requests, including those it was holding back. */
  open(): void;
}

/** Starts an open gate. @param upstream the origin of the server behind it. */
export const startGate = async (upstream: string): Promise<Gate> => {
  const held = new Set<Buffer>();
  let passes = Number.POSITIVE_INFINITY;
  let refusal: number | undefined;
  let refused = 0;
  let opened = Promise.withResolvers<void>();

  /** Whether the request may pass. One that is held back waits. */
  const passesGate = async (body: Buffer, response: ServerResponse): Promise<boolean> => {
    if (passes > 0) {
      passes -= 1;
      return true;
    }
    if (refusal !== undefined) {
      refused += 1;
      response.writeHead(refusal).end();
      return false;
    }
    held.add(body);
    const left = new Promise<never>((_, reject) => response.once("close", () => reject(new Error("left"))));
    await Promise.race([opened.promise, left]).finally(() => held.delete(body));
    return true;
  };

  const server = await startServer(async (request, response) => {
    const body = await buffer(request);
    if (request.method === "POST" && !(await passesGate(body, response))) return;
    const passed = await fetch(upstream + (request.url ?? ""), {
      method: request.method ?? "GET",
      headers: { "Content-Type": request.headers["content-type"] ?? "application/json" },
      ...(request.method === "POST" ? { body: new Uint8Array(body) } : {}),
    });
    const type = passed.headers.get("content-type") ?? "application/json";
    response.writeHead(passed.status, { "Content-Type": type });
    response.end(Buffer.from(await passed.arrayBuffer()));
  });
  return {
    ...server,
    held,
    refused: () => refused,
    shut: (after = 0) => {
      passes = after;
      refusal = undefined;
    },
    refuse: (status, after = 0) => {
      passes = after;
      refusal = status;
    },
    open: () => {
      passes = Number.POSITIVE_INFINITY;
      opened.resolve();
      opened = Promise.withResolvers<void>();
    },
  };
};

/** A callback, as received. */
export interface ReceivedCallback {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the receiver responded with 204. */
  readonly isTaken: boolean;
}

/** Receives the callbacks of jobs. */
export interface CallbackReceiver extends LoopbackServer {
  readonly received: readonly ReceivedCallback[];
  /** Whether it responds with 503, like a receiver that is restarting. */
  refuses: boolean;
}

/** Starts a receiver that responds with 204 unless `refuses` is set. */
export const startCallbackReceiver = async (): Promise<CallbackReceiver> => {
  const received: ReceivedCallback[] = [];
  const receiver: CallbackReceiver = {
    ...(await startServer(async (request, response) => {
      const body = (await buffer(request)).toString("utf8");
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const isTaken = !receiver.refuses;
      received.push({ path: request.url ?? "", headers, body, isTaken });
      response.writeHead(isTaken ? 204 : 503).end();
    })),
    received,
    refuses: false,
  };
  return receiver;
};
