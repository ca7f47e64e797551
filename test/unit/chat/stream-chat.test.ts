import { afterEach, describe, expect, it, vi } from "vitest";
import { chatCompletionChunk } from "../../../functions/chat/contract.ts";
import { type ChatDependencies, chatEndpoints } from "../../../functions/chat/endpoints.ts";
import { AppError } from "../../../shared/errors/app-error.ts";
import { createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { Reply } from "../../../shared/http/response.ts";
import type { ChatEvent, ChatModels } from "../../../shared/inference/chat.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { authorizedCaller } from "../../support/send.ts";
import { unlimited } from "../../support/unlimited.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

type Groups = readonly (readonly ChatEvent[])[];

const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const wholeAnswer: Groups = [
  [{ type: "text-delta", text: "Oli " }],
  [],
  [
    { type: "text-delta", text: "otya?" },
    { type: "finish", finishReason: "length" },
  ],
  [{ type: "usage", usage }],
];

const modelsThatStream = (groups: Groups, failure?: unknown): ChatModels => ({
  answer: () => Promise.reject(new Error("not to be called")),
  streamAnswer: async () =>
    (async function* () {
      yield* groups;
      if (failure) throw failure;
    })(),
});

const body = JSON.stringify({ messages: [{ role: "user", content: "Hello" }], stream: true });

const send = (dependencies: ChatDependencies) => {
  stubStreamingRuntime();
  return invokeStreaming(
    createStreamingHandler(chatEndpoints(dependencies), { limiter: unlimited }),
    lambdaEvent({
      path: "/tasks/chat/completions",
      headers: { "Content-Type": "application/json" },
      body,
      authorizer: authorizedCaller,
    }),
    lambdaContext(),
  );
};

/** The data of each event, without what is the same in all of them. */
const parse = (sent: string) => {
  expect(sent.endsWith("\n\n")).toBe(true);
  return sent
    .slice(0, -2)
    .split("\n\n")
    .map((event) => {
      expect(event.startsWith("data: ")).toBe(true);
      const data = event.slice("data: ".length);
      return data === "[DONE]" ? data : JSON.parse(data);
    });
};

describe("a streamed answer", () => {
  it("is sent as chunks of the OpenAI API: role, texts, finish, token counts, [DONE]", async () => {
    const answer = await send({ models: modelsThatStream(wholeAnswer) });
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
        "X-Request-Id": expect.any(String),
      },
    });
    const events = parse(answer.body);
    expect(events.pop()).toBe("[DONE]");
    const choice = (delta: object, finish_reason: string | null = null) => [
      { index: 0, delta, finish_reason },
    ];
    expect(events.map(({ choices, usage: counts }) => ({ choices, usage: counts }))).toEqual([
      { choices: choice({ role: "assistant", content: "" }), usage: null },
      { choices: choice({ content: "Oli " }), usage: null },
      { choices: choice({ content: "otya?" }), usage: null },
      { choices: choice({}, "length"), usage: null },
      { choices: [], usage },
    ]);
    for (const chunk of events) {
      expect(chatCompletionChunk.parse(chunk)).toEqual(chunk);
      expect(chunk).toMatchObject({ id: events[0].id, created: events[0].created, model: "lang-14b" });
    }
    expect(events[0].id).toMatch(/^chatcmpl-[0-9a-f]{32}$/);
  });

  it("has no chunk for token counts that were not reported", async () => {
    const { body: sent } = await send({ models: modelsThatStream(wholeAnswer.slice(0, -1)) });
    expect(parse(sent).at(-2).choices).toHaveLength(1);
  });

  it("starts with the role when the model is still thinking", async () => {
    const { body: sent } = await send({ models: modelsThatStream([[], ...wholeAnswer]) });
    expect(parse(sent)).toHaveLength(6);
  });

  it("tells a failure in one event, where the finish would be", async () => {
    const failure = new AppError("service_unavailable", { message: "The model timed out." });
    const { status, body: sent } = await send({
      models: modelsThatStream(wholeAnswer.slice(0, 1), failure),
    });
    expect(status).toBe(200);
    expect(parse(sent).slice(2)).toEqual([
      {
        error: {
          code: "service_unavailable",
          message: "The model timed out.",
          type: "server_error",
          param: null,
        },
      },
      "[DONE]",
    ]);
  });

  it("tells nothing of a failure that nobody foresaw", async () => {
    const { body: sent } = await send({
      models: modelsThatStream(wholeAnswer.slice(0, 1), new Error("password=hunter2")),
    });
    expect(parse(sent).at(-2)).toMatchObject({ error: { code: "internal" } });
    expect(sent).not.toContain("hunter2");
  });

  it("that fails before it begins is an ordinary error", async () => {
    const models: ChatModels = {
      ...modelsThatStream([]),
      streamAnswer: () => Promise.reject(new AppError("service_unavailable", { retryAfterSeconds: 30 })),
    };
    const answer = await send({ models });
    expect(answer).toMatchObject({ status: 503, headers: { "Retry-After": "30" } });
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "service_unavailable" } });
  });

  it("carries comments while the model is silent", async () => {
    const silent = Promise.withResolvers<void>();
    const models: ChatModels = {
      ...modelsThatStream([]),
      streamAnswer: async () =>
        (async function* () {
          yield wholeAnswer[0] ?? [];
          await silent.promise;
          yield* wholeAnswer.slice(2);
        })(),
    };
    setTimeout(silent.resolve, 100);
    const { body: sent } = await send({ models, keepAliveMilliseconds: 20 });
    expect(sent).toMatch(/Oli .*\n\n(: keep-alive\n\n)+data: .*otya/);
    expect(parse(sent.replaceAll(": keep-alive\n\n", "")).at(-1)).toBe("[DONE]");
  });

  it("that takes longer than the function may is ended with an error, and its exchange aborted", async () => {
    let aborted = false;
    const models: ChatModels = {
      ...modelsThatStream([]),
      streamAnswer: async (_request, { signal }) =>
        (async function* () {
          yield wholeAnswer[0] ?? [];
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          aborted = true;
          throw signal.reason;
        })(),
    };
    const { body: sent } = await send({ models, timeLimitMilliseconds: 50 });
    expect(parse(sent).slice(2)).toMatchObject([{ error: { code: "external_service_error" } }, "[DONE]"]);
    expect(aborted).toBe(true);
  });

  it("ends its exchange at once when the client disconnects, even while the model is silent", async () => {
    const aborted = Promise.withResolvers<void>();
    const models: ChatModels = {
      ...modelsThatStream([]),
      streamAnswer: async (_request, { signal }) =>
        (async function* () {
          yield wholeAnswer[0] ?? [];
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          aborted.resolve();
          throw signal.reason;
        })(),
    };
    const [endpoint] = chatEndpoints({ models });
    const prepared = endpoint?.prepare({
      id: "request-1",
      headers: {},
      body: JSON.parse(body),
      query: {},
      path: {},
      caller: { userId: 7, username: "amina", accountType: "Free", tokenId: "t" },
    });
    const reply = await prepared?.execute(new AbortController().signal);
    if (!(reply instanceof Reply) || typeof reply.body === "string") throw new Error("Expected a stream.");
    const texts = reply.body[Symbol.asyncIterator]();
    await texts.next();
    const waiting = texts.next();
    await texts.return?.();
    await aborted.promise;
    await waiting;
    expect((await texts.next()).done).toBe(true);
  });
});
