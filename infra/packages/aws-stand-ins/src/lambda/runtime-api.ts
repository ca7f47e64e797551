import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { closeServer, listen } from "../machine/listening.ts";
import {
  type FunctionError,
  type Invocation,
  maxResponseBytes,
  parseErrorReport,
  responseTooLarge,
} from "./invocation.ts";
import { receiveStream } from "./response-body.ts";

/** The execution environment behind a runtime, as far as the Runtime API is concerned. */
export interface RuntimeSession {
  readonly id: string;
  /** Resolved with the next invocation, however long that takes. */
  nextInvocation(): Promise<Invocation>;
  /** The invocation the runtime is working on, if it is the one with this id. */
  currentInvocation(requestId: string): Invocation | undefined;
  /** The runtime has given the whole result of its invocation. */
  responded(): void;
  failInitialization(error: FunctionError): void;
}

/**
 * Serves the Lambda Runtime API (version 2018-06-01) to every execution environment from one port. Each has a
 * path of its own, which only it knows.
 */
export class RuntimeApi {
  readonly #server: Server;
  readonly #sessions = new Map<string, RuntimeSession>();
  #listening: Promise<void> | undefined;

  constructor() {
    this.#server = createServer((request, response) => this.#serve(request, response));
    // A handler may be busy, and a response flow, for longer than any of these would allow.
    this.#server.keepAliveTimeout = 0;
    this.#server.headersTimeout = 0;
    this.#server.requestTimeout = 0;
  }

  listen(): Promise<void> {
    this.#listening ??= listen(this.#server).then(() => {});
    return this.#listening;
  }

  /**
   * @returns the address for `AWS_LAMBDA_RUNTIME_API`, with the session's path
   * @throws when the server is not listening
   */
  open(session: RuntimeSession): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The Runtime API is not listening.");
    this.#sessions.set(session.id, session);
    return `127.0.0.1:${address.port}/${session.id}`;
  }

  close(session: RuntimeSession): void {
    this.#sessions.delete(session.id);
  }

  /** Stops listening for good. */
  async shutDown(): Promise<void> {
    if (this.#listening === undefined) {
      this.#listening = Promise.resolve();
      return;
    }
    await this.#listening;
    await closeServer(this.#server);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const [, sessionId = "", version, , ...route] = (request.url ?? "").split("/");
    const session = this.#sessions.get(sessionId);
    if (session === undefined || version !== "2018-06-01") {
      respond(response, 404, "NotFound");
      return;
    }
    const [subject, requestId = "", verb] = route;
    if (subject === "init") {
      void serveInitializationError(session, request, response);
    } else if (requestId === "next") {
      void serveNext(session, response);
    } else {
      const invocation = session.currentInvocation(requestId);
      if (invocation === undefined) respond(response, 400, "InvalidRequestID");
      else if (verb === "error") void serveError(session, invocation, request, response);
      else void serveResponse(session, invocation, request, response);
    }
  }
}

const serveNext = async (session: RuntimeSession, response: ServerResponse): Promise<void> => {
  const invocation = await session.nextInvocation();
  response
    .writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": invocation.payload.length,
      "Lambda-Runtime-Aws-Request-Id": invocation.requestId,
      "Lambda-Runtime-Deadline-Ms": invocation.deadline,
      "Lambda-Runtime-Invoked-Function-Arn": invocation.functionArn,
      "Lambda-Runtime-Trace-Id": invocation.traceId,
    })
    .end(invocation.payload);
};

const serveResponse = async (
  session: RuntimeSession,
  invocation: Invocation,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.headers["lambda-runtime-function-response-mode"] === "streaming") {
    request.once("end", () => {
      session.responded();
      response.writeHead(202).end();
    });
    return receiveStream(request, invocation);
  }
  const { payload, bytes } = await readPayload(request);
  session.responded();
  if (payload === undefined) {
    invocation.fail(responseTooLarge(bytes));
    respond(response, 413, "RequestEntityTooLarge");
  } else {
    invocation.succeed(payload);
    response.writeHead(202).end();
  }
};

const serveError = async (
  session: RuntimeSession,
  invocation: Invocation,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { payload } = await readPayload(request);
  session.responded();
  invocation.fail(parseErrorReport(String(payload)));
  response.writeHead(202).end();
};

const serveInitializationError = async (
  session: RuntimeSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { payload } = await readPayload(request);
  session.failInitialization(parseErrorReport(String(payload)));
  response.writeHead(202).end();
};

/**
 * Reads a buffered payload. What exceeds the limit is read too, so that the connection stays usable, but dropped.
 * Never resolved when the runtime dies midway.
 */
const readPayload = (request: IncomingMessage): Promise<{ payload: Buffer | undefined; bytes: number }> => {
  const { promise, resolve } = Promise.withResolvers<{ payload: Buffer | undefined; bytes: number }>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxResponseBytes) chunks.push(chunk);
  });
  request.once("end", () => {
    resolve({ payload: bytes <= maxResponseBytes ? Buffer.concat(chunks) : undefined, bytes });
  });
  return promise;
};

const respond = (response: ServerResponse, status: number, errorType: string): void => {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ errorType }));
};
