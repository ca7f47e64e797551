import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createChatCompletion } from "../src/chat/create-chat-completion.ts";
import { type SampleInference, startSampleInference } from "../src/index.ts";
import { sendEvents } from "../src/send-response.ts";

let server: SampleInference;
let openai: OpenAI;

beforeAll(async () => {
  server = await startSampleInference({ tokenDelayMilliseconds: 5 });
  openai = new OpenAI({ baseURL: server.baseUrl, apiKey: "any", maxRetries: 0 });
});

afterAll(() => server.close());

const counting = {
  model: "sample-9b",
  messages: [{ role: "user" as const, content: "Translate from English to Acholi: one, two, three" }],
};

const rawStream = async (body: object): Promise<string[]> => {
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ ...body, stream: true }),
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events = (await response.text()).split("\n\n");
  expect(events.pop()).toBe("");
  return events.map((event) => {
    expect(event).toMatch(/^data: .+$/u);
    return event.slice("data: ".length);
  });
};

describe("A streamed reply of the sample server", () => {
  it("is a role chunk, one chunk a word, a finish chunk and [DONE]", async () => {
    const events = await rawStream(counting);
    expect(events.pop()).toBe("[DONE]");
    const chunks = events.map((event) => JSON.parse(event));
    expect(chunks.map(({ choices }) => [choices[0].delta, choices[0].finish_reason])).toEqual([
      [{ role: "assistant", content: "", refusal: null }, null],
      [{ content: "acel," }, null],
      [{ content: " aryo," }, null],
      [{ content: " adek" }, null],
      [{}, "stop"],
    ]);
    const heads = chunks.map(({ id, object, created, model, usage }) => ({
      id,
      object,
      created,
      model,
      usage,
    }));
    expect(new Set(heads.map((head) => JSON.stringify(head))).size).toBe(1);
    expect(heads[0]).toMatchObject({ object: "chat.completion.chunk", model: "sample-9b", usage: undefined });
  });

  it("ends with a chunk without choices that has the usage, on request", async () => {
    const events = await rawStream({ ...counting, stream_options: { include_usage: true } });
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event));
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 },
    });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it("sends an OpenAI client the same words as a whole reply", async () => {
    const question = { ...counting, messages: [{ role: "user" as const, content: "Why is the sky blue?" }] };
    const whole = await openai.chat.completions.create(question);
    let streamed = "";
    for await (const chunk of await openai.chat.completions.create({ ...question, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? "";
    }
    expect(streamed).toBe(whole.choices[0]?.message.content);
  });

  it("ends with the reason 'length' when max_tokens cuts it", async () => {
    const stream = openai.chat.completions.stream({ ...counting, max_tokens: 2 });
    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.content).toBe("acel, aryo,");
    expect(choices[0]?.finish_reason).toBe("length");
  });

  it("comes word by word: the first is here long before the last", async () => {
    const patient = await startSampleInference({ tokenDelayMilliseconds: 60_000 });
    const abort = new AbortController();
    try {
      const response = await fetch(`${patient.baseUrl}/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ ...counting, stream: true }),
        signal: abort.signal,
      });
      const first = await response.body?.getReader().read();
      expect(new TextDecoder().decode(first?.value)).toContain('"role":"assistant"');
    } finally {
      abort.abort();
      await patient.close();
    }
  });

  it("is refused with an ordinary error before it begins", async () => {
    const requested = openai.chat.completions.create({ ...counting, model: "other", stream: true });
    await expect(requested).rejects.toThrow(OpenAI.NotFoundError);
  });

  it("continues for others when a client leaves, without a warning", async () => {
    const warnings: unknown[] = [];
    const keep = (warning: unknown) => warnings.push(warning);
    process.on("warning", keep);
    const stream = await openai.chat.completions.create({ ...counting, stream: true });
    for await (const _chunk of stream) break;
    expect((await rawStream(counting)).at(-1)).toBe("[DONE]");
    process.off("warning", keep);
    expect(warnings).toEqual([]);
  });
});

describe("Sending events", () => {
  /** Serves one exchange with the given handler, and returns the two ends of it. */
  const exchange = async (
    handle: (response: ServerResponse, request: IncomingMessage) => Promise<void>,
    body = "",
  ) => {
    const handled = Promise.withResolvers<void>();
    // A failure may come before the test awaits it.
    handled.promise.catch(() => undefined);
    const responses = Promise.withResolvers<ServerResponse>();
    const local = createServer((received, response) => {
      responses.resolve(response);
      handle(response, received).then(handled.resolve, handled.reject);
    });
    local.listen(0, "127.0.0.1");
    await once(local, "listening");
    const address = local.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    const client = request({ port: address.port, host: "127.0.0.1", method: "POST" }).end(body);
    client.on("error", () => undefined);
    const [incoming]: IncomingMessage[] = await once(client, "response");
    if (incoming === undefined) throw new Error("The server did not answer.");
    const close = async () => {
      local.closeAllConnections();
      local.close();
      await handled.promise.catch(() => undefined);
    };
    return { client, incoming, response: await responses.promise, handled: handled.promise, close };
  };

  it("aborts the source of the events when the client disconnects", async () => {
    const left = Promise.withResolvers<string>();
    async function* events(clientGone: AbortSignal) {
      try {
        yield "first";
        await once(clientGone, "abort");
        yield "never sent";
      } finally {
        left.resolve("source ended");
      }
    }
    const { client, handled, close } = await exchange((response) => sendEvents(response, events));
    client.destroy();
    expect(await left.promise).toBe("source ended");
    await handled;
    await close();
  });

  it("ends the pause between two words of a reply when the client disconnects", async () => {
    const settings = { tokenDelayMilliseconds: 3_600_000 };
    const { client, response, handled, close } = await exchange(
      (response, received) =>
        createChatCompletion.handle({ request: received, response: response, settings }),
      JSON.stringify({ ...counting, stream: true }),
    );
    client.destroy();
    await handled;
    expect(response.writableFinished).toBe(false);
    await close();
  });

  it("waits for a client that does not read, and ends when that client leaves", async () => {
    let sent = 0;
    async function* events() {
      for (; sent < 64; sent += 1) yield "x".repeat(1024 * 1024);
    }
    const { client, incoming, response, handled, close } = await exchange((response) =>
      sendEvents(response, events),
    );
    incoming.pause();
    await vi.waitUntil(() => response.writableNeedDrain);
    expect(sent).toBeLessThan(64);
    client.destroy();
    await handled;
    expect(sent).toBeLessThan(64);
    await close();
  });

  it("continues when a slow client reads again, and loses nothing", async () => {
    async function* events() {
      for (let count = 0; count < 32; count += 1) yield "x".repeat(1024 * 1024);
    }
    const { incoming, response, handled, close } = await exchange((response) => sendEvents(response, events));
    incoming.pause();
    await vi.waitUntil(() => response.writableNeedDrain);
    let length = 0;
    for await (const chunk of incoming) length += chunk.length;
    await handled;
    expect(length).toBe(32 * (1024 * 1024 + "data: \n\n".length));
    await close();
  });

  it("passes on the failure of the source", async () => {
    async function* events() {
      yield "first";
      throw new Error("The source failed.");
    }
    const { handled, close } = await exchange((response) => sendEvents(response, events));
    await expect(handled).rejects.toThrow("The source failed.");
    await close();
  });
});
