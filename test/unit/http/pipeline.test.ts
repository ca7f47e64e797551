import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { operations } from "../../../functions/manifest.ts";
import { endpoint } from "../../../shared/http/endpoint.ts";
import type { Operation } from "../../../shared/http/operation.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { createBufferedHandler, createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { Reply } from "../../../shared/http/response.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { requestScope } from "../../../shared/platform/telemetry/request-scope.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { authorizedCaller, send } from "../../support/send.ts";
import { unlimited } from "../../support/unlimited.ts";

const bodySchema = z.object({ result: z.string() });

const common = {
  ...exampleOperation,
  method: "GET",
  path: "/example",
  response: { status: 200, description: "It", schema: bodySchema, otherContentTypes: ["text/html"] },
  confidential: true,
} as const;
const open = defineOperation({ ...common, auth: "public" });
const ofTokens = defineOperation({ ...common, auth: "user", scope: "translate" });

const get = (execute: () => Promise<z.input<typeof bodySchema> | Reply>, headers?: Record<string, string>) =>
  send([endpoint(open, execute)], { method: "GET", path: "/example", headers: headers ?? {} });

describe("every response", () => {
  it("carries a request id, open CORS and no sniffing", async () => {
    const response = await get(async () => ({ result: "yes" }));
    expect(response.headers).toMatchObject({
      "X-Request-Id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "Access-Control-Allow-Origin": "*",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    });
  });

  it("keeps the caller's own request id", async () => {
    const response = await get(async () => ({ result: "yes" }), { "X-Request-ID": "my-trace.1" });
    expect(response.headers["X-Request-Id"]).toBe("my-trace.1");
  });

  it.each(["with space", "a".repeat(129), "line\nbreak", "ünïcode"])(
    "replaces a request id that could not be echoed safely: %j",
    async (id) => {
      const response = await get(async () => ({ result: "yes" }), { "X-Request-Id": id });
      expect(response.headers["X-Request-Id"]).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe("an error", () => {
  it("is reported in both vocabularies, with the request id", async () => {
    const response = await get(async () => {
      throw new AppError("unsupported_language", { param: "source_language", extra: { known: 32 } });
    });
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      detail: "The language is not supported.",
      error: {
        code: "unsupported_language",
        message: "The language is not supported.",
        type: "invalid_request_error",
        param: "source_language",
        known: 32,
      },
      request_id: response.headers["X-Request-Id"],
    });
    expect(response.headers["Access-Control-Allow-Origin"]).toBe("*");
  });

  it("says when to try again", async () => {
    const response = await get(async () => {
      throw new AppError("service_unavailable", { retryAfterSeconds: 30 });
    });
    expect(response.status).toBe(503);
    expect(response.headers["Retry-After"]).toBe("30");
  });

  it("that was unexpected reads `internal` and reveals nothing of its cause", async () => {
    const response = await get(async () => {
      throw new Error("password=hunter2 at /var/task/index.mjs");
    });
    expect(response.status).toBe(500);
    expect(response.body.error.code).toBe("internal");
    expect(JSON.stringify(response.body)).not.toMatch(/hunter2|index\.mjs/);
  });

  it("is not even worded by what was thrown when that is no error at all", async () => {
    const response = await get(() => Promise.reject("plain text"));
    expect(response.body).toMatchObject({ detail: "Something went wrong on our side." });
  });
});

describe("a route that requires a token", () => {
  it("knows its caller from the authorizer", async () => {
    const closed = endpoint(ofTokens, ({ caller }) => ({
      result: `${caller.userId} ${caller.accountType}`,
    }));
    const response = await send([closed], { method: "GET", path: "/example", authorizer: authorizedCaller });
    expect(response.body).toEqual({ result: "7 Free" });
  });

  it("refuses a request that went past the authorizer", async () => {
    const closed = endpoint(ofTokens, () => ({ result: "secret" }));
    const response = await send([closed], { method: "GET", path: "/example" });
    expect(response).toMatchObject({ status: 401, body: { error: { code: "unauthenticated" } } });
    expect(response.headers["WWW-Authenticate"]).toBe("Bearer");
  });
});

describe("a request the function cannot finish in its time", () => {
  it("gets 503, and its work is aborted", async () => {
    let aborted = false;
    const slow = endpoint(open, ({ request }) => {
      request.signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise<{ result: string }>(() => undefined);
    });
    const response = await send([slow], { method: "GET", path: "/example", remainingMilliseconds: 1_050 });
    expect(response.status).toBe(503);
    expect(response.headers["Retry-After"]).toBe("30");
    expect(aborted).toBe(true);
  });

  it("keeps one second of the function's time for the response", async () => {
    vi.spyOn(performance, "now").mockReturnValue(500_000);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    let endsAt: number | undefined;
    const requested = endpoint({ ...open, limit: "delivery" }, () => {
      endsAt = requestScope()?.endsAt;
      return { result: "yes" };
    });
    const context = { ...lambdaContext(), getRemainingTimeInMillis: () => 30_000 };
    await createBufferedHandler([requested])(lambdaEvent({ method: "GET", path: "/example" }), context);
    expect(endsAt).toBe(529_000);
  });
});

describe("the parts of a request", () => {
  const operation = defineOperation({
    ...open,
    method: "POST",
    path: "/example/{name}",
    limit: "delivery",
    body: { encoding: "json", schema: z.object({ text: z.string() }) },
    query: z.object({ page: z.string().optional() }),
    pathParameters: z.object({ name: z.string() }),
  });
  const echo = endpoint(operation, ({ body, query, path, request }) => ({
    result: [body.text, query.page, path.name, request.id, request.headers["x-own"]].join(" "),
  }));
  const ask = (body: unknown, more: object = {}) =>
    send([echo], {
      path: "/example/{name}",
      pathParameters: { name: "amina" },
      headers: { "X-Request-Id": "r".repeat(128), "X-Own": "own" },
      body,
      ...more,
    });

  it("reach the use case", async () => {
    expect((await ask({ text: "hello" }, { query: { page: "2" } })).body).toEqual({
      result: `hello 2 amina ${"r".repeat(128)} own`,
    });
    expect((await ask({ text: "hello" })).body.result).toContain("hello  amina");
  });

  it.each([
    ["no body", undefined, {}, "missing"],
    ["an empty body", "", {}, "missing"],
    ["null", "null", {}, "missing"],
    [
      "a body of another type",
      '{"text":"x"}',
      { headers: { "Content-Type": "text/plain" } },
      "model_attributes_type",
    ],
  ])("are named when they are missing: %s", async (_case, body, more, type) => {
    const bodySchema = await ask(body, { headers: { "Content-Type": "application/json" }, ...more });
    expect(bodySchema).toMatchObject({ status: 422, body: { detail: [{ loc: ["body"], type }] } });
  });

  it("leave the event's own body as it came", async () => {
    const event = lambdaEvent({
      path: "/example/{name}",
      pathParameters: { name: "a" },
      body: '{"text":"x"}',
      headers: { "Content-Type": "application/json" },
    });
    await createBufferedHandler([echo])(event, lambdaContext());
    expect(event.body).toBe('{"text":"x"}');
  });

  it("are refused without a path parameter that is declared", async () => {
    const bodySchema = await ask({ text: "x" }, { pathParameters: undefined });
    expect(bodySchema.body.detail).toMatchObject([{ loc: ["path", "name"], type: "missing" }]);
  });
});

describe("HEAD", () => {
  const head = (execute: () => Promise<z.input<typeof bodySchema> | Reply>, operation: Operation = open) =>
    send([endpoint(operation, execute)], { method: "HEAD", path: "/example" });

  it("gets the response of GET, without the body", async () => {
    const execute = async () => new Reply({ contentType: "text/html", body: "<p>Hello</p>" });
    const [whole, response] = [await get(execute), await head(execute)];
    expect(whole.body).toBe("<p>Hello</p>");
    expect(response).toMatchObject({ status: 200, body: "" });
    const ids = { "X-Request-Id": expect.any(String) };
    expect(response.headers).toEqual({ ...whole.headers, ...ids });
  });

  it("has no body when it fails, either", async () => {
    const response = await head(() => Promise.reject(new AppError("unsupported_language")));
    expect(response).toMatchObject({
      status: 400,
      headers: { "Content-Type": "application/json" },
      body: "",
    });
  });

  it("does not begin a stream", async () => {
    let hasStarted = false;
    const chunks = async function* () {
      hasStarted = true;
      yield "text";
    };
    expect(await head(async () => new Reply({ contentType: "text/html", body: chunks() }))).toMatchObject({
      status: 200,
      body: "",
    });
    expect(hasStarted).toBe(false);
  });

  it("is not supported where GET is not", async () => {
    const post = { ...open, method: "POST" } as const;
    expect((await head(async () => ({ result: "yes" }), post)).status).toBe(405);
  });
});

describe("further endpoints", () => {
  const further = (path: `/${string}`) =>
    endpoint({ ...open, path, id: `further${path}` }, async () => ({ result: path }));
  const first = endpoint(open, async () => ({ result: "first" }));

  it("are loaded once, with the first request for a path that no other endpoint has", async () => {
    const furtherEndpoints = vi.fn(async () => [further("/one"), further("/two/{name}")]);
    const handler = createBufferedHandler([first], { limiter: unlimited, furtherEndpoints });
    const request = (method: string, path: string) => handler(lambdaEvent({ method, path }), lambdaContext());
    expect(await request("GET", "/example")).toMatchObject({ statusCode: 200 });
    expect(furtherEndpoints).not.toHaveBeenCalled();
    expect(await request("GET", "/one")).toMatchObject({ statusCode: 200, body: '{"result":"/one"}' });
    expect(await request("GET", "/two/three")).toMatchObject({ body: '{"result":"/two/{name}"}' });
    expect(await request("HEAD", "/one")).toMatchObject({ statusCode: 200, body: "" });
    expect(await request("POST", "/one")).toMatchObject({
      statusCode: 405,
      headers: { Allow: "GET, HEAD, OPTIONS" },
    });
    expect(await request("GET", "/three")).toMatchObject({ statusCode: 404 });
    expect(furtherEndpoints).toHaveBeenCalledOnce();
  });

  it("are refused like others when nothing counts their requests", async () => {
    const furtherEndpoints = async () => [
      endpoint({ ...ofTokens, path: "/one" }, async () => ({ result: "" })),
    ];
    const reading = endpoint({ ...open, limit: "reading" }, async () => ({ result: "" }));
    const handler = createBufferedHandler([reading], { furtherEndpoints });
    expect(await handler(lambdaEvent({ method: "GET", path: "/one" }), lambdaContext())).toMatchObject({
      statusCode: 500,
    });
  });
});

describe("a browser's preflight", () => {
  it("is ignored behind the REST API, which handles it itself", async () => {
    const bodySchema = await send([endpoint(open, () => ({ result: "yes" }))], {
      method: "OPTIONS",
      path: "/example",
    });
    expect(bodySchema).toMatchObject({ status: 405, headers: { Allow: "GET, HEAD, OPTIONS" } });
  });
});

describe("a buffered function", () => {
  it("does not pretend to send a stream", async () => {
    const chunks = async function* () {
      yield "text";
    };
    const reply = async () => new Reply({ contentType: "text/html", body: chunks() });
    await expect(get(reply)).rejects.toThrow("A buffered function cannot send a stream.");
  });
});

describe("the operations of the service", () => {
  /** Positions where a response may contain unnamed members. */
  const openPaths = (schema: unknown, path: string): string[] => {
    if (typeof schema !== "object" || schema === null) return [];
    return Object.entries(schema).flatMap(([key, value]) => {
      const isAnything =
        key === "additionalProperties" && Object.keys(Object(value)).length === 0 && value !== false;
      return isAnything ? [path] : openPaths(value, `${path}.${key}`);
    });
  };

  it("name all that leaves, but for the API's description, translations, as specified, a schema that a caller sent, and results of tools", () => {
    const isOpen = ({ response }: Operation) =>
      openPaths(z.toJSONSchema(response.schema, { io: "output" }), "").length > 0;
    expect(operations.length).toBeGreaterThan(40);
    expect(operations.filter(isOpen).map(({ id }) => id)).toEqual([
      "createResponse",
      "openapi",
      "callMcp",
      "translate",
    ]);
  });
});

describe("a function", () => {
  const doing = (operation: Operation) => [
    { operation, prepare: () => ({ tasks: 1, execute: async () => ({ result: "yes" }) }) },
  ];
  const unlimitedOperation = { ...open, limit: "delivery" } as const;

  it.each([
    ["open to everyone", open],
    ["needs a token", ofTokens],
    ["takes passwords", { ...open, limit: "credentials" } as const],
    ["costs no quota", { ...ofTokens, limit: "account" } as const],
  ])("does not start when it has an operation that %s, and nothing counts its requests", (_case, limited) => {
    stubStreamingRuntime();
    const endpoints = [...doing(unlimitedOperation), ...doing(limited)];
    for (const create of [createBufferedHandler, createStreamingHandler]) {
      expect(() => create(endpoints)).toThrow(
        "The operation example is limited: its function needs a limiter.",
      );
      expect(() => create(endpoints, { limiter: unlimited })).not.toThrow();
      expect(() => create(doing(unlimitedOperation))).not.toThrow();
    }
  });
});
