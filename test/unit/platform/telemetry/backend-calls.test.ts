import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { translateEndpoints } from "../../../../functions/translate/endpoints.ts";
import type { Backend } from "../../../../shared/models/inference/openai/backend.ts";
import { createOpenAiChatModels } from "../../../../shared/models/inference/openai/chat-models.ts";
import { createOpenAiSynthesizer } from "../../../../shared/models/inference/openai/synthesizer.ts";
import { createTranslator } from "../../../../shared/models/inference/openai/translator.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import {
  inRequestScope,
  openRequestScope,
  type RequestScope,
} from "../../../../shared/platform/telemetry/request-scope.ts";
import { chatRequest, readStream } from "../../../support/chat-stream.ts";
import {
  completion,
  type FakeBackend,
  hanging,
  resetting,
  responding,
  startFakeBackend,
} from "../../../support/fake-backend.ts";
import { delta, finish, role, streaming } from "../../../support/fake-stream.ts";
import { modelServer } from "../../../support/model-servers.ts";
import { authorizedCaller, send } from "../../../support/send.ts";
import { uncountedCharacters } from "../../../support/uncounted-characters.ts";
import { unsureDetector } from "../../../support/unsure-detector.ts";

let server: FakeBackend;
let backend: Backend;
let scope: RequestScope;

beforeEach(async () => {
  server = await startFakeBackend();
  backend = modelServer({ baseUrl: server.baseUrl, silenceMilliseconds: 60_000 });
  scope = openRequestScope(10_000);
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(logger, level).mockReturnValue();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const translation = { text: "Hello", sourceLanguage: "English", targetLanguage: "Luganda" };

/** Requests a translation within the request, however that ends. */
const translate = (translator = createTranslator([modelServer(backend, "m")]), signal = scope.deadline) =>
  inRequestScope(scope, () => translator.translate(translation, { signal })).catch(() => undefined);

describe("A call to a model's server", () => {
  it("is measured under the name of its task", async () => {
    await translate();
    expect(scope.backends.fields()).toEqual({ translation_milliseconds: expect.any(Number) });
  });

  it("with a streamed response is measured until that starts", async () => {
    server.behave(streaming(role, delta("Oli otya?"), finish(), "[DONE]"));
    const models = createOpenAiChatModels([modelServer(backend, "large", "small")]);
    const stream = await inRequestScope(scope, () =>
      models.streamReply(chatRequest, { signal: scope.deadline }),
    );
    expect(scope.backends.fields()).toEqual({ chat_milliseconds: expect.any(Number) });
    await readStream(stream);
  });

  it.each([
    ["breaks the connection", resetting],
    ["is silent", hanging],
    ["fails", responding(500, "no")],
    ["is loading", responding(503, "loading model")],
    ["refuses the request", responding(400, "too long")],
    ["returns nonsense", responding(200, "nonsense")],
  ])("counts as failed when it %s", async (_case, behaviour) => {
    server.behave(behaviour);
    if (behaviour === hanging) backend = { ...backend, silenceMilliseconds: 200 };
    await translate();
    expect(scope.backends.fields()).toEqual({
      translation_milliseconds: expect.any(Number),
      translation_failures: 1,
    });
  });

  it("does not count as failed when its caller leaves", async () => {
    server.behave(hanging);
    const caller = new AbortController();
    const asking = translate(undefined, caller.signal);
    await expect.poll(() => server.received.length).toBe(1);
    caller.abort();
    await asking;
    expect(scope.backends.fields()).toEqual({ translation_milliseconds: expect.any(Number) });
  });

  it("counts as failed when the function's time ends before the response", async () => {
    server.behave(hanging);
    scope = openRequestScope(1_100);
    backend = { ...backend, silenceMilliseconds: 5_000 };
    await translate();
    expect(scope.backends.fields()).toMatchObject({ translation_failures: 1 });
  });

  it("is no call when too little time is left for it", async () => {
    scope = openRequestScope(500);
    await translate();
    expect(scope.backends.fields()).toEqual({});
  });
});

describe("A server whose circuit opens", () => {
  it("is reported once by the request that opened it; skipped calls do not count", async () => {
    server.behave(responding(500, "no"));
    const synthesizer = createOpenAiSynthesizer([modelServer(backend, "m")]);
    const ask = () => {
      const request = { text: "Hello", voice: "x", language: "eng", sampling: {} };
      return inRequestScope(scope, () =>
        synthesizer.synthesize(request, { signal: scope.deadline }).catch(() => undefined),
      );
    };
    for (let call = 0; call < 5; call += 1) await ask();
    expect(scope.backends.fields()).toMatchObject({ speech_failures: 5, speech_circuit_opened: 1 });
    expect(logger.warn).toHaveBeenCalledWith(
      "circuit.opened",
      expect.objectContaining({ backend: "speech", host: new URL(server.baseUrl).host }),
    );
    scope = openRequestScope(10_000);
    await ask();
    expect(scope.backends.fields()).toEqual({});
  });
});

const envelope = z.object({
  CloudWatchMetrics: z.array(
    z.object({
      Namespace: z.string(),
      Dimensions: z.array(z.array(z.string())),
      Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })),
    }),
  ),
});

describe("The last line of a request that asked a model", () => {
  it("carries the metrics of the backend together with those of the operation", async () => {
    server.behave(responding(200, completion("Oli otya?")));
    const endpoints = translateEndpoints({
      characters: uncountedCharacters,
      sourceDetector: unsureDetector,
      translator: createTranslator([modelServer(backend, "m")]),
    });
    await send(
      endpoints,
      {
        path: "/tasks/translate",
        body: { source_language: "eng", target_language: "lug", text: "How are you?" },
        authorizer: authorizedCaller,
      },
      { metricsNamespace: "LanguageAi-test" },
    );
    const line = vi.mocked(logger.info).mock.calls.find(([event]) => event === "request.answered")?.[1];
    const { CloudWatchMetrics } = envelope.parse(line?.["_aws"]);
    expect(CloudWatchMetrics).toEqual([
      expect.objectContaining({ Dimensions: [["operation"]] }),
      {
        Namespace: "LanguageAi-test",
        Dimensions: [[]],
        Metrics: [
          { Name: "translation_milliseconds", Unit: "Milliseconds" },
          { Name: "own_milliseconds", Unit: "Milliseconds" },
        ],
      },
    ]);
    // CloudWatch drops a metric whose value is not in the line.
    for (const { Name } of CloudWatchMetrics.flatMap(({ Metrics }) => Metrics)) {
      expect(line?.[Name]).toEqual(expect.any(Number));
    }
  });
});
