import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { audioBytes, wavFile } from "../support/wav.ts";

/** All models, responding at once and always the same, but for a few requests to a chat model. */
export interface ModelServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

const chatRequest = z.object({
  stream: z.boolean().nullish(),
  model: z.string(),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish(),
});
const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const speech = wavFile(audioBytes(9_600), { stated: true });

/** One in this many requests, chosen by its text, so that the same one always gets the same response. */
const misbehaviourInterval = 96;

const every = (response: ServerResponse, write: (round: number) => void): void => {
  let round = 0;
  const timer = setInterval(() => {
    write(round);
    round += 1;
  }, 100);
  response.once("close", () => clearInterval(timer));
};

const eventStream = { "Content-Type": "text/event-stream" };

/** Ways in which a server never finishes and is never silent; the service must. */
const misbehaviours = {
  "another protocol": (response: ServerResponse) => {
    response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  },
  "comments only": (response: ServerResponse) => {
    response.writeHead(200, eventStream);
    every(response, () => response.write(": comments only\n\n"));
  },
  "blank lines": (response: ServerResponse) => {
    response.writeHead(200, eventStream);
    every(response, () => response.write("\n"));
  },
  "one letter after the other": (response: ServerResponse) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    every(response, (round) => response.write(round === 0 ? "{" : " "));
  },
} as const;

/** The name of a misbehaviour with which the server meets a request. */
export type Misbehaviour = keyof typeof misbehaviours;

const misbehaviourNames: readonly Misbehaviour[] = [
  "another protocol",
  "comments only",
  "blank lines",
  "one letter after the other",
];

/** How the server will misbehave for this request; it responds well to most. */
export const misbehaviourFor = (requestText: string): Misbehaviour | undefined =>
  misbehaviourNames[Buffer.from(requestText).reduce((sum, byte) => sum + byte, 0) % misbehaviourInterval];

const respondToChat = (requestText: string, response: ServerResponse): void => {
  const { stream, model, tools } = chatRequest.parse(JSON.parse(requestText));
  const head = { id: "chatcmpl-1", created: 1, model };
  // Who offers tools has all of them called.
  const tool_calls = tools?.map(({ function: { name } }, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: "{}" },
  }));
  const finish_reason = tool_calls ? "tool_calls" : "stop";
  if (!stream) {
    const message = { role: "assistant", content: "Oli otya?", tool_calls };
    response.writeHead(200, { "Content-Type": "application/json" }).end(
      JSON.stringify({
        ...head,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      }),
    );
    return;
  }
  const chunk = (part: object) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...part })}\n\n`;
  const delta = { role: "assistant", content: "Oli otya?", tool_calls };
  response
    .writeHead(200, { "Content-Type": "text/event-stream" })
    .end(
      chunk({ choices: [{ index: 0, delta, finish_reason: null }], usage: null }) +
        chunk({ choices: [{ index: 0, delta: {}, finish_reason }], usage: null }) +
        chunk({ choices: [], usage }) +
        "data: [DONE]\n\n",
    );
};

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname } = new URL(request.url ?? "", "http://localhost");
  if (pathname === "/v1/chat/completions") {
    const requestText = await text(request);
    const misbehaviour = misbehaviourFor(requestText);
    if (misbehaviour) misbehaviours[misbehaviour](response);
    else respondToChat(requestText, response);
    return;
  }
  request.resume();
  if (pathname === "/v1/audio/speech") response.writeHead(200, { "Content-Type": "audio/wav" }).end(speech);
  else if (pathname === "/v1/audio/transcriptions") {
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"text":"Wasuze otya nno?"}');
  } else response.writeHead(404).end();
};

/** Starts the server on a free port of this machine. */
export const startModelServer = async (): Promise<ModelServer> => {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
