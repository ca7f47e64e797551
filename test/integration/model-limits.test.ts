import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chatEndpoints } from "../../functions/chat/endpoints.ts";
import { furtherChatEndpoints } from "../../functions/chat/further-endpoints.ts";
import { translateEndpoints } from "../../functions/translate/endpoints.ts";
import type { Backend } from "../../shared/models/inference/openai/backend.ts";
import { createOpenAiChatModels } from "../../shared/models/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../shared/models/inference/openai/synthesizer.ts";
import { createOpenAiTranscriber } from "../../shared/models/inference/openai/transcriber.ts";
import { createTranslator } from "../../shared/models/inference/openai/translator.ts";
import type { GivenProfile } from "../../shared/models/inference/profile-schema.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import refusals from "../fixtures/model-servers/limits.json" with { type: "json" };
import lists from "../fixtures/model-servers/lists.json" with { type: "json" };
import { chatRequest } from "../support/chat-stream.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  hanging,
  responding,
  startFakeBackend,
} from "../support/fake-backend.ts";
import { streaming } from "../support/fake-stream.ts";
import { modelServer } from "../support/model-servers.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { uncountedCharacters } from "../support/uncounted-characters.ts";
import { unsureDetector } from "../support/unsure-detector.ts";

let server: FakeBackend;
let other: FakeBackend;
beforeEach(async () => {
  [server, other] = await Promise.all([startFakeBackend(), startFakeBackend()]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all([server.close(), other.close()]);
});

const at = (
  { baseUrl }: FakeBackend,
  options: Partial<Omit<Backend, "profile">> & { readonly profile?: GivenProfile } = {},
) => modelServer({ baseUrl, ...options }, "large", "small");

const both = (): [Backend, ...Backend[]] => [
  at(server, { name: "own" }),
  at(other, { name: "hosted", order: 2 }),
];

const messages = [{ role: "user", content: "Wasuze otya nno? The harvest was good this year." }];

/** The ways to a language model, each with a request. */
const doors = {
  "/tasks/chat/completions": { messages },
  "/v1/chat/completions": { model: "lang-14b", messages },
  "/v1/responses": { model: "lang-14b", input: "Wasuze otya nno? The harvest was good this year." },
  "/tasks/translate": {
    source_language: "eng",
    target_language: "lug",
    text: "The harvest was good this year.",
  },
};
type Door = keyof typeof doors;
const paths = Object.keys(doors) as Door[];

/** The service in front of servers. */
const service = (backends: [Backend, ...Backend[]]) => {
  const endpoints = [
    ...chatEndpoints({ models: createOpenAiChatModels(backends) }),
    ...furtherChatEndpoints({ models: createOpenAiChatModels(backends) }),
    ...translateEndpoints({
      characters: uncountedCharacters,
      sourceDetector: unsureDetector,
      translator: createTranslator(backends),
    }),
  ];
  return (path: Door, more: object = {}) =>
    send(endpoints, {
      path,
      body: { ...doors[path], ...more },
      authorizer: authorizedCaller,
      remainingMilliseconds: 60_000,
    });
};

const refusing = ({ status, body }: (typeof refusals)[number]): Behaviour => responding(status, body);

/** What a refusal in words is for the caller. */
const outcomes: Record<string, { status: number; code: string; message: RegExp; next: boolean }> = {
  context_length_exceeded: { status: 400, code: "context_length_exceeded", message: /too long/, next: false },
  content_policy_violation: {
    status: 400,
    code: "content_policy_violation",
    message: /not allow/,
    next: false,
  },
  "unknown model": {
    status: 502,
    code: "external_service_error",
    message: /does not have the model/,
    next: true,
  },
  "unknown address": {
    status: 502,
    code: "external_service_error",
    message: /nothing at the address/,
    next: true,
  },
  "out of credit": { status: 502, code: "external_service_error", message: /failed/, next: true },
  busy: { status: 503, code: "service_unavailable", message: /busy/, next: true },
  refused: { status: 502, code: "external_service_error", message: /refused the request\.$/, next: false },
};

describe.each(refusals)("what $family says", (refusal) => {
  const expected = outcomes[refusal.is];
  if (!expected) throw new Error(`There is no outcome "${refusal.is}".`);

  it.each(paths)(`is ${expected.status} at %s, with the server's numbers`, async (path) => {
    vi.spyOn(logger, "error").mockReturnValue();
    server.behave(refusing(refusal));
    const { status, body } = await service([at(server)])(path);
    expect([status, body.error.code]).toEqual([expected.status, expected.code]);
    expect(body.error.message).toMatch(expected.message);
    const { prompt_tokens, context_tokens } = refusal;
    expect([body.error.prompt_tokens, body.error.context_tokens]).toEqual([prompt_tokens, context_tokens]);
    for (const count of [prompt_tokens, context_tokens])
      if (
        count !== undefined &&
        refusal.family !== "OpenRouter" &&
        (prompt_tokens ?? 0) > (context_tokens ?? 0)
      )
        expect(body.error.message).toContain(String(count));
  });

  it(`${expected.next ? "calls" : "does not call"} the next server`, async () => {
    vi.spyOn(logger, "error").mockReturnValue();
    server.behave(refusing(refusal));
    const { status } = await service(both())("/v1/chat/completions");
    expect(status).toBe(expected.next ? 200 : expected.status);
    expect(other.received).toHaveLength(expected.next ? 1 : 0);
  });
});

it.each(refusals.filter(({ is }) => is === "context_length_exceeded"))(
  "what $family says is the same as the first event of a stream",
  async ({ body, context_tokens }) => {
    server.behave(
      streaming(
        JSON.stringify(typeof body === "object" && "error" in body ? body : { error: body }),
        "[DONE]",
      ),
    );
    const { streamReply } = createOpenAiChatModels(both());
    await expect(streamReply(chatRequest, { signal: AbortSignal.timeout(5_000) })).rejects.toMatchObject({
      code: "context_length_exceeded",
      counts: { contextTokens: context_tokens },
    });
    expect(other.received).toEqual([]);
  },
);

it("a context that is too long is no failure of its server", async () => {
  const refusal = refusals.find(({ family }) => family === "llama.cpp, whose words had no numbers");
  server.behave(
    ...Array.from({ length: 8 }, () => responding(500, refusal?.body)),
    responding(200, completion("Gyendi.")),
  );
  const call = service([at(server)]);
  for (let count = 0; count < 8; count += 1) await call("/v1/chat/completions");
  expect(await call("/v1/chat/completions")).toMatchObject({ status: 200 });
});

describe("the context of a model", () => {
  it.each(lists)("is read from the list of $family", async ({ list, own, path }) => {
    server.listModels((response, request) =>
      responding(200, request.url?.endsWith("/v1/models") ? list : own)(response, request),
    );
    const call = service([at(server)]);
    for (let count = 0; count < 3; count += 1) await call("/v1/chat/completions", { max_tokens: 100_000 });
    for (const { body } of server.received) {
      expect(JSON.parse(body).max_tokens).toBeGreaterThan(3_900);
      expect(JSON.parse(body).max_tokens).toBeLessThan(4_096);
    }
    expect(server.lists).toEqual(["/v1/models", ...(path === undefined ? [] : [path])]);
  });

  it("comes first from the model's profile", async () => {
    const profile = { chat: { context_tokens: 1_000 }, translation: { context_tokens: 1_000 } };
    await service([at(server, { profile })])("/v1/chat/completions", { max_tokens: 5_000 });
    expect(JSON.parse(server.received[0]?.body ?? "").max_tokens).toBeLessThan(1_000);
    expect(server.lists).toEqual([]);
  });

  it("does not delay requests when a server does not say it", async () => {
    server.listModels(hanging);
    const call = service([at(server)]);
    expect(await call("/v1/chat/completions", { max_tokens: 5_000 })).toMatchObject({ status: 200 });
    expect(await call("/v1/chat/completions", { max_tokens: 5_000 })).toMatchObject({ status: 200 });
    expect(server.received.map(({ body }) => JSON.parse(body).max_tokens)).toEqual([5_000, 5_000]);
    expect(server.lists).toHaveLength(1);
  });

  it("is not requested for a chat without a limit", async () => {
    await service([at(server)])("/v1/chat/completions");
    expect(server.lists).toEqual([]);
  });

  /** Refuses as vLLM does when prompt and reply together are too long. */
  const strictServer: Behaviour = (response) => {
    const { max_tokens: wanted = 0 } = JSON.parse(server.received.at(-1)?.body ?? "{}");
    if (wanted + 500 <= 4_096) return responding(200, completion("Oli otya?"))(response, response.req);
    const words = `This model's maximum context length is 4096 tokens. However, you requested ${wanted} output tokens and your prompt contains at least 500 input tokens, for a total of at least ${wanted + 500} tokens.`;
    return responding(400, { error: { message: words, code: 400 } })(response, response.req);
  };

  it.each<[Door, object]>([
    ["/v1/chat/completions", { max_tokens: 4_000 }],
    ["/v1/responses", { max_output_tokens: 4_000 }],
    ["/tasks/translate", { text: "The harvest was good. ".repeat(150) }],
  ])("is learned from a refusal with numbers at %s, after one more call", async (path, more) => {
    server.behave(strictServer);
    const call = service([at(server)]);
    expect(await call(path, more)).toMatchObject({ status: 200 });
    const [first, second, ...others] = server.received.map(({ body }) => JSON.parse(body).max_tokens);
    expect(first).toBeGreaterThan(3_596);
    expect(second).toBe(3_596);
    expect(others).toEqual([]);
  });
});

describe("a server with something else in place of a reply", () => {
  it.each<[string, Behaviour]>([
    ["redirects", (response) => response.writeHead(307, { Location: "/login" }).end()],
    ["sends a page", responding(200, "<!DOCTYPE html><html><body>Log in</body></html>")],
    [
      "reports an error with status 200",
      responding(200, { error: { message: "Provider returned error", code: 502 } }),
    ],
    ["reports only words with status 200", responding(200, { error: "CUDA out of memory" })],
    ["does not know the address", responding(404, { detail: "Not Found" })],
  ])("and %s is followed by the next one, for whole replies and streams", async (_what, behaviour) => {
    const warn = vi.spyOn(logger, "warn").mockReturnValue();
    server.behave(behaviour);
    other.behave(responding(200, completion("Gyendi.")));
    expect(await service(both())("/v1/chat/completions")).toMatchObject({ status: 200 });
    const { streamReply } = createOpenAiChatModels(both());
    await streamReply(chatRequest, { signal: AbortSignal.timeout(5_000) });
    expect(other.received).toHaveLength(2);
    expect(warn).toHaveBeenCalledWith("model.server_failed", expect.objectContaining({ server: "own" }));
  });

  it.each([429, 500, 503])(
    "a stream whose first event is an error of code %i is followed by the next server",
    async (code) => {
      vi.spyOn(logger, "warn").mockReturnValue();
      server.behave(streaming(JSON.stringify({ error: { message: "overloaded", code } })));
      await createOpenAiChatModels(both()).streamReply(chatRequest, { signal: AbortSignal.timeout(5_000) });
      expect(other.received).toHaveLength(1);
    },
  );
});

it("a server without credit rings the alarm of a refused key", async () => {
  const error = vi.spyOn(logger, "error").mockReturnValue();
  server.behave(responding(402, { error: { message: "Insufficient credits", code: 402 } }));
  await service([at(server)])("/v1/chat/completions");
  expect(error).toHaveBeenCalledWith("model.key_refused", { backend: "chat", server: "chat", status: 402 });
});

describe("Retry-After", () => {
  const soon = () => new Date(Date.now() + 90_000).toUTCString();
  it.each<[string, number, () => string, number, number]>([
    ["the server's seconds", 429, () => "17", 17, 17],
    ["ours when it is longer", 503, () => "3", 30, 30],
    ["the server's date", 429, soon, 80, 91],
    ["an hour at most", 503, () => "86400", 3_600, 3_600],
    ["ours when the server's makes no sense", 429, () => "soon", 5, 5],
  ])("is %s on both chat routes", async (_what, status, value, min, max) => {
    server.behave(responding(status, { error: { message: "overloaded" } }, { "Retry-After": value() }));
    const call = service([at(server)]);
    for (const path of ["/tasks/chat/completions", "/v1/chat/completions"] as const) {
      const { status: received, headers } = await call(path);
      expect(received).toBe(503);
      expect(Number(headers["Retry-After"])).toBeGreaterThanOrEqual(min);
      expect(Number(headers["Retry-After"])).toBeLessThanOrEqual(max);
    }
  });
});

describe("a parameter that a server refuses", () => {
  const refused = (param: string) =>
    responding(400, { error: { message: `Unsupported value: '${param}'`, param } });

  it.each([
    ["temperature", { temperature: 1.5 }],
    ["top_p", { top_p: 0.5 }],
    ["stop", { stop: ["."] }],
    ["seed", { seed: 3 }],
  ])("is 400 and named when the caller chose it: %s", async (param, more) => {
    server.behave(refused(param));
    expect(await service([at(server)])("/v1/chat/completions", more)).toMatchObject({
      status: 400,
      body: { error: { code: "unsupported_parameter", param } },
    });
  });

  it.each<[Door]>([["/v1/chat/completions"], ["/tasks/translate"]])(
    "is 502 when the service chose it: %s",
    async (path) => {
      server.behave(refused("temperature"));
      expect(await service([at(server)])(path)).toMatchObject({
        status: 502,
        body: { error: { code: "external_service_error" } },
      });
    },
  );
});

describe("a recording that a server cannot read", () => {
  it.each([
    ["OpenAI", 400, { error: { message: "Audio file might be corrupted or unsupported", param: "file" } }],
    [
      "OpenAI, by its format",
      400,
      { error: { message: "Invalid file format. Supported formats: ['flac', 'wav']" } },
    ],
    ["whisper.cpp", 400, { error: "failed to read audio data" }],
    ["a server with status 200", 200, { error: "Failed to load audio" }],
    ["speaches", 415, { detail: "Unsupported media type" }],
  ])("is 400 unreadable_audio: %s", async (_family, status, body) => {
    server.behave(responding(status, body));
    const { transcribe } = createOpenAiTranscriber([at(server)]);
    const source = { size: 4, read: async () => Buffer.from("RIFF") };
    const recording = { source, mediaType: "audio/wav", fileExtension: "wav" };
    const { signal } = new AbortController();
    await expect(
      transcribe({ recording, language: "eng", withSegments: false }, { signal }),
    ).rejects.toMatchObject({ status: 400, code: "unreadable_audio" });
  });
});

describe("a voice that a server does not have", () => {
  const words = "Voice 'ballad' not found. Available voices: af_alloy, af_bella";
  it.each([
    [
      "Kokoro-FastAPI 0.2",
      400,
      { detail: { error: "validation_error", message: words, type: "invalid_request_error" } },
    ],
    ["speaches 0.8", 422, { detail: [{ loc: ["body", "voice"], msg: "Input should be 'af_alloy'" }] }],
    ["a server with status 200", 200, { error: { message: "voice not found" } }],
    ["a server with status 404", 404, { error: { message: "No such voice", param: "voice" } }],
  ])("is 400 if the caller named it, and otherwise 502: %s", async (_family, status, body) => {
    server.behave(responding(status, body));
    const { synthesize } = createOpenAiSynthesizer([at(server)]);
    const { signal } = new AbortController();
    const spoken = { text: "Wasuze otya nno?", voice: "ballad", language: undefined, sampling: {} };
    await expect(synthesize({ ...spoken, hasNamedVoice: true }, { signal })).rejects.toMatchObject({
      code: "invalid_speaker",
      param: "voice",
    });
    await expect(synthesize(spoken, { signal })).rejects.toMatchObject({ code: "external_service_error" });
  });
});

describe("the log", () => {
  it("has what the server says, without what the caller said", async () => {
    const warn = vi.spyOn(logger, "warn").mockReturnValue();
    const secret = "Nnyabo, the harvest of Ssemakula was good";
    const message = `Unsupported model 'm'. ${secret}. ${"x".repeat(400)}`;
    server.behave(responding(404, { error: { message } }));
    await service([at(server)])("/v1/chat/completions", {
      messages: [{ role: "user", content: `So: "${secret}"` }],
    });
    const [, fields] = warn.mock.calls.find(([event]) => event === "model.refused") ?? [];
    const words = String(fields?.["words"]);
    expect(fields).toMatchObject({ backend: "chat", server: "chat", status: 404 });
    expect(words).toMatch(/^Unsupported model 'm'\. …\. x+$/);
    expect(words.length).toBeLessThanOrEqual(300);
  });

  it("has the problems that FastAPI lists, with their fields", async () => {
    const warn = vi.spyOn(logger, "warn").mockReturnValue();
    const detail = [
      { loc: ["body", "messages", 0], msg: "Input should be a string", input: messages[0]?.content },
    ];
    server.behave(responding(422, { detail }));
    await service([at(server)])("/v1/chat/completions");
    expect(warn).toHaveBeenCalledWith("model.refused", {
      backend: "chat",
      server: "chat",
      status: 422,
      words: "body.messages.0: Input should be a string",
    });
  });
});
