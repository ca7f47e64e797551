import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { type SampleInference, sampleModels, startSampleInference } from "../src/index.ts";

const completionBody = z.looseObject({
  choices: z.tuple([z.looseObject({ message: z.looseObject({ content: z.string() }) })]),
});

const errorBody = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

let server: SampleInference;
let openai: OpenAI;

beforeAll(async () => {
  server = await startSampleInference({ tokenDelayMilliseconds: 0 });
  openai = new OpenAI({ baseURL: server.baseUrl, apiKey: "any", maxRetries: 0 });
});

afterAll(() => server.close());

const question = { model: sampleModels.model14b, messages: [{ role: "user" as const, content: "Hello" }] };

const post = (body: string, path = "/chat/completions"): Promise<Response> => {
  const headers = { "content-type": "application/json" };
  return fetch(`${server.baseUrl}${path}`, { method: "POST", headers, body });
};

const errorOf = async (response: Response) => {
  expect(response.headers.get("content-type")).toBe("application/json");
  return errorBody.parse(await response.json()).error;
};

describe("The sample server", () => {
  it("listens on this machine only, at an address that ends with /v1", () => {
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/u);
  });

  it("lists models whose names and owner say that they are samples", async () => {
    const models = await openai.models.list();
    expect(models.data.map(({ id, object, owned_by }) => [id, object, owned_by])).toEqual([
      ["sample-14b", "model", "sample"],
      ["sample-9b", "model", "sample"],
      ["sample-tts", "model", "sample"],
      ["sample-stt", "model", "sample"],
    ]);
  });

  it("responds in the shape of OpenAI's chat completion, with the usage counted in words", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_795_000_000_700 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const response = await post(JSON.stringify(question));
    expect(response.status).toBe(200);
    const body = completionBody.parse(await response.json());
    const content = body.choices[0].message.content;
    const completionTokens = content.split(/\s+/u).length;
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/u),
      object: "chat.completion",
      created: 1_795_000_000,
      model: "sample-14b",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content, refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: completionTokens, total_tokens: completionTokens + 1 },
    });
  });

  it("adds a unique request id to every response, including errors", async () => {
    const ids = await Promise.all(
      ["/models", "/nowhere"].map(async (path) => {
        const response = await fetch(`${server.baseUrl}${path}`);
        return response.headers.get("x-request-id");
      }),
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/u);
  });

  it("replies to the same question in the same words with either model", async () => {
    const responses = await Promise.all(
      [sampleModels.model14b, sampleModels.model9b].map(async (model) => {
        const completion = await openai.chat.completions.create({ ...question, model });
        expect(completion.model).toBe(model);
        return completion.choices[0]?.message.content;
      }),
    );
    expect(responses[0]).toBe(responses[1]);
  });

  it("reads content given as text parts, and takes sampling parameters and unknown fields", async () => {
    const body = {
      ...question,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Translate to Luganda: " },
            { type: "text", text: "Thank you" },
          ],
        },
      ],
      temperature: 0.3,
      top_p: 0.95,
      chat_template_kwargs: { enable_thinking: false },
      stop: null,
      max_tokens: null,
    };
    const response = await post(JSON.stringify(body));
    expect(completionBody.parse(await response.json()).choices[0].message.content).toBe("Webale");
  });

  it("ends the reply at max_tokens words, with the reason 'length'", async () => {
    const whole = await openai.chat.completions.create(question);
    const words = whole.choices[0]?.message.content?.split(" ") ?? [];
    const cut = await openai.chat.completions.create({ ...question, max_tokens: 3 });
    expect(cut.choices[0]?.finish_reason).toBe("length");
    expect(cut.choices[0]?.message.content).toBe(words.slice(0, 3).join(" "));
    expect(cut.usage?.completion_tokens).toBe(3);

    const newName = await openai.chat.completions.create({
      ...question,
      max_completion_tokens: words.length,
    });
    expect(newName.choices[0]?.finish_reason).toBe("stop");
    expect(newName.choices[0]?.message.content).toBe(words.join(" "));
  });

  it("ends the reply before the first stop string, with the reason 'stop'", async () => {
    const messages = [{ role: "user" as const, content: "Translate to Swahili: one, two, three, four" }];
    const completion = await openai.chat.completions.create({
      ...question,
      messages,
      stop: ["nne", ", tatu"],
    });
    expect(completion.choices[0]?.message.content).toBe("moja, mbili");
    expect(completion.choices[0]?.finish_reason).toBe("stop");
  });
});

describe("The errors of the sample server", () => {
  const wrongBodies: [title: string, body: unknown, param: string | null, code: string | null][] = [
    ["a missing model", { messages: question.messages }, "model", "missing_required_parameter"],
    ["missing messages", { model: "sample-14b" }, "messages", "missing_required_parameter"],
    ["an empty list of messages", { ...question, messages: [] }, "messages", "invalid_value"],
    [
      "an unknown role",
      { ...question, messages: [{ role: "robot", content: "x" }] },
      "messages[0].role",
      "invalid_value",
    ],
    [
      "content that is no text",
      { ...question, messages: [{ role: "user", content: 7 }] },
      "messages[0].content",
      "invalid_value",
    ],
    ["a max_tokens of 0", { ...question, max_tokens: 0 }, "max_tokens", "invalid_value"],
    ["an empty stop string", { ...question, stop: "" }, "stop", "invalid_value"],
    ["two choices", { ...question, n: 2 }, "n", "invalid_value"],
    [
      "stream options without a stream",
      { ...question, stream_options: {} },
      "stream_options",
      "invalid_value",
    ],
    ["a list as the body", [], null, null],
  ];
  it.each(wrongBodies)("names the parameter of %s (400)", async (_title, body, param, code) => {
    const response = await post(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ type: "invalid_request_error", param, code });
  });

  it.each(["", "{", "\u0000"])("refuses a body that is not JSON (400): %j", async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ type: "invalid_request_error", code: "invalid_json" });
  });

  it("says so when a model does not exist (404)", async () => {
    const requested = openai.chat.completions.create({ ...question, model: "lang-14b" });
    await expect(requested).rejects.toThrow(OpenAI.NotFoundError);
    await expect(requested).rejects.toMatchObject({ code: "model_not_found", param: "model" });
    await expect(requested).rejects.toThrow("'lang-14b' does not exist");
  });

  it("does not chat with the models of speech and transcription (404)", async () => {
    const requested = openai.chat.completions.create({ ...question, model: sampleModels.speech });
    await expect(requested).rejects.toThrow("for this the sample server has sample-14b and sample-9b");
  });

  it("says so when a path does not exist (404)", async () => {
    const response = await post("{}", "/audio/nothing");
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({
      code: "unknown_url",
      message: "Unknown request URL: POST /v1/audio/nothing.",
    });
  });

  it("names the allowed method when a path has another (405)", async () => {
    const response = await fetch(`${server.baseUrl}/chat/completions`);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
    expect(await errorOf(response)).toMatchObject({ code: "method_not_supported" });
  });

  it("refuses a body of more than 8 MiB (413) while it is sent, and serves the connection after it", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const target = new URL(`${server.baseUrl}/chat/completions`);
    const upload = httpRequest(target, { method: "POST", agent });
    // Not ended yet: only a server that counts as it reads can respond.
    upload.write(Buffer.alloc(8 * 1024 * 1024 + 1, "x"));
    const [refused]: IncomingMessage[] = await once(upload, "response");
    expect(refused?.statusCode).toBe(413);
    refused?.resume();
    upload.end(Buffer.alloc(8 * 1024 * 1024, "x"));
    await once(upload, "finish");

    const next = httpRequest(target, { method: "POST", agent }).end(JSON.stringify(question));
    const [served]: IncomingMessage[] = await once(next, "response");
    expect(served?.statusCode).toBe(200);
    expect(next.socket === upload.socket).toBe(true);
    agent.destroy();
  });
});

describe("A sample server that was given a key", () => {
  const startLocked = () => startSampleInference({ apiKey: "sample-key" });

  it("serves requests with the key and refuses all others (401)", async () => {
    const locked = await startLocked();
    const withKey = (apiKey: string) => new OpenAI({ baseURL: locked.baseUrl, apiKey, maxRetries: 0 });
    try {
      expect((await withKey("sample-key").models.list()).data).toHaveLength(4);
      await expect(withKey("wrong").models.list()).rejects.toThrow(OpenAI.AuthenticationError);
      const without = await fetch(`${locked.baseUrl}/models`);
      expect(without.status).toBe(401);
      expect(await errorOf(without)).toMatchObject({ code: "invalid_api_key" });
    } finally {
      await locked.close();
    }
  });
});

describe("Starting and closing the sample server", () => {
  it("listens on the port it is given, and rejects when that is taken", async () => {
    const port = Number(new URL(server.baseUrl).port);
    await expect(startSampleInference({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  it("releases the port when it is closed, even with a stream open", async () => {
    const first = await startSampleInference({ tokenDelayMilliseconds: 60_000 });
    const response = await fetch(`${first.baseUrl}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ ...question, stream: true }),
    });
    expect(response.status).toBe(200);
    await first.close();
    await expect(response.text()).rejects.toThrow();
    const port = Number(new URL(first.baseUrl).port);
    const second = await startSampleInference({ port });
    expect(second.baseUrl).toBe(first.baseUrl);
    await second.close();
  });
});
