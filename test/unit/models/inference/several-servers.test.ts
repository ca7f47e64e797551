import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Backend } from "../../../../shared/models/inference/openai/backend.ts";
import { openModelServer } from "../../../../shared/models/inference/openai/call-policy.ts";
import { failureOf } from "../../../../shared/models/inference/openai/refusals.ts";
import { AppError } from "../../../../shared/platform/errors/app-error.ts";
import {
  BackendOverdue,
  BackendTimeout,
  BackendUnreachable,
} from "../../../../shared/platform/outbound/failures.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import {
  inRequestScope,
  openRequestScope,
  type RequestScope,
} from "../../../../shared/platform/telemetry/request-scope.ts";
import { modelServer } from "../../../support/model-servers.ts";

const backend = (name: string, more: Partial<Backend> = {}): Backend =>
  modelServer({ name, baseUrl: `http://${name}.example/v1`, ...more });

type Failures = Readonly<Record<string, (() => unknown) | undefined>>;

/** Servers of chat, of which the named ones fail. */
const setup = (first: Backend, ...others: Backend[]) => {
  const server = openModelServer([first, ...others], "chat");
  let failures: Failures = {};
  const called: string[] = [];
  const call = (signal = new AbortController().signal): Promise<string> =>
    server.call(signal, async ({ backend: { name = "" } }) => {
      called.push(name);
      const failure = failures[name];
      if (failure) throw failure();
      return name;
    });
  return {
    call,
    /** The servers that were called since this was read before. */
    calls: () => called.splice(0),
    fail: (by: Failures) => {
      failures = by;
    },
    outcome: (signal?: AbortSignal) =>
      call(signal).catch((error: unknown) => (error instanceof AppError ? error.code : "no error of ours")),
  };
};

const unreachable = () => new BackendUnreachable("The connection failed.");
const silent = () => new BackendTimeout("The server was silent.");
const overdue = () => new BackendOverdue(1_000);
const refusedKey = () => failureOf({ statusCode: 401, body: "no" });

let scope: RequestScope;
/** Runs work as a request that has this much time. */
const inRequest = <Result>(work: () => Result, milliseconds = 60_000): Result => {
  scope = openRequestScope(milliseconds);
  return inRequestScope(scope, work);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  scope?.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the order of servers", () => {
  it("is theirs, the lowest first", async () => {
    const { call, calls, fail } = setup(
      backend("third", { order: 7 }),
      backend("first"),
      backend("second", { order: 2 }),
    );
    expect(await call()).toBe("first");
    fail({ first: unreachable, second: unreachable });
    expect(await call()).toBe("third");
    expect(calls()).toEqual(["first", "first", "second", "third"]);
  });

  it("is by their weight within an order", async () => {
    const { call } = setup(
      backend("small", { weight: 1 }),
      backend("large", { weight: 3 }),
      backend("last", { order: 2, weight: 1_000 }),
    );
    const names = await Promise.all(Array.from({ length: 4_000 }, () => call()));
    const share = names.filter((name) => name === "large").length / names.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
    expect(names).not.toContain("last");
  });

  it("keeps the weights of the others when one gets no calls", async () => {
    const { call, fail } = setup(
      backend("out", { weight: 100 }),
      backend("one", { weight: 1 }),
      backend("two", { weight: 3 }),
    );
    fail({ out: silent });
    const names: string[] = [];
    for (let count = 0; count < 2_000; count += 1) names.push(await call());
    const share = names.filter((name) => name === "two").length / names.length;
    expect(share).toBeGreaterThan(0.7);
    expect(share).toBeLessThan(0.8);
  });
});

describe("the circuit of one of several servers", () => {
  it("opens after five failures in a row, as that of an only one does", async () => {
    const { call, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: unreachable });
    for (let count = 0; count < 7; count += 1) expect(await call()).toBe("hosted");
    expect(calls().filter((name) => name === "gpu")).toHaveLength(5);
  });

  it.each([
    ["is silent", silent],
    ["does not finish in time", overdue],
  ])("opens at once when it %s, for ten seconds and then again after one trial", async (_how, failure) => {
    const { call, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: failure });
    for (let count = 0; count < 9; count += 1) expect(await call()).toBe("hosted");
    expect(calls().filter((name) => name === "gpu")).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    await Promise.all(Array.from({ length: 9 }, () => call()));
    expect(calls().filter((name) => name === "gpu")).toHaveLength(1);
    vi.advanceTimersByTime(10_000);
    fail({});
    expect(await call()).toBe("gpu");
    expect(await call()).toBe("gpu");
  });

  it("does not open at once when no other server could be called", async () => {
    const { outcome, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: silent, hosted: silent });
    for (let count = 0; count < 4; count += 1) expect(await outcome()).toBe("service_unavailable");
    expect(calls()).toEqual(["gpu", "hosted", "hosted", "hosted", "hosted"]);
    fail({ gpu: silent });
    expect(await outcome()).toBe("hosted");
  });

  it("is opened by no timeout of an only server", async () => {
    const { outcome, calls, fail } = setup(backend("gpu"));
    fail({ gpu: silent });
    for (let count = 0; count < 4; count += 1) await outcome();
    expect(calls()).toHaveLength(4);
  });

  it("that is open at every server costs no call, and the caller learns when to try again", async () => {
    const { call, outcome, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: unreachable, hosted: unreachable });
    for (let count = 0; count < 5; count += 1) await outcome();
    expect(calls()).toHaveLength(10);
    await expect(call()).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 10 });
    expect(calls()).toEqual([]);
  });
});

describe("the next server", () => {
  it("is not called for a caller who has left", async () => {
    const { outcome, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    const leaving = new AbortController();
    fail({
      gpu: () => {
        leaving.abort();
        return unreachable();
      },
    });
    await outcome(leaving.signal);
    expect(calls()).toEqual(["gpu"]);
  });

  it("is not called when too little of the request's time is left", async () => {
    const { call, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: silent });
    const slow = vi.spyOn(performance, "now");
    await inRequest(async () => {
      fail({
        gpu: () => {
          slow.mockReturnValue(scope.endsAt - 999);
          return silent();
        },
      });
      await expect(call()).rejects.toMatchObject({ message: expect.stringContaining("timed out") });
    });
    expect(calls()).toEqual(["gpu"]);
  });

  it("is not called for a failure of our own", async () => {
    const { outcome, calls, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    const outage = Object.assign(new Error("S3 is slow."), { name: "TimeoutError", $metadata: {} });
    fail({ gpu: () => outage });
    expect(await outcome()).toBe("service_unavailable");
    fail({ gpu: () => new AppError("storage_unavailable") });
    expect(await outcome()).toBe("storage_unavailable");
    fail({ gpu: () => new AppError("external_service_error") });
    expect(await outcome()).toBe("external_service_error");
    expect(calls()).toEqual(["gpu", "gpu", "gpu"]);
  });
});

describe("what is measured of several servers", () => {
  it("is the task as one, and each server", async () => {
    const { call, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: silent });
    await inRequest(call);
    expect(scope.backends.fields()).toEqual({
      chat_milliseconds: expect.any(Number),
      chat_gpu_milliseconds: expect.any(Number),
      chat_gpu_failures: 1,
      chat_gpu_circuit_opened: 1,
      chat_hosted_milliseconds: expect.any(Number),
    });
    expect(scope.backends.servers).toBe("hosted");
    await inRequest(call);
    expect(scope.backends.fields()).toEqual({
      chat_milliseconds: expect.any(Number),
      chat_hosted_milliseconds: expect.any(Number),
    });
  });

  it("is a failure of the task only when none replies, and its circuit is open only when all servers have an open one", async () => {
    const { outcome, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: unreachable, hosted: unreachable });
    const opened: unknown[] = [];
    for (let count = 0; count < 5; count += 1) {
      await inRequest(outcome);
      expect(scope.backends.fields()).toMatchObject({ chat_failures: 1 });
      opened.push(scope.backends.fields()["chat_circuit_opened"]);
    }
    expect(opened).toEqual([undefined, undefined, undefined, undefined, 1]);
  });

  it.each([["one"], ["several"]])(
    "is a refused key in the log, which an alarm counts, with %s",
    async (many) => {
      const error = vi.spyOn(logger, "error").mockReturnValue(undefined);
      const others = many === "one" ? [] : [backend("hosted", { order: 2 })];
      const { outcome, fail } = setup(backend("gpu"), ...others);
      fail({ gpu: refusedKey });
      await inRequest(outcome);
      expect(error).toHaveBeenCalledExactlyOnceWith("model.key_refused", {
        backend: "chat",
        server: "gpu",
        status: 401,
      });
    },
  );

  it("names the server of a call that was passed on, and why, in the log", async () => {
    const warn = vi.spyOn(logger, "warn").mockReturnValue(undefined);
    const { call, fail } = setup(backend("gpu"), backend("hosted", { order: 2 }));
    fail({ gpu: () => failureOf({ statusCode: 503, body: "no" }) });
    await call();
    expect(warn.mock.calls[0]).toEqual([
      "model.refused",
      { backend: "chat", server: "gpu", status: 503, words: "no" },
    ]);
    expect(warn).toHaveBeenLastCalledWith("model.server_failed", {
      backend: "chat",
      server: "gpu",
      reason: expect.objectContaining({ message: "The model's server returned status 503." }),
    });
  });
});
