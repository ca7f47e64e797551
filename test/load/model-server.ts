/**
 * A model server that costs next to nothing: responds at once, and streams at the pace of a model. A process of its
 * own.
 */
import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { streamedTokens, tokenPauseMilliseconds } from "./settings.ts";

const request = z.object({ stream: z.boolean().default(false) });

const frame = (choices: unknown[], rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "load", choices, ...rest })}\n\n`;

const stream = async (response: ServerResponse): Promise<void> => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(frame([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]));
  for (let left = streamedTokens; left > 0 && !response.destroyed; left -= 1) {
    await pause(tokenPauseMilliseconds);
    response.write(frame([{ index: 0, delta: { content: " amazzi" }, finish_reason: null }]));
  }
  const usage = { prompt_tokens: 1, completion_tokens: streamedTokens, total_tokens: streamedTokens + 1 };
  response.write(frame([{ index: 0, delta: {}, finish_reason: "stop" }]));
  response.end(`${frame([], { usage })}data: [DONE]\n\n`);
};

const completion = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "load",
  choices: [{ index: 0, message: { role: "assistant", content: "Amazzi gali wa?" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
});

const server = createServer((incoming, response) => {
  void (async () => {
    // The service reads the list of models when it starts.
    if (incoming.method === "GET") {
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"object":"list","data":[]}');
      return;
    }
    const requested = request.parse(await json(incoming));
    if (requested.stream) await stream(response);
    else response.writeHead(200, { "Content-Type": "application/json" }).end(completion);
  })();
});
// As long as a function's own keep-alive, so that it is never the server that closes first.
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.({ url: `http://127.0.0.1:${address?.port}/v1` });
});
process.on("disconnect", () => process.exit());
