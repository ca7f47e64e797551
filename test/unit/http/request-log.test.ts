import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { createBufferedHandler, createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { Reply } from "../../../shared/http/response.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { requestScope } from "../../../shared/platform/telemetry/request-scope.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { unlimited } from "../../support/unlimited.ts";

const operation = defineOperation({
  ...exampleOperation,
  method: "GET",
  path: "/example",
  auth: "user",
  scope: "translate",
  response: {
    status: 200,
    description: "It",
    schema: z.object({ result: z.string() }),
    otherContentTypes: ["text/plain"],
  },
});

const event = (path = "/example") =>
  lambdaEvent({
    method: "GET",
    path,
    authorizer: { userId: "7", tokenId: "t-1", tokenEpoch: "0" },
  });

const handlerOf = (execute: () => Promise<{ result: string } | Reply>) => [endpoint(operation, execute)];
const endpoints = handlerOf(async () => ({ result: "yes" }));

let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  const keep = (message: string, fields = {}) => void lines.push({ message, ...fields });
  vi.spyOn(logger, "info").mockImplementation(keep);
  vi.spyOn(logger, "error").mockImplementation(keep);
  stubStreamingRuntime();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const responseLines = () => lines.filter(({ message }) => message === "request.answered");

describe("the line of a request that takes long", () => {
  const received = () => lines.filter(({ message }) => message === "request.received");
  const lasting = (milliseconds: number) =>
    createBufferedHandler(
      handlerOf(async () => {
        await vi.advanceTimersByTimeAsync(milliseconds);
        return { result: "yes" };
      }),
      { limiter: unlimited },
    );

  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("shows the operation before the request has ended", async () => {
    await lasting(1_000)(event(), lambdaContext());
    expect(lines).toMatchObject([{ message: "request.received" }, { message: "request.answered" }]);
    expect(received()).toEqual([
      { message: "request.received", request_id: responseLines()[0]?.["request_id"], operation: "example" },
    ]);
  });

  it("is not written for one that ends within a second, then or later", async () => {
    await lasting(999)(event(), lambdaContext());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lines).toMatchObject([{ message: "request.answered" }]);
  });

  it("names the request as API Gateway's log does too, like the last line, when its caller named it otherwise", async () => {
    const named = { ...event(), headers: { "X-Request-Id": "mine-1" } };
    await lasting(1_000)(named, lambdaContext());
    const { requestId: gateway_request_id } = named.requestContext;
    const line = { request_id: "mine-1", gateway_request_id };
    expect(lines).toMatchObject([line, line]);
    await lasting(1_000)(event(), lambdaContext());
    expect(received()[1]?.["gateway_request_id"]).toBeUndefined();
  });

  it("leads to the trace that the request is part of, like the last line", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await lasting(1_000)({ ...event(), headers: { traceparent } }, lambdaContext());
    const span = {
      trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
      parent_span_id: "00f067aa0ba902b7",
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    };
    expect(lines).toMatchObject([span, span]);
  });
});

describe("the line at the end of a request", () => {
  it("exists for undeclared paths, too", async () => {
    const handler = createBufferedHandler(endpoints, { limiter: unlimited });
    await handler(event("/secret-path"), lambdaContext());
    await handler({ ...event(), httpMethod: "DELETE" }, lambdaContext());
    expect(responseLines()).toMatchObject([
      { operation: "none", status: 404 },
      { operation: "none", status: 405 },
    ]);
  });

  it("shows the operation, the caller, the status, the entry point and the time", async () => {
    await createBufferedHandler(endpoints, { limiter: unlimited })(event(), lambdaContext());
    expect(responseLines()).toEqual([
      {
        message: "request.answered",
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        operation: "example",
        account_id: 7,
        entry_point: "rest-api",
        status: 200,
        milliseconds: expect.any(Number),
        own_milliseconds: expect.any(Number),
        client_error: 0,
        server_error: 0,
        cold_start: expect.any(Boolean),
      },
    ]);
  });

  it("says once in a process that it was a cold start", async () => {
    const handler = createBufferedHandler(endpoints, { limiter: unlimited });
    await handler(event(), lambdaContext());
    await handler(event(), lambdaContext());
    expect(responseLines().at(-1)).toMatchObject({ cold_start: false });
  });

  it.each([
    ["not_found", 1, 0],
    ["internal", 0, 1],
  ] as const)("counts %s as what it is", async (code, client_error, server_error) => {
    const failing = handlerOf(async () => {
      throw new AppError(code);
    });
    await createBufferedHandler(failing, { limiter: unlimited })(event(), lambdaContext());
    expect(responseLines()).toMatchObject([{ client_error, server_error }]);
  });

  it("carries the metrics of its operation, in the namespace of the stage", async () => {
    await createBufferedHandler(endpoints, {
      limiter: unlimited,
      metricsNamespace: "LanguageAi-test",
    })(event(), lambdaContext());
    const [line] = responseLines();
    expect(line?.["_aws"]).toMatchObject({
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        { Namespace: "LanguageAi-test", Dimensions: [["operation"]] },
        { Namespace: "LanguageAi-test", Dimensions: [[]], Metrics: [{ Name: "own_milliseconds" }] },
      ],
    });
    const { CloudWatchMetrics } = z
      .object({
        CloudWatchMetrics: z.array(z.object({ Metrics: z.array(z.object({ Name: z.string() })) })),
      })
      .parse(line?.["_aws"]);
    // CloudWatch drops a metric whose value is not in the line.
    for (const { Name } of CloudWatchMetrics.flatMap(({ Metrics }) => Metrics)) {
      expect(line?.[Name]).toEqual(expect.any(Number));
    }
  });
});

/** The metrics by operation that the last line of a request defines. */
const operationMetrics = (line: Record<string, unknown> | undefined): string[] =>
  z
    .object({
      CloudWatchMetrics: z.tuple(
        [z.object({ Metrics: z.array(z.object({ Name: z.string() })) })],
        z.unknown(),
      ),
    })
    .parse(line?.["_aws"])
    .CloudWatchMetrics[0].Metrics.map(({ Name }) => Name);

describe("the metrics of an operation", () => {
  it.each([
    ["without an error are only its times", undefined, ["milliseconds"]],
    ["with a client's error also count that", "not_found", ["milliseconds", "client_error"]],
    ["with an error of ours also count that", "internal", ["milliseconds", "server_error"]],
  ] as const)("%s, because each costs money", async (_what, code, names) => {
    const responding = handlerOf(async () => {
      if (code) throw new AppError(code);
      return { result: "yes" };
    });
    await createBufferedHandler(responding, { limiter: unlimited, metricsNamespace: "LanguageAi-test" })(
      event(),
      lambdaContext(),
    );
    expect(operationMetrics(responseLines().at(-1))).toEqual(names);
  });
});

describe("the service's own time", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** A use case that takes this long, and waits for models this long. */
  const taking = (milliseconds: number, ofModels: number | undefined) =>
    handlerOf(async () => {
      vi.advanceTimersByTime(milliseconds);
      const scope = requestScope();
      if (scope) scope.upstreamMilliseconds = ofModels;
      return { result: "yes" };
    });

  it.each([
    ["all of it, without a call of a model", 5_000, undefined, 5_000],
    ["the time without waiting for models", 5_000, 4_200.4, 800],
    ["nothing, during parallel waits for several models", 5_000, 9_000, 0],
  ])("is %s", async (_case, milliseconds, ofModels, own) => {
    const handler = createBufferedHandler(taking(milliseconds, ofModels), { limiter: unlimited });
    await handler(event(), lambdaContext());
    expect(responseLines()).toMatchObject([{ milliseconds, own_milliseconds: own }]);
  });

  it("of a stream ends when its head leaves, however long its body takes", async () => {
    const endpoints = handlerOf(async () => {
      vi.advanceTimersByTime(300);
      const body = async function* () {
        vi.advanceTimersByTime(600_000);
        yield "late";
      };
      return new Reply({ contentType: "text/plain", body: body() });
    });
    await invokeStreaming(
      createStreamingHandler(endpoints, { limiter: unlimited }),
      event(),
      lambdaContext(),
    );
    expect(responseLines()).toMatchObject([{ milliseconds: 600_300, own_milliseconds: 300 }]);
  });
});

describe("the line at the end of a stream", () => {
  const stream = (chunks: () => AsyncGenerator<string, void, undefined>) =>
    createStreamingHandler(
      handlerOf(async () => new Reply({ contentType: "text/plain", body: chunks() })),
      { limiter: unlimited },
    );

  it("comes with the last byte, and counts them", async () => {
    const handler = stream(async function* () {
      yield "café";
      expect(responseLines()).toEqual([]);
      yield " au lait";
    });
    await invokeStreaming(handler, event(), lambdaContext());
    expect(responseLines()).toMatchObject([{ status: 200, bytes: 13, ended: "whole", server_error: 0 }]);
  });

  it("counts a stream that broke off as an error, with any status", async () => {
    const handler = stream(async function* () {
      yield "half";
      throw new Error("broken");
    });
    const sent = new PassThrough();
    await expect(Reflect.apply(handler, undefined, [event(), sent, lambdaContext()])).rejects.toThrow(
      "broken",
    );
    expect(responseLines()).toMatchObject([{ status: 200, bytes: 4, ended: "failed", server_error: 1 }]);
  });

  it("distinguishes disconnected readers from whole responses", async () => {
    const handler = stream(async function* () {
      for (;;) yield "chunk";
    });
    const sent = new PassThrough();
    sent.once("data", () => sent.destroy());
    await Reflect.apply(handler, undefined, [event(), sent, lambdaContext()]);
    expect(responseLines()).toMatchObject([{ ended: "client_disconnected", server_error: 0 }]);
  });
});
