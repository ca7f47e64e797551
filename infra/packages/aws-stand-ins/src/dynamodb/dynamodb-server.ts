import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Authority, accessKeyIdIn } from "../iam/authority.ts";
import { isFromThisMachine } from "../loopback.ts";
import { holdDataDirectory } from "./data-directory.ts";
import { DynamoDbError, dynamoDbError, serviceError } from "./dynamodb-error.ts";
import { sweepExpiredItems } from "./expiry-sweep.ts";
import { type Execute, operationsOn } from "./operations.ts";
import { requireAccess } from "./require-access.ts";
import type { JsonObject, Store } from "./store.ts";
import { forgetExpiredTokens } from "./transaction-tokens.ts";

/** DynamoDB takes at most 16 MB in one request. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Long enough that a client reuses its connection instead of meeting one that is just being closed. */
const keepAliveMilliseconds = 60_000;

const targetPrefix = "DynamoDB_20120810.";

/** Runs an operation, or throws the service's refusal. */
type Respond = (request: IncomingMessage) => Promise<JsonObject>;

/**
 * An HTTP server that speaks the JSON 1.0 protocol of DynamoDB. Signatures must be there but are not checked: it is
 * meant for 127.0.0.1 only. The header also keeps web pages out, which cannot send it without a CORS preflight, and
 * that is never granted.
 */
const createHttpServer = (respondTo: Respond): Server => {
  const server = createServer({ keepAliveTimeout: keepAliveMilliseconds }, (request, response) => {
    void (async () => {
      const [status, body] = await respond(respondTo, request);
      // A server that is closing, or whose client still has more to send, closes the connection.
      if (!server.listening || !request.complete) response.setHeader("connection", "close");
      send(response, status, JSON.stringify(body));
    })();
  });
  return server;
};

const send = (response: ServerResponse, status: number, body: string): void => {
  response
    .writeHead(status, {
      "content-type": "application/x-amz-json-1.0",
      "content-length": Buffer.byteLength(body),
      "x-amzn-requestid": randomUUID(),
    })
    .end(body);
};

const respond = async (
  respondTo: Respond,
  request: IncomingMessage,
): Promise<readonly [status: number, body: unknown]> => {
  try {
    return [200, await respondTo(request)];
  } catch (error) {
    if (error instanceof DynamoDbError) return [400, error];
    const message = error instanceof Error ? error.message : "The request failed.";
    return [500, dynamoDbError("InternalServerError", message)];
  }
};

const responder =
  (store: Store, execute: Execute, authority: Authority | undefined): Respond =>
  async (request) => {
    const input = parseBody(await readBody(request));
    const operation = operationOf(request);
    if (authority !== undefined) {
      await requireAccess(store, authority, accessKeyIdIn(request.headers.authorization), operation, input);
    }
    return execute(operation, input);
  };

const operationOf = (request: IncomingMessage): string => {
  const { headers } = request;
  if (!isFromThisMachine(request)) {
    throw serviceError("AccessDeniedException", "This server is for this machine only.");
  }
  if (!headers.authorization?.startsWith("AWS4-")) {
    throw serviceError("MissingAuthenticationTokenException", "Request is missing Authentication Token");
  }
  const target = String(headers["x-amz-target"]);
  if (!target.startsWith(targetPrefix)) {
    throw serviceError("UnknownOperationException", `X-Amz-Target must begin with ${targetPrefix}`);
  }
  return target.slice(targetPrefix.length);
};

const readBody = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBodyBytes) chunks.push(chunk);
      else reject(serviceError("RequestEntityTooLargeException", "The request has more than 16 MB."));
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString()));
    request.on("error", reject);
  });

const parseBody = (body: string): JsonObject => {
  const parsed = parseJson(body);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  throw serviceError("SerializationException", "The request is not a JSON object.");
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** An embedded DynamoDB: dynalite over LevelDB, with transactions, expiry and writes that survive a killed process. */
export interface DynamoDbServer {
  /** `http://127.0.0.1:<port>`, for the AWS SDK. */
  readonly endpoint: string;
  /**
   * Deletes expired items, as the server does every minute.
   *
   *
   * @param nowSeconds - The time to compare with, in seconds since 1970; now by default.
   * @returns how many items were deleted.
   */
  sweepExpired(nowSeconds?: number): Promise<number>;
  /** Finishes pending requests, then ends the server and releases the data directory. */
  close(): Promise<void>;
}

interface DynamoDbOptions {
  /** Where the tables live; created when missing. */
  readonly dataDirectory: string;
  /** 0, or nothing, for any free port. */
  readonly port?: number;
  /** Judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
}

const host = "127.0.0.1";
const sweepIntervalMilliseconds = 60_000;
/** How long a client may take to finish a pending request after the server was closed. */
const closingGraceMilliseconds = 2_000;

/**
 * Starts the embedded DynamoDB on 127.0.0.1. A write that was acknowledged survives the end of the process, however it
 * comes; it is not forced to the disk, so a machine that loses power may lose the last ones, but no part of one.
 *
 * @throws {Error} one sentence when the data directory is in use or cannot be read, or the port is taken.
 */
export const startDynamoDb = async ({
  dataDirectory,
  port = 0,
  authority,
}: DynamoDbOptions): Promise<DynamoDbServer> => {
  const { store, release } = await holdDataDirectory(dataDirectory);
  const execute = operationsOn(store);
  const server = createHttpServer(responder(store, execute, authority));
  try {
    await listen(server, port);
  } catch (error) {
    await release();
    throw error;
  }

  const sweepExpired = (nowSeconds = Math.floor(Date.now() / 1000)) =>
    sweepExpiredItems(store, execute, nowSeconds);
  const stopSweeping = repeat(async () => {
    await sweepExpired();
    await forgetExpiredTokens(store);
  });
  const closeOnce = async () => {
    await stopSweeping();
    await closeServer(server);
    await release();
  };
  let closing: Promise<void> | undefined;

  return {
    endpoint: endpointOf(server),
    sweepExpired,
    close: () => {
      closing ??= closeOnce();
      return closing;
    },
  };
};

const listen = async (server: Server, port: number): Promise<void> => {
  const listening = once(server, "listening");
  server.listen(port, host);
  try {
    await listening;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The embedded DynamoDB cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
  }
};

const endpointOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://${host}:${address.port}`;
};

const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, "close");
  server.close();
  const grace = setTimeout(() => server.closeAllConnections(), closingGraceMilliseconds);
  await closed;
  clearTimeout(grace);
};

/** Runs `work` every minute without keeping the process alive; the result stops it and waits for its last run. */
const repeat = (work: () => Promise<void>): (() => Promise<void>) => {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(work).catch((error: unknown) => {
      process.emitWarning(`The sweep of expired DynamoDB items failed: ${String(error)}`);
    });
  }, sweepIntervalMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
};
