import { once } from "node:events";
import { type IncomingMessage, request as sendRequest } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { chatEndpoints } from "../../functions/chat/endpoints.ts";
import { createOpenAiChatModels } from "../../shared/models/inference/openai/chat-models.ts";
import { nextStream } from "../support/chat-stream.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import {
  delta,
  finish,
  role,
  sendEvents,
  streaming,
  streamingOn,
  streamingThenBreaking,
  usage,
} from "../support/fake-stream.ts";
import type { LoopbackServer } from "../support/loopback-server.ts";
import { modelServer } from "../support/model-servers.ts";
import { serveStreaming } from "../support/streaming-server.ts";

let backend: FakeBackend;
let service: LoopbackServer;
let client: OpenAI;
/** Its headers leave after 15 seconds of silence, as deployed: what fails before has a status. */
let usualService: LoopbackServer;
let usualClient: OpenAI;

beforeAll(async () => {
  backend = await startFakeBackend();
  const models = createOpenAiChatModels([
    modelServer(
      { baseUrl: backend.baseUrl, apiKey: async () => "the-key", silenceMilliseconds: 500 },
      "large",
      "small",
    ),
  ]);
  service = await serveStreaming(chatEndpoints({ models, keepAliveMilliseconds: 100 }));
  client = new OpenAI({ baseURL: `${service.url}/tasks`, apiKey: "a-token", maxRetries: 0 });
  usualService = await serveStreaming(chatEndpoints({ models }));
  usualClient = new OpenAI({ baseURL: `${usualService.url}/tasks`, apiKey: "a-token", maxRetries: 0 });
});
afterAll(async () => {
  await service.close();
  await usualService.close();
  await backend.close();
});

const conversation = {
  model: "lang-14b",
  messages: [{ role: "user" as const, content: "How are you in Luganda?" }],
};

/** Streams a response with the OpenAI SDK. */
const stream = async (requested = client) => {
  let text = "";
  let last: OpenAI.ChatCompletionChunk | undefined;
  let error: unknown;
  try {
    const streamed = { ...conversation, stream: true, stream_options: { include_usage: true } } as const;
    for await (const chunk of await requested.chat.completions.create(streamed)) {
      text += chunk.choices[0]?.delta.content ?? "";
      last = chunk;
    }
  } catch (thrown) {
    error = thrown;
  }
  return { text, last, error };
};

describe("the OpenAI SDK", () => {
  it("gets a whole response", async () => {
    backend.behave(responding(200, completion("Oli otya?")));
    const response = await client.chat.completions.create(conversation);
    expect(response.choices[0]?.message.content).toBe("Oli otya?");
    expect(response.usage?.total_tokens).toBe(14);
  });

  it("gets a streamed response", async () => {
    backend.behave(streaming(role, delta("Oli "), delta("otya? Ŋŋ😀"), finish(), usage, "[DONE]"));
    const { text, last, error } = await stream();
    expect(error).toBeUndefined();
    expect(text).toBe("Oli otya? Ŋŋ😀");
    expect(last).toMatchObject({ choices: [], usage: { total_tokens: 14 } });
  });

  it("assembles a streamed response", async () => {
    backend.behave(
      streaming(role, delta("<think>Hm</think>Oli "), delta("otya?"), finish("length"), "[DONE]"),
    );
    const response = await client.chat.completions.stream(conversation).finalChatCompletion();
    expect(response.choices[0]).toMatchObject({
      finish_reason: "length",
      message: { role: "assistant", content: "Oli otya?" },
    });
  });

  it.each<[string, Behaviour]>([
    ["breaks the connection", streamingThenBreaking(delta("Oli"))],
    ["falls silent", streamingOn(delta("Oli"))],
    ["reports an error inside its stream", streaming(delta("Oli"), '{"error":{"message":"CUDA"}}', "[DONE]")],
    ["ends without a reason", streaming(delta("Oli"), "[DONE]")],
    ["ends without a word", streaming(delta("Oli"))],
    ["sends broken JSON", streaming(delta("Oli"), "{")],
  ])("throws an APIError when the model's server %s midway", async (_case, behaviour) => {
    backend.behave(behaviour);
    const { text, error } = await stream();
    expect(text).toBe("Oli");
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({
      type: "server_error",
      code: expect.stringMatching(/^(external_service_error|service_unavailable)$/),
    });
  });

  it.each<[string, Behaviour, number]>([
    ["is loading", responding(503, { error: { message: "Loading model" } }), 503],
    ["is unreachable", resetting, 503],
    ["says nothing", hanging, 503],
    ["fails", responding(500, "oops"), 502],
    ["returns an empty text", streaming(role, finish(), "[DONE]"), 502],
    ["reports an error inside a 200", responding(200, { error: { message: "CUDA" } }), 502],
  ])("throws an error with a status when the model's server %s", async (_case, behaviour, status) => {
    backend.behave(behaviour);
    const { error } = await stream(usualClient);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status });
    if (!(error instanceof OpenAI.APIError)) return;
    expect(error.requestID).toBeTruthy();
    expect(error.headers?.get("retry-after") === null).toBe(status !== 503);
  });
});

describe("a caller who leaves", () => {
  it.each([
    ["while the response is arriving", true],
    ["while the model is silent", false],
  ])("%s also ends the exchange with the model's server", async (_case, goesOn) => {
    const responding = nextStream(backend);
    const starting = client.chat.completions.create({ ...conversation, stream: true });
    const response = await responding;
    const closed = once(response, "close");
    sendEvents(response, delta("Oli"));
    const received = await starting;
    const sending = goesOn ? setInterval(() => sendEvents(response, delta("!")), 10) : undefined;
    for await (const _chunk of received) break;
    await closed;
    clearInterval(sending);
    expect(response.writableFinished).toBe(false);
  });
});

describe("a caller who reads slowly", () => {
  /** Starts a streamed response without reading it. */
  const openStream = async (): Promise<IncomingMessage> => {
    const request = sendRequest(`${service.url}/tasks/chat/completions`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
    });
    request.end(JSON.stringify({ ...conversation, stream: true }));
    const [response] = await once(request, "response");
    return response;
  };

  it("slows the model's server down, for longer than that may be silent", async () => {
    let sent = 0;
    let hasEnough = false;
    const event = `data: ${delta("x".repeat(10_000))}\n\n`;
    const responding = nextStream(backend);
    const opening = openStream();
    const response = await responding;
    const sendMore = () => {
      do sent += event.length;
      while (response.write(event) && !hasEnough);
    };
    response.on("drain", () => {
      if (!hasEnough) sendMore();
    });
    sendMore();
    const result = await opening;
    let before = -1;
    await vi.waitUntil(
      () => {
        const isAtRest = sent === before;
        before = sent;
        return isAtRest;
      },
      { interval: 700, timeout: 15_000 },
    );
    // What the sockets between the three hold on this machine.
    expect(sent).toBeLessThan(60_000_000);
    hasEnough = true;
    sendEvents(response, finish(), "[DONE]");
    response.end();
    let received = "";
    for await (const piece of result.setEncoding("utf8")) received = `${received}${piece}`.slice(-500);
    expect(received).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/s);
  });
});
