import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { DynamoDbError, dynamoDbError, serviceError } from "./dynamodb-error.ts";
import type { Execute } from "./operations.ts";
import type { JsonObject } from "./store.ts";

/** DynamoDB takes at most 16 MB in one request. */
const maximumBodyBytes = 16 * 1024 * 1024;

/** Long enough that a client reuses its connection instead of meeting one that is just being closed. */
const keepAliveMilliseconds = 60_000;

const targetPrefix = "DynamoDB_20120810.";

/**
 * An HTTP server that speaks the JSON 1.0 protocol of DynamoDB. Signatures must be there but are not checked: it is
 * meant for 127.0.0.1 only. The header also keeps web pages out, which cannot send it without a CORS preflight, and
 * that is never granted.
 */
export const createHttpServer = (execute: Execute): Server => {
  const server = createServer({ keepAliveTimeout: keepAliveMilliseconds }, (request, response) => {
    void (async () => {
      const [status, body] = await answer(execute, request);
      // A server that is closing, or whose client has more to send than it reads, gives the connection up.
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

const answer = async (
  execute: Execute,
  request: IncomingMessage,
): Promise<readonly [status: number, body: unknown]> => {
  try {
    const body = await readBody(request);
    return [200, await execute(operationOf(request), parseBody(body))];
  } catch (error) {
    if (error instanceof DynamoDbError) return [400, error];
    const message = error instanceof Error ? error.message : "The request failed.";
    return [500, dynamoDbError("InternalServerError", message)];
  }
};

const operationOf = ({ headers }: IncomingMessage): string => {
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
      if (length <= maximumBodyBytes) chunks.push(chunk);
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
