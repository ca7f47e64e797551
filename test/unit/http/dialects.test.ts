import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import type { Endpoint } from "../../../shared/http/exchange.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { ErrorCode } from "../../../shared/platform/errors/catalogue.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { encodeForm } from "../../support/multipart.ts";
import { send } from "../../support/send.ts";

const operationAt = (path: `/${string}`, method: "GET" | "POST" = "POST") =>
  defineOperation({
    ...exampleOperation,
    method,
    path,
    auth: "user",
    scope: "translate",
    ...(method === "GET"
      ? { query: z.object({ type: z.string().optional() }) }
      : { body: { encoding: "json-or-form", schema: z.looseObject({ q: z.unknown() }) } }),
    response: { status: 200, description: "It", schema: z.unknown() },
  });

const verifyBearer = vi.fn(async (authorization: string | undefined) =>
  authorization === "Bearer key" ? { userId: 7, tokenId: "t", tokenEpoch: 0 } : undefined,
);

const sendTo = (found: Endpoint, request: Partial<Parameters<typeof send>[1]>) =>
  send([found], { method: found.operation.method, path: found.operation.path, ...request }, { verifyBearer });

const failing = (path: `/${string}`, code: ErrorCode) =>
  endpoint(operationAt(path), () => {
    throw new AppError(code, { message: "What happened." });
  });

afterEach(() => vi.restoreAllMocks());

describe.each<[ErrorCode, number, number]>([
  ["bad_request", 400, 400],
  ["not_found", 404, 404],
  ["insufficient_scope", 403, 403],
  ["payload_too_large", 413, 413],
  ["rate_limited", 429, 429],
  ["quota_exceeded", 456, 429],
  ["job_not_completed", 503, 409],
  ["service_unavailable", 503, 503],
])("the error %s", (code, deepl, libretranslate) => {
  it("has the form and the status that clients of others know", async () => {
    const request = { headers: { Authorization: "Bearer key" }, body: { q: "x" } };
    const ofDeepl = await sendTo(failing("/deepl/v2/example", code), request);
    expect(ofDeepl).toMatchObject({
      status: deepl,
      body: { message: "What happened.", code, request_id: expect.any(String) },
    });
    const ofLibreTranslate = await sendTo(failing("/libretranslate/example", code), request);
    expect(ofLibreTranslate).toMatchObject({
      status: libretranslate,
      body: { error: "What happened.", code, request_id: expect.any(String) },
    });
  });
});

describe("the key of a request", () => {
  const deepl = endpoint(operationAt("/deepl/v2/example"), () => "in");
  const libre = endpoint(operationAt("/libretranslate/example"), () => "in");
  const ours = endpoint(operationAt("/tasks/example"), () => "in");

  it.each(["DeepL-Auth-Key key", "deepl-auth-key  key", "Bearer key"])(
    "of DeepL may be %j",
    async (value) => {
      const request = { headers: { Authorization: value }, body: { q: "x" } };
      expect(await sendTo(deepl, request)).toMatchObject({ status: 200 });
    },
  );

  it("that is wrong is refused in the words of its API", async () => {
    const ofDeepl = await sendTo(deepl, { headers: { Authorization: "DeepL-Auth-Key x" }, body: { q: "x" } });
    expect(ofDeepl).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("DeepL-Auth-Key") },
    });
    const ofLibreTranslate = await sendTo(libre, { body: { q: "x", api_key: "x" } });
    expect(ofLibreTranslate).toMatchObject({
      status: 403,
      body: { error: expect.stringContaining("api_key") },
    });
    for (const { body } of [ofDeepl, ofLibreTranslate]) expect(JSON.stringify(body)).not.toMatch(/bearer/i);
  });

  it("of DeepL is invalid elsewhere", async () => {
    const headers = { Authorization: "DeepL-Auth-Key key" };
    expect(await sendTo(ours, { headers, body: { q: "x" } })).toMatchObject({ status: 401 });
    expect(await sendTo(libre, { headers, body: { q: "x" } })).toMatchObject({ status: 403 });
  });

  it("of LibreTranslate may be in the query or the body, but nowhere else", async () => {
    const inQuery = { query: { api_key: "key" }, body: { q: "x" } };
    const inBody = { body: { q: "x", api_key: "key" } };
    const form = await encodeForm({ q: "x", api_key: "key" });
    for (const request of [inQuery, inBody, form]) {
      expect(await sendTo(libre, request)).toMatchObject({ status: 200 });
      expect(await sendTo(ours, request)).toMatchObject({ status: 401 });
      expect(await sendTo(deepl, request)).toMatchObject({ status: 403 });
    }
  });

  it("of LibreTranslate in our own form makes others unimportant", async () => {
    const headers = { Authorization: "Bearer other" };
    const request = { headers, body: { q: "x", api_key: "key" } };
    expect(await sendTo(libre, request)).toMatchObject({ status: 403 });
  });

  it("is not looked for in a body that is too large", async () => {
    const body = { q: "x".repeat(70_000), api_key: "key" };
    expect(await sendTo(libre, { body })).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });
});

describe("a form", () => {
  it.each<[string, unknown]>([
    ["q=a&q=b", ["a", "b"]],
    ["q[]=a&q[]=b", ["a", "b"]],
    ["q%5B%5D=a", ["a"]],
  ])("has a list in %s", async (body, q) => {
    const repeats = endpoint(operationAt("/libretranslate/example"), ({ body: read }) => read);
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Authorization: "Bearer key" };
    expect((await sendTo(repeats, { headers, body })).body).toEqual({ q });
  });

  it("in the body of GET joins the query for clients of DeepL only", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Authorization: "Bearer key" };
    const typeAt = async (path: `/${string}`, request: object = {}) => {
      const repeats = endpoint(operationAt(path, "GET"), ({ query }) => query);
      return (await sendTo(repeats, { headers, body: "type=target", ...request })).body;
    };
    expect(await typeAt("/deepl/v2/example")).toEqual({ type: "target" });
    expect(await typeAt("/deepl/v2/example", { query: { type: "source" } })).toEqual({ type: "source" });
    expect(await typeAt("/libretranslate/example")).toEqual({});
  });
});

describe("the log", () => {
  it("counts a document that is not ready as no fault of the service", async () => {
    const info = vi.spyOn(logger, "info").mockImplementation(() => undefined);
    const headers = { Authorization: "Bearer key" };
    await sendTo(failing("/deepl/v2/example", "job_not_completed"), { headers, body: { q: "x" } });
    expect(info).toHaveBeenLastCalledWith(
      "request.answered",
      expect.objectContaining({ status: 503, client_error: 1, server_error: 0 }),
    );
  });
});
