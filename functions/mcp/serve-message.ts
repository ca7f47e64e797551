import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { RequestFacts } from "../../shared/http/exchange.ts";
import { Reply, ReplyWithHeaders } from "../../shared/http/response.ts";

/** Clients of the protocol must accept both, but responses are JSON: those that accept it, or any type as curl does, are enough. */
const acceptedTypes = "application/json, text/event-stream";

const acceptsJson = /(?:^|[,\s])(?:\*\/\*|application\/(?:json|\*))/i;

/** The headers that the protocol reads. */
const headersOf = (given: RequestFacts["headers"]): Headers => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && /^(?:accept|content-type|mcp-[\w-]+)$/.test(name)) headers.set(name, value);
  }
  if (acceptsJson.test(given["accept"] ?? "*/*")) headers.set("accept", acceptedTypes);
  return headers;
};

/** A message of the protocol, as it was sent. */
export interface McpMessage {
  readonly url: string;
  readonly body: Uint8Array;
  /** The body as JSON. */
  readonly message: unknown;
}

/** Passes a message to a server, in the revision of the protocol that the message has. */
export const serveMessage = async (
  { url, body, message }: McpMessage,
  { headers, signal }: RequestFacts,
  createServer: () => Server,
): Promise<Response> => {
  const init = { method: "POST", headers: headersOf(headers), body: Buffer.from(body), signal };
  const request = new Request(url, init);
  if (!(await isLegacyRequest(request, message))) {
    // Nothing changes that a client could subscribe to.
    const handler = createMcpHandler(createServer, { legacy: "reject", maxSubscriptions: 0 });
    return handler.fetch(request, { parsedBody: message });
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = createServer();
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
};

const jsonRpc = z.looseObject({ jsonrpc: z.literal("2.0") });

/** The response of a server as that of the operation. @throws Error when the protocol's package failed. */
export const toReply = async (served: Response, headers: Readonly<Record<string, string>>) => {
  const { status } = served;
  if (status >= 500) throw new Error(`The server of the protocol responded with ${status}.`);
  const text = await served.text();
  if (status === 200) return new ReplyWithHeaders(jsonRpc.parse(JSON.parse(text)), headers);
  const contentType = served.headers.get("content-type") ?? "text/plain";
  return new Reply({ status, contentType, headers, body: text });
};
