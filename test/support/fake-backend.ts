import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request the fake server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly bytes: Buffer;
}

/** A model's server whose behaviour a test decides, call by call; the last behaviour repeats. */
export interface FakeBackend {
  readonly baseUrl: string;
  readonly received: ReceivedRequest[];
  /** The paths of requests for a list of models, which are not in `received`. */
  readonly lists: readonly string[];
  behave(...behaviours: Behaviour[]): void;
  /** How the server lists its models; by default it does not. */
  listModels(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** How the server responds to one call. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

/** Responds with a status and a body; objects become JSON. */
export const responding =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    const isText = typeof body === "string";
    response.writeHead(status, { "Content-Type": isText ? "text/html" : "application/json", ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };

/** A completion as OpenAI-compatible servers give it. */
export const completion = (content: string | null, finishReason: string | null = "stop") => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "test",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finishReason }],
  usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
});

/** Never responds. */
export const hanging: Behaviour = () => undefined;

/** Breaks the connection. */
export const resetting: Behaviour = (response) => {
  response.socket?.resetAndDestroy();
};

/** Starts the server on a free port of this machine. */
export const startFakeBackend = async (options: ServerOptions = {}): Promise<FakeBackend> => {
  let behaviours: Behaviour[] = [responding(200, completion("Oli otya?"))];
  const received: ReceivedRequest[] = [];
  const lists: string[] = [];
  let list: Behaviour = responding(404, { detail: "Not Found" });
  const server = createServer(options, (request, response) => {
    void (async () => {
      // Who leaves in the middle of a request has sent none.
      const bytes = await buffer(request).catch(() => undefined);
      if (!bytes) return;
      if (request.method === "GET" && /\/(?:models|api\/ps)$/.test(request.url ?? "")) {
        lists.push(request.url ?? "");
        list(response, request);
        return;
      }
      received.push({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: bytes.toString("utf8"),
        bytes,
      });
      const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
      behaviour?.(response, request);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received,
    lists,
    listModels: (next) => {
      list = next;
    },
    behave: (...next) => {
      behaviours = next;
      received.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
