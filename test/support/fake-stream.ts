import type { ServerResponse } from "node:http";
import type { Behaviour } from "./fake-backend.ts";

const chunk = (choice: object) =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "test",
    choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: null, ...choice }],
  });

/** The data of the chunk that OpenAI-compatible servers start with. */
export const role = chunk({ delta: { role: "assistant", content: "" } });

/** The data of a chunk with a piece of the response. */
export const delta = (content: string) => chunk({ delta: { content } });

/** The data of a chunk with a piece of what the model thinks, as servers with a parser for it send it. */
export const reasoning = (text: string, field: "reasoning_content" | "reasoning" = "reasoning_content") =>
  chunk({ delta: { [field]: text } });

/** The data of the chunk that ends a response. */
export const finish = (reason = "stop") => chunk({ finish_reason: reason });

/** The data of the chunk with the token counts. */
export const usage = JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
});

/** Starts a stream of server-sent events. */
export const startEvents = (response: ServerResponse): void => {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
};

/** Sends events; each is given by its data. */
export const sendEvents = (response: ServerResponse, ...events: readonly string[]): void => {
  for (const event of events) response.write(`data: ${event}\n\n`);
};

/** Streams events and leaves the connection open. */
export const streamingOn =
  (...events: readonly string[]): Behaviour =>
  (response) => {
    startEvents(response);
    response.flushHeaders();
    sendEvents(response, ...events);
  };

/** Streams events and ends the response. */
export const streaming =
  (...events: readonly string[]): Behaviour =>
  (response, request) => {
    streamingOn(...events)(response, request);
    response.end();
  };

/** Streams events, and breaks the connection once they have left. */
export const streamingThenBreaking =
  (...events: readonly string[]): Behaviour =>
  (response, request) => {
    streamingOn(...events)(response, request);
    response.write("", () => response.socket?.destroySoon());
  };
