import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelRefusal } from "../../../../shared/models/inference/openai/backend.ts";
import { openModelServer } from "../../../../shared/models/inference/openai/call-policy.ts";
import { createOpenAiChatModels } from "../../../../shared/models/inference/openai/chat-models.ts";
import { failureOf as failureOfResponse } from "../../../../shared/models/inference/openai/refusals.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import { BackendTimeout, BackendUnreachable } from "../../../../shared/platform/outbound/failures.ts";
import { chatRequest, readStream } from "../../../support/chat-stream.ts";
import { type FakeBackend, responding, startFakeBackend } from "../../../support/fake-backend.ts";
import { delta, finish, role, streaming, streamingThenBreaking } from "../../../support/fake-stream.ts";
import { modelServer } from "../../../support/model-servers.ts";

const failureOf = (statusCode: number, body: string, sent = {}) =>
  failureOfResponse({ statusCode, body }, { sent, isCallers: () => true });

const newBackend = () => modelServer({ baseUrl: "http://models.example/v1" });

const unreachable = () => new BackendUnreachable("The connection failed.");

/** A server whose every call ends as the test says, behind a circuit of its own. */
const setup = () => {
  const server = openModelServer([newBackend()], "chat");
  const exchange = vi.fn<() => Promise<string>>();
  const call = (signal = new AbortController().signal) => server.call(signal, exchange);
  const outcome = async (signal?: AbortSignal): Promise<string> => {
    try {
      return await call(signal);
    } catch (error) {
      return error instanceof AppError ? error.code : "not one of our errors";
    }
  };
  const fail = async (times: number, error: () => unknown = unreachable) => {
    for (let count = 0; count < times; count += 1) {
      exchange.mockRejectedValueOnce(error());
      await outcome();
    }
  };
  return { exchange, call, outcome, fail };
};

describe("a model's address", () => {
  it.each([
    ["https://models.example/v1", "https://models.example/v1/chat/completions"],
    ["https://models.example/v1/", "https://models.example/v1/chat/completions"],
    ["https://models.example", "https://models.example/chat/completions"],
    ["https://models.example/a%2Fb/?version=1", "https://models.example/a%2Fb/chat/completions?version=1"],
    ["https://user:pass@[::1]:8443/v1", "https://user:pass@[::1]:8443/v1/chat/completions"],
  ])("below %s is %s", async (baseUrl, address) => {
    const server = openModelServer([{ ...newBackend(), baseUrl }], "chat");
    const { signal } = new AbortController();
    expect(await server.call(signal, async ({ url }) => url("/chat/completions").href)).toBe(address);
  });
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a model's server that fails", () => {
  it.each([
    ["cannot be reached", unreachable],
    ["is silent", () => new BackendTimeout("The server was silent.")],
    ["is out of time", () => new DOMException("The operation timed out.", "TimeoutError")],
    ["returns 500", () => failureOf(500, "")],
    ["returns 503", () => failureOf(503, "Loading model")],
  ])("and %s is not called after five times in a row", async (_case, error) => {
    const { call, exchange, fail } = setup();
    await fail(4, error);
    await fail(1, error);
    expect(exchange).toHaveBeenCalledTimes(5);
    await expect(call()).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 10 });
    expect(exchange).toHaveBeenCalledTimes(5);
  });

  it("but is only slower than its timeout is called again and again, as long as that is all", async () => {
    const server = await startFakeBackend();
    try {
      const { reply } = createOpenAiChatModels([
        modelServer({ ...newBackend(), baseUrl: server.baseUrl, silenceMilliseconds: 250 }, "large", "small"),
      ]);
      const ask = () => reply(chatRequest, { signal: new AbortController().signal });
      const slow = {
        code: "service_unavailable",
        message: expect.stringContaining("did not finish within 0.25 s"),
      };
      const requested: number[] = [];
      server.behave((_response, { socket }) => requested.push(socket.remotePort ?? 0));
      for (let count = 0; count < 6; count += 1) await expect(ask()).rejects.toMatchObject(slow);
      expect(requested).toHaveLength(6);
      server.behave(responding(500, "no"));
      await expect(ask()).rejects.toMatchObject({ code: "external_service_error" });
      await expect(ask()).rejects.toMatchObject({ message: expect.stringContaining("gets no requests") });
    } finally {
      await server.close();
    }
  });

  it.each([
    ["refuses requests", () => failureOf(400, "too long")],
    ["is busy", () => failureOf(429, "slow down")],
    ["returns nonsense", () => new AppError("external_service_error")],
    ["says that it is loading, with status 200", () => failureOf(200, "Loading model")],
  ])("but responds, and %s, is called again and again", async (_case, error) => {
    const { exchange, fail } = setup();
    await fail(12, error);
    expect(exchange).toHaveBeenCalledTimes(12);
  });

  it("is still called when one of five calls got a response", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(4);
    exchange.mockResolvedValueOnce("Oli otya?");
    expect(await outcome()).toBe("Oli otya?");
    await fail(4);
    exchange.mockResolvedValueOnce("Gyendi.");
    expect(await outcome()).toBe("Gyendi.");
  });

  it("is not blamed for callers who leave", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(4);
    for (let count = 0; count < 10; count += 1) {
      exchange.mockRejectedValueOnce(new BackendTimeout("The server was silent."));
      await outcome(AbortSignal.abort());
    }
    exchange.mockResolvedValueOnce("Oli otya?");
    expect(await outcome()).toBe("Oli otya?");
  });

  it("is not blamed for what fails on our side", async () => {
    const { exchange, fail } = setup();
    const timeout = Object.assign(new Error("S3 is slow."), { name: "TimeoutError", $metadata: {} });
    await fail(12, () => new AppError("storage_unavailable", { cause: timeout }));
    await fail(12, () => timeout);
    expect(exchange).toHaveBeenCalledTimes(24);
  });

  it("does not take another server with it", async () => {
    const broken = setup();
    await broken.fail(6);
    const other = setup();
    other.exchange.mockResolvedValueOnce("Oli otya?");
    expect(await other.outcome()).toBe("Oli otya?");
  });
});

describe("a server whose circuit is open", () => {
  it("is called again after ten seconds, and from then on when it responds", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(5);
    vi.advanceTimersByTime(9_999);
    expect(await outcome()).toBe("service_unavailable");
    expect(exchange).toHaveBeenCalledTimes(5);
    vi.advanceTimersByTime(1);
    exchange.mockResolvedValue("Oli otya?");
    expect(await outcome()).toBe("Oli otya?");
    expect(await outcome()).toBe("Oli otya?");
    expect(exchange).toHaveBeenCalledTimes(7);
  });

  it("is not called for another ten seconds when it fails again", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(5);
    vi.advanceTimersByTime(10_000);
    await fail(1);
    vi.advanceTimersByTime(9_999);
    expect(await outcome()).toBe("service_unavailable");
    expect(exchange).toHaveBeenCalledTimes(6);
  });

  it("is tried by one caller; no other waits for the outcome", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(5);
    vi.advanceTimersByTime(10_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    exchange.mockReturnValueOnce(promise);
    const trial = outcome();
    expect(await Promise.all([outcome(), outcome()])).toEqual(["service_unavailable", "service_unavailable"]);
    expect(exchange).toHaveBeenCalledTimes(6);
    resolve("Oli otya?");
    expect(await trial).toBe("Oli otya?");
    exchange.mockResolvedValueOnce("Gyendi.");
    expect(await outcome()).toBe("Gyendi.");
  });

  it("that is back may fail four times again before calls stop", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(5);
    vi.advanceTimersByTime(10_000);
    exchange.mockResolvedValueOnce("Oli otya?");
    expect(await outcome()).toBe("Oli otya?");
    await fail(4);
    exchange.mockResolvedValueOnce("Gyendi.");
    expect(await outcome()).toBe("Gyendi.");
    await fail(5);
    expect(exchange).toHaveBeenCalledTimes(16);
    expect(await outcome()).toBe("service_unavailable");
    expect(exchange).toHaveBeenCalledTimes(16);
  });

  it("stays so when a call that started earlier succeeds", async () => {
    const { exchange, outcome, fail } = setup();
    const { promise, resolve } = Promise.withResolvers<string>();
    exchange.mockReturnValueOnce(promise);
    const early = outcome();
    await vi.waitFor(() => expect(exchange).toHaveBeenCalledOnce());
    await fail(5);
    resolve("Oli otya?");
    expect(await early).toBe("Oli otya?");
    expect(await outcome()).toBe("service_unavailable");
    expect(exchange).toHaveBeenCalledTimes(6);
  });

  it.each([
    ["by its meaning", () => failureOf(400, "too long")],
    ["for what it cannot do", () => failureOf(400, "no tools here", { model: "small", tools: [] })],
  ])("is back when it refuses the trial %s", async (_why, refusal) => {
    const { exchange, outcome, fail } = setup();
    await fail(5);
    vi.advanceTimersByTime(10_000);
    await fail(1, refusal);
    exchange.mockResolvedValueOnce("Oli otya?");
    expect(await outcome()).toBe("Oli otya?");
  });

  it("is not taken to be back because the caller of the trial left", async () => {
    const { exchange, outcome, fail } = setup();
    await fail(5);
    vi.advanceTimersByTime(10_000);
    exchange.mockRejectedValueOnce(new DOMException("Left.", "AbortError"));
    await outcome(AbortSignal.abort());
    expect(await outcome()).toBe("service_unavailable");
    expect(exchange).toHaveBeenCalledTimes(6);
  });
});

describe("the circuit of a chat server", () => {
  const models = (server: FakeBackend) =>
    createOpenAiChatModels([modelServer({ ...newBackend(), baseUrl: server.baseUrl }, "large", "small")]);
  const options = { signal: new AbortController().signal };

  it("keeps further requests from the server, also for streams", async () => {
    const server = await startFakeBackend();
    try {
      const { reply, streamReply } = models(server);
      server.behave(responding(500, "no"));
      for (let count = 0; count < 5; count += 1) {
        await expect(reply(chatRequest, options)).rejects.toMatchObject({ code: "external_service_error" });
      }
      expect(server.received).toHaveLength(5);
      await expect(reply(chatRequest, options)).rejects.toMatchObject({ code: "service_unavailable" });
      await expect(streamReply(chatRequest, options)).rejects.toMatchObject({ retryAfterSeconds: 10 });
      expect(server.received).toHaveLength(5);
    } finally {
      await server.close();
    }
  });

  it("counts a started stream as a response, however it ends", async () => {
    const server = await startFakeBackend();
    try {
      const { streamReply } = models(server);
      server.behave(streamingThenBreaking(role, delta("Oli ")));
      for (let count = 0; count < 7; count += 1) {
        const stream = await streamReply(chatRequest, options);
        expect(await readStream(stream)).toMatchObject({ error: { code: "service_unavailable" } });
      }
      server.behave(streaming(role, delta("Oli otya?"), finish(), "[DONE]"));
      expect(await readStream(await streamReply(chatRequest, options))).toMatchObject({ text: "Oli otya?" });
    } finally {
      await server.close();
    }
  });
});

describe("the message of a server with an unexpected response", () => {
  it.each([
    [429, "slow down", "service_unavailable", 5, true],
    [502, "no", "service_unavailable", 30, true],
    [503, "no", "service_unavailable", 30, true],
    [504, "no", "service_unavailable", 30, false],
    [500, "no workers available", "service_unavailable", 30, true],
    [500, "no", "external_service_error", undefined, false],
    [501, "no", "external_service_error", undefined, false],
    [499, "no", "external_service_error", undefined, true],
    [400, "no", "external_service_error", undefined, true],
  ])(
    "%i with %j is %s, retried after %s s, refused before any work: %s",
    (status, words, code, after, refused) => {
      const failure = failureOf(status, words);
      expect(failure).toMatchObject({ code, retryAfterSeconds: after, cause: { status } });
      expect(failure instanceof ModelRefusal).toBe(refused);
    },
  );

  it("says what is known, and no more", () => {
    expect(failureOf(400, "").message).toBe("The model's server refused the request.");
    expect(failureOf(413, "").code).toBe("context_length_exceeded");
    for (const status of [401, 500]) expect(failureOf(status, "").message).toBe("The model's server failed.");
  });
});
