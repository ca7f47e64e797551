/** A model's server that costs next to nothing: streams as many tokens as it is asked for. A process of its own. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type MockAnswer, mockModel, type Started } from "./settings.ts";

const request = z.object({ messages: z.array(z.object({ content: z.string() })) });
const answer = z.object({ tokens: z.int(), pauseMilliseconds: z.number() });

const frame = (choices: unknown[], rest: object = {}): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: mockModel, choices, ...rest })}\n\n`;

const role = frame([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);
const token = frame([{ index: 0, delta: { content: " amazzi" }, finish_reason: null }]);
const ending = (tokens: number): string =>
  frame([{ index: 0, delta: {}, finish_reason: "stop" }]) +
  frame([], { usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 } }) +
  "data: [DONE]\n\n";

/** At full speed tokens leave a hundred at a time, as several do from a server under load. */
const batch = token.repeat(100);

const send = async (response: ServerResponse, { tokens, pauseMilliseconds }: MockAnswer): Promise<void> => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(role);
  for (let left = tokens; left > 0 && !response.destroyed; ) {
    const size = pauseMilliseconds > 0 ? 1 : Math.min(100, left);
    if (pauseMilliseconds > 0) await pause(pauseMilliseconds);
    if (!response.write(size === 100 ? batch : token.repeat(size))) await once(response, "drain");
    left -= size;
  }
  response.end(ending(tokens));
};

const server = createServer((incoming, response) => {
  void (async () => {
    const { messages } = request.parse(await json(incoming));
    await send(response, answer.parse(JSON.parse(messages.at(-1)?.content ?? ""))).catch(() =>
      response.destroy(),
    );
  })();
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}/v1` } satisfies Started);
});
process.on("disconnect", () => process.exit());
