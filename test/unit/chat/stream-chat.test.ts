import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { chatCompletionChunk } from "../../../functions/chat/contract.ts";
import { type ChatDependencies, chatEndpoints } from "../../../functions/chat/endpoints.ts";
import { callerWith } from "../../../shared/accounts/access/caller.ts";
import { createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { Reply } from "../../../shared/http/response.ts";
import type { ChatEvent, ChatModels } from "../../../shared/models/inference/chat.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { authorizedCaller } from "../../support/send.ts";
import { iterate, sourceOf } from "../../support/sources.ts";
import { unlimited } from "../../support/unlimited.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

type Groups = readonly (readonly ChatEvent[])[];

const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const wholeReply: Groups = [
  [{ type: "text-delta", text: "Oli " }],
  [],
  [
    { type: "text-delta", text: "otya?" },
    { type: "finish", finishReason: "length" },
  ],
  [{ type: "usage", usage }],
];

const modelsThatStream = (groups: Groups, failure?: unknown): ChatModels => ({
  reply: () => Promise.reject(new Error("not to be called")),
  streamReply: async () =>
    sourceOf(
      (async function* () {
        yield* groups;
        if (failure) throw failure;
      })(),
    ),
});

const request = { messages: [{ role: "user", content: "Hello" }], stream: true };
const body = JSON.stringify(request);
const withUsage = { ...request, stream_options: { include_usage: true } };

const send = (dependencies: ChatDependencies, requested: object = withUsage) => {
  stubStreamingRuntime();
  return invokeStreaming(
    createStreamingHandler(chatEndpoints(dependencies), { limiter: unlimited }),
    lambdaEvent({
      path: "/tasks/chat/completions",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(requested),
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

/** Starts a streamed reply without a server in front. */
const open = async (dependencies: ChatDependencies): Promise<AsyncIterator<string | Uint8Array>> => {
  const [endpoint] = chatEndpoints(dependencies);
  const prepared = endpoint?.prepare({
    id: "request-1",
    sourceAddress: "203.0.113.7",
    basePath: "",
    headers: {},
    body: JSON.parse(body),
    query: {},
    path: {},
    caller: callerWith({ userId: 7, tokenId: "t", tokenEpoch: 0 }, { account_type: "Free" }),
  });
  const reply = await prepared?.execute(new AbortController().signal);
  if (!(reply instanceof Reply) || typeof reply.body === "string") throw new Error("Expected a stream.");
  if (!("start" in reply.body)) throw new Error("Expected a source.");
  return iterate(reply.body);
};

/** A model that begins and then says nothing until it is given up. */
const silentModels = (onAbort: () => void): ChatModels => ({
  ...modelsThatStream([]),
  streamReply: async (_request, { signal }) =>
    sourceOf(
      (async function* () {
        yield wholeReply[0] ?? [];
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        onAbort();
        throw signal.reason;
      })(),
    ),
});

describe("a streamed reply of a model that stays silent", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("has a comment every 15 seconds, and ends ten seconds before the function's 600", async () => {
    const logged = vi.spyOn(logger, "error");
    let aborted = false;
    const texts = await open({
      models: silentModels(() => {
        aborted = true;
      }),
    });
    await texts.next();
    for (let seconds = 15; seconds < 590; seconds += 15) {
      let arrived = false;
      const next = texts.next().finally(() => {
        arrived = true;
      });
      await vi.advanceTimersByTimeAsync(14_999);
      expect(arrived).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await next).toEqual({ done: false, value: ": keep-alive\n" });
    }
    const last = texts.next();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(aborted).toBe(true);
    expect((await last).value).toContain("The reply took longer than the limit of 590 seconds.");
    expect(await texts.next()).toMatchObject({ done: true });
    expect(vi.getTimerCount()).toBe(0);
    expect(logged).toHaveBeenCalledExactlyOnceWith("chat.broken_off", {
      request_id: "request-1",
      code: "external_service_error",
      reason: undefined,
    });
  });

  it("that has not even started sends headers and comments anyway, and then the reply", async () => {
    const started = Promise.withResolvers<void>();
    const opening = open({
      models: {
        ...modelsThatStream([]),
        streamReply: async (...parameters) => {
          await started.promise;
          return modelsThatStream(wholeReply).streamReply(...parameters);
        },
      },
    });
    await vi.advanceTimersByTimeAsync(15_000);
    const texts = await opening;
    expect(await texts.next()).toEqual({ done: false, value: ": keep-alive\n" });
    const second = texts.next();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await second).toEqual({ done: false, value: ": keep-alive\n" });
    started.resolve();
    expect((await texts.next()).value).toContain('"content":"Oli "');
  });

  it("that fails after headers were sent reports it in the stream", async () => {
    const started = Promise.withResolvers<never>();
    const logged = vi.spyOn(logger, "error").mockReturnValue();
    const opening = open({ models: { ...modelsThatStream([]), streamReply: () => started.promise } });
    await vi.advanceTimersByTimeAsync(15_000);
    const texts = await opening;
    await texts.next();
    started.reject(new AppError("service_unavailable"));
    expect((await texts.next()).value).toMatch(/"code":"service_unavailable".*\n\ndata: \[DONE\]\n\n$/s);
    expect(await texts.next()).toMatchObject({ done: true });
    expect(logged).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not logged as broken off when the client disconnects, and leaves no timer behind", async () => {
    const logged = vi.spyOn(logger, "error");
    let aborted = false;
    const texts = await open({
      models: silentModels(() => {
        aborted = true;
      }),
    });
    await texts.next();
    const waiting = texts.next();
    await texts.return?.();
    await waiting;
    expect(aborted).toBe(true);
    expect(await texts.next()).toMatchObject({ done: true });
    expect(vi.getTimerCount()).toBe(0);
    expect(logged).not.toHaveBeenCalled();
  });

  it("leaves no timer behind when it comes to its end, or does not begin", async () => {
    const texts = await open({ models: modelsThatStream(wholeReply) });
    while (!(await texts.next()).done) {}
    expect(vi.getTimerCount()).toBe(0);
    const refused = new AppError("service_unavailable");
    const models = { ...modelsThatStream([]), streamReply: () => Promise.reject(refused) };
    await expect(open({ models })).rejects.toBe(refused);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a streamed reply", () => {
  it("is sent as chunks of the OpenAI API: role, texts, finish, token counts, [DONE]", async () => {
    const reply = await send({ models: modelsThatStream(wholeReply) });
    expect(reply).toMatchObject({
      status: 200,
      headers: {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-cache, no-transform",
        "X-Accel-Buffering": "no",
        "X-Request-Id": expect.any(String),
      },
    });
    const events = parse(reply.body);
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

  it.each([{}, { stream_options: null }, { stream_options: { include_usage: false } }])(
    "has no chunk without choices when it was requested with %j",
    async (options) => {
      const { body: sent } = await send({ models: modelsThatStream(wholeReply) }, { ...request, ...options });
      const events = parse(sent);
      expect(events.pop()).toBe("[DONE]");
      expect(events.map(({ choices, usage: counts }) => [choices.length, counts])).toEqual(
        events.map(() => [1, null]),
      );
      expect(events.at(-1).choices[0].finish_reason).toBe("length");
    },
  );

  it("has no chunk for token counts that were not reported", async () => {
    const { body: sent } = await send({ models: modelsThatStream(wholeReply.slice(0, -1)) });
    expect(parse(sent).at(-2).choices).toHaveLength(1);
  });

  it("starts with the role when the model is still thinking", async () => {
    const { body: sent } = await send({ models: modelsThatStream([[], ...wholeReply]) });
    expect(parse(sent)).toHaveLength(6);
  });

  it("reports a failure in one event, in place of the finish", async () => {
    const failure = new AppError("service_unavailable", { message: "The model timed out." });
    const { status, body: sent } = await send({
      models: modelsThatStream(wholeReply.slice(0, 1), failure),
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

  it("reveals nothing about an unexpected failure", async () => {
    const { body: sent } = await send({
      models: modelsThatStream(wholeReply.slice(0, 1), new Error("password=hunter2")),
    });
    expect(parse(sent).at(-2)).toMatchObject({ error: { code: "internal" } });
    expect(sent).not.toContain("hunter2");
  });

  it("that fails before it begins is an ordinary error", async () => {
    const models: ChatModels = {
      ...modelsThatStream([]),
      streamReply: () => Promise.reject(new AppError("service_unavailable", { retryAfterSeconds: 30 })),
    };
    const reply = await send({ models });
    expect(reply).toMatchObject({ status: 503, headers: { "Retry-After": "30" } });
    expect(JSON.parse(reply.body)).toMatchObject({ error: { code: "service_unavailable" } });
  });
});
