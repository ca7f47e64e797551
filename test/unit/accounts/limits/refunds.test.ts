import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { chatEndpoints } from "../../../../functions/chat/endpoints.ts";
import { speechEndpoints } from "../../../../functions/speech/endpoints.ts";
import { transcriptionEndpoints } from "../../../../functions/transcription/endpoints.ts";
import { translateEndpoints } from "../../../../functions/translate/endpoints.ts";
import { createLimiter } from "../../../../shared/accounts/limits/limiter.ts";
import { encodeAudio } from "../../../../shared/audio/encode/encode-audio.ts";
import { endpoint } from "../../../../shared/http/endpoint.ts";
import type { Endpoint } from "../../../../shared/http/exchange.ts";
import { defineOperation } from "../../../../shared/http/operation.ts";
import { createStreamingHandler } from "../../../../shared/http/pipeline.ts";
import { createOpenAiChatModels } from "../../../../shared/models/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../../../shared/models/inference/openai/synthesizer.ts";
import { createTranslator } from "../../../../shared/models/inference/openai/translator.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import { exampleOperation } from "../../../support/example-operation.ts";
import {
  type Behaviour,
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { fakeCounters } from "../../../support/fake-counters.ts";
import { speechInMemory } from "../../../support/fake-speech.ts";
import { delta, finish, streaming, streamingThenBreaking } from "../../../support/fake-stream.ts";
import { lambdaContext, lambdaEvent } from "../../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../../support/lambda-stream.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { encodeForm, formFile } from "../../../support/multipart.ts";
import { authorizedCaller, send } from "../../../support/send.ts";
import { dripping } from "../../../support/slow-responses.ts";
import { uncountedCharacters } from "../../../support/uncounted-characters.ts";
import { unsureDetector } from "../../../support/unsure-detector.ts";
import { audioBytes, wavFile, wavHeaderBytes } from "../../../support/wav.ts";

let server: FakeBackend;
beforeEach(async () => {
  server = await startFakeBackend();
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(logger, level).mockReturnValue();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

/** How long a model may say nothing: more than a busy machine takes, or little where it does say nothing. */
const patience = { usual: 10_000, short: 600 };

const backend = (
  apiKey: () => Promise<string | undefined> = async () => undefined,
  silenceMilliseconds = patience.usual,
) => ({ baseUrl: server.baseUrl, apiKey, silenceMilliseconds });

const requests = {
  translation: {
    path: "/tasks/translate",
    body: { source_language: "eng", target_language: "lug", text: "How are you?" },
  },
  speech: { path: "/tasks/audio/speech", body: { text: "Wasuze otya nno?" } },
  batch: {
    path: "/tasks/audio/speech/batch",
    body: { items: [{ text: "Webale" }, { text: "Wasuze otya?" }, { text: "Oli otya?" }] },
  },
} as const;

/** Sends a request of an account through the whole stack, and returns whether it was refunded. */
const ask = async (
  endpoints: readonly Endpoint[],
  request: { readonly path: string; readonly body: unknown; readonly headers?: Record<string, string> },
  remainingMilliseconds = 60_000,
) => {
  const counters = fakeCounters();
  const { status } = await send(
    endpoints,
    { ...request, authorizer: authorizedCaller, remainingMilliseconds },
    { limiter: createLimiter(counters) },
  );
  expect(counters.accounts).toHaveLength(1);
  return { status, isRefunded: counters.refunded.length === 1 };
};

const translation = (apiKey?: () => Promise<string | undefined>, silenceMilliseconds?: number) =>
  translateEndpoints({
    characters: uncountedCharacters,
    sourceDetector: unsureDetector,
    translator: createTranslator([modelServer(backend(apiKey, silenceMilliseconds), "model")]),
  });

const speech = (changes: Partial<ReturnType<typeof speechInMemory>["store"]> = {}) =>
  speechEndpoints({
    synthesizer: createOpenAiSynthesizer([modelServer(backend(), "model")]),
    store: { ...speechInMemory().store, ...changes },
    model: "model",
    encode: encodeAudio,
    platform: "platform",
  });

const speechResponse: Behaviour = (response) => {
  response.writeHead(200, { "Content-Type": "audio/wav" });
  response.end(wavFile(audioBytes(48_000)));
};

const storageDown = () => Promise.reject(new AppError("storage_unavailable"));

const free: readonly (readonly [string, number, Behaviour])[] = [
  ["is loading", 503, responding(503, "loading model")],
  ["is loading, with status 200", 503, responding(200, { error: { message: "Loading model" } })],
  ["is loading, with status 500", 503, responding(500, "Loading model")],
  ["has a gateway in front that cannot reach it", 503, responding(502, "no")],
  ["is busy", 503, responding(429, "slow down")],
  ["refuses the request", 502, responding(400, "too long")],
  ["does not know us", 502, responding(401, "no")],
];

/** The case, the status, what the server does, and how long it may be silent. */
type Paid = [string, number, Behaviour, number?];

const paid: Paid[] = [
  ["says nothing", 503, hanging, patience.short],
  ["breaks the connection", 503, resetting],
  ["fails", 502, responding(500, "CUDA error")],
  ["is waited for in vain by its gateway", 503, responding(504, "no")],
  ["answers nonsense", 502, responding(200, "nonsense")],
  ["reports a failure with status 200", 502, responding(200, { error: { message: "CUDA error" } })],
  ["returns an empty text", 502, responding(200, completion(""))],
  ["drips its answer", 503, dripping("application/json", () => Buffer.alloc(1_000, " ")), patience.short],
];

describe("a request that fails before a model begins to work costs nothing", () => {
  it.each(free)("when the model's server %s", async (_case, status, behaviour) => {
    server.behave(behaviour);
    expect(await ask(translation(), requests.translation)).toEqual({ status, isRefunded: true });
  });

  it("when the model's server cannot be reached", async () => {
    const endpoints = translation();
    await server.close();
    expect(await ask(endpoints, requests.translation)).toEqual({ status: 503, isRefunded: true });
    server = await startFakeBackend();
  });

  it("when the model's server is not asked, because it failed five times in a row", async () => {
    const endpoints = translation();
    server.behave(responding(500, "no"));
    for (let count = 0; count < 5; count += 1) {
      expect(await ask(endpoints, requests.translation)).toEqual({ status: 502, isRefunded: false });
    }
    expect(await ask(endpoints, requests.translation)).toEqual({ status: 503, isRefunded: true });
  });

  it("when too little time is left to ask", async () => {
    expect(await ask(translation(), requests.translation, 1_900)).toEqual({ status: 503, isRefunded: true });
    expect(server.received).toEqual([]);
  });

  it.each([
    [
      "does not respond",
      Object.assign(new Error("No."), { name: "NetworkError", $metadata: {}, $retryable: {} }),
      503,
    ],
    ["holds no keys", new SyntaxError("No JSON."), 502],
  ])("when the secret of the model's key %s", async (_case, error, status) => {
    const endpoints = translation(() => Promise.reject(error));
    expect(await ask(endpoints, requests.translation)).toEqual({ status, isRefunded: true });
    expect(server.received).toEqual([]);
  });

  it("when the time ends before the second attempt", async () => {
    server.behave(responding(503, "loading model"));
    // The longest pause, which is as long as the time.
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect(await ask(translation(undefined, 400), requests.translation)).toEqual({
      status: 503,
      isRefunded: true,
    });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    ["the bucket is down", new AppError("storage_unavailable"), 502],
    ["the table is down", Object.assign(new Error("No."), { $metadata: { httpStatusCode: 500 } }), 503],
    ["something is wrong on our side", new TypeError("A bug."), 500],
  ])("when %s", async (_case, error, status) => {
    const operation = defineOperation({
      ...exampleOperation,
      path: "/tasks/example",
      auth: "user",
      scope: "translate",
      body: { encoding: "json", schema: z.object({}) },
    });
    const failing = endpoint(operation, () => Promise.reject(error));
    expect(await ask([failing], { path: "/tasks/example", body: {} })).toEqual({ status, isRefunded: true });
  });

  it("in a batch, when that is so of every item", async () => {
    server.behave(responding(503, "loading model"));
    expect(await ask(speech(), requests.batch)).toEqual({ status: 503, isRefunded: true });
  });
});

/** Streams a chat reply whose headers are sent before its model has started; returns the stream's end. */
const stream = async (behaviour: Behaviour, silenceMilliseconds = patience.usual) => {
  server.behave(behaviour);
  const counters = fakeCounters();
  stubStreamingRuntime();
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const models = createOpenAiChatModels([
    modelServer(backend(undefined, silenceMilliseconds), "large", "small"),
  ]);
  const { status, body } = await invokeStreaming(
    createStreamingHandler(chatEndpoints({ models, keepAliveMilliseconds: 50 }), {
      limiter: createLimiter(counters),
    }),
    lambdaEvent({
      path: "/tasks/chat/completions",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }], stream: true }),
      authorizer: authorizedCaller,
    }),
    lambdaContext(),
  );
  return { status, body, isRefunded: counters.refunded.length === 1 };
};

describe("a stream whose headers have left", () => {
  it("costs nothing when it then fails before a model begins to work", async () => {
    const { status, body, isRefunded } = await stream((response) => {
      setTimeout(() => responding(503, "loading model")(response, response.req), 300);
    });
    expect(status).toBe(200);
    expect(body).toMatch(/^: keep-alive\n.*"code":"service_unavailable".*\[DONE\]\n\n$/s);
    expect(isRefunded).toBe(true);
  });

  it.each<[string, Behaviour, string, number?]>([
    ["fails when a model may have started", hanging, '"code":"service_unavailable"', patience.short],
    ["fails after its first text", streamingThenBreaking(delta("Oli")), '"code":"service_unavailable"'],
    ["comes to its end", streaming(delta("Oli"), finish(), "[DONE]"), '"finish_reason":"stop"'],
  ])("is paid for when it %s", async (_case, behaviour, end, silence) => {
    const { status, body, isRefunded } = await stream(behaviour, silence);
    expect(status).toBe(200);
    expect(body).toContain(end);
    expect(isRefunded).toBe(false);
  });
});

describe("a request for which a model started to work is charged", () => {
  it.each<Paid>(paid)("also when its server %s", async (_case, status, behaviour, silence) => {
    server.behave(behaviour);
    expect(await ask(translation(undefined, silence), requests.translation)).toEqual({
      status,
      isRefunded: false,
    });
  });

  it("when it succeeds", async () => {
    expect(await ask(translation(), requests.translation)).toEqual({ status: 200, isRefunded: false });
  });

  it("when the second try reached a model that failed", async () => {
    server.behave(responding(503, "no"), responding(500, "no"));
    expect(await ask(translation(), requests.translation)).toEqual({ status: 502, isRefunded: false });
  });

  it("when the function's time ends before the model responds", async () => {
    server.behave(hanging);
    expect(await ask(translation(), requests.translation, 4_000)).toEqual({ status: 503, isRefunded: false });
  });

  it("when speech is broken off", async () => {
    server.behave((response) => {
      response.writeHead(200, { "Content-Type": "audio/wav" });
      response.write(wavHeaderBytes(0));
      response.write(audioBytes(1_000));
      setTimeout(() => response.destroy(), 20);
    });
    expect(await ask(speech(), requests.speech)).toEqual({ status: 502, isRefunded: false });
  });

  it("when the bucket does not accept the finished speech", async () => {
    server.behave(speechResponse);
    const write = () => ({ write: storageDown, complete: storageDown, abort: async () => undefined });
    expect(await ask(speech({ write: vi.fn(write) }), requests.speech)).toEqual({
      status: 502,
      isRefunded: false,
    });
  });

  it("when a batch fails of which one item was spoken", async () => {
    server.behave(responding(429, "no"), speechResponse, responding(429, "no"));
    const write = () => ({ write: storageDown, complete: storageDown, abort: async () => undefined });
    expect(await ask(speech({ write: vi.fn(write) }), requests.batch)).toEqual({
      status: 502,
      isRefunded: false,
    });
  });
});

describe("audio that cannot be read", () => {
  const transcription = transcriptionEndpoints({
    transcriber: { transcribe: () => Promise.reject(new Error("Nothing is to be transcribed.")) },
    uploads: { find: async () => undefined },
    store: { delete: async () => undefined, open: async () => undefined },
  });
  const upload = async (file: Buffer | string) => ({
    path: "/tasks/audio/transcriptions",
    ...(await encodeForm({ audio: formFile(file), language: "lug" })),
  });

  it("costs what reading it has cost, although no model has started", async () => {
    const damaged = wavHeaderBytes(0, { comment: "no sound" });
    expect(await ask(transcription, await upload(damaged))).toEqual({ status: 400, isRefunded: false });
  });

  it("costs nothing when it is no audio, which its first bytes show", async () => {
    expect(await ask(transcription, await upload("%PDF-1.7"))).toEqual({ status: 422, isRefunded: true });
  });
});
