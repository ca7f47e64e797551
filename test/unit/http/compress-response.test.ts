import { once } from "node:events";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { operations } from "../../../functions/manifest.ts";
import { type EndpointResult, endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { createBufferedHandler, createStreamingHandler } from "../../../shared/http/pipeline.ts";
import { Reply } from "../../../shared/http/response.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { stubStreamingRuntime } from "../../support/lambda-stream.ts";

beforeAll(stubStreamingRuntime);
afterAll(() => vi.unstubAllGlobals());

const bodySchema = z.object({ text: z.string() });
const operation = defineOperation({
  ...exampleOperation,
  method: "GET",
  path: "/example",
  auth: "public",
  limit: "delivery",
  response: { status: 200, description: "It", schema: bodySchema },
});

const long = { text: "Oli otya? ".repeat(200) };

const endpoints = (result: () => EndpointResult<z.input<typeof bodySchema>>, declared = operation) => [
  endpoint(declared, async () => result()),
];

const get = async (
  acceptEncoding: string | undefined,
  {
    method = "GET",
    result = () => long,
    declared = operation,
  }: {
    readonly method?: string;
    readonly result?: () => EndpointResult<z.input<typeof bodySchema>>;
    readonly declared?: typeof operation;
  } = {},
) => {
  const handler = createStreamingHandler(endpoints(result, declared));
  const stream = new PassThrough();
  const metadata = once(stream, "metadata");
  const headers = acceptEncoding === undefined ? {} : { "Accept-Encoding": acceptEncoding };
  const event = lambdaEvent({ method, path: "/example", headers });
  const body = buffer(stream);
  await Reflect.apply(handler, undefined, [event, stream, lambdaContext()]);
  const [{ statusCode, headers: sent }] = await metadata;
  const { "Content-Encoding": coding, Vary: vary } = sent;
  return { status: statusCode, coding, vary, body: await body };
};

const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe("JSON of more than a kilobyte", () => {
  it.each([
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["GZIP", "gzip"],
    ["br;q=0, *", "gzip"],
    ["*", "br"],
    ["identity;q=0.5, gzip", "gzip"],
  ] as const)("leaves packed for a caller who takes %s: %s", async (acceptEncoding, coding) => {
    const { body, ...head } = await get(acceptEncoding);
    expect(head).toEqual({ status: 200, coding, vary: "Accept-Encoding" });
    expect(JSON.parse(unpack[coding](body).toString())).toEqual(long);
    expect(body.length).toBeLessThan(200);
  });

  it.each([
    undefined,
    "",
    "identity",
    "deflate, zstd",
    "br;q=0, gzip;q=0",
    "*;q=0",
    "identity, gzip;q=0.5",
    "br;q=two",
    ";;;,,,",
  ])("leaves as it is for a caller who takes %j", async (acceptEncoding) => {
    const { body, ...head } = await get(acceptEncoding);
    expect(head).toEqual({ status: 200, coding: undefined, vary: "Accept-Encoding" });
    expect(JSON.parse(body.toString())).toEqual(long);
  });

  it("has the same head for HEAD, and no body", async () => {
    const { body, ...head } = await get("br", { method: "HEAD" });
    expect(head).toEqual({ status: 200, coding: "br", vary: "Accept-Encoding" });
    expect(body).toHaveLength(0);
  });

  it("is packed when it is an error, too", async () => {
    const result = () => {
      throw new AppError("bad_request", { message: long.text });
    };
    const { status, coding, body } = await get("gzip", { result });
    expect([status, coding]).toEqual([400, "gzip"]);
    expect(JSON.parse(gunzipSync(body).toString())).toMatchObject({ detail: long.text });
  });

  it("names every header that it depends on", async () => {
    const variesBy = z.object({ "Save-Data": z.string().optional() });
    expect((await get("br", { declared: { ...operation, variesBy } })).vary).toBe(
      "Save-Data, Accept-Encoding",
    );
  });

  it("stays uncompressed for a confidential response: its length would reveal guesses at its content", async () => {
    const { body, ...head } = await get("br", { declared: { ...operation, confidential: true } });
    expect(head).toEqual({ status: 200, coding: undefined, vary: undefined });
    expect(JSON.parse(body.toString())).toEqual(long);
  });

  it("stays uncompressed from a buffered function, which cannot send bytes", async () => {
    const handler = createBufferedHandler(endpoints(() => long));
    const headers = { "Accept-Encoding": "br" };
    const { headers: sent, body } = await handler(
      lambdaEvent({ method: "GET", path: "/example", headers }),
      lambdaContext(),
    );
    expect(sent).not.toHaveProperty("Content-Encoding");
    expect(JSON.parse(body)).toEqual(long);
  });
});

describe("what is never packed", () => {
  it.each([1_024, 1_025])("JSON of up to a kilobyte: %i bytes", async (length) => {
    const text = "a".repeat(length - '{"text":""}'.length);
    const { coding, vary } = await get("br", { result: () => ({ text }) });
    expect([coding, vary]).toEqual(length > 1_024 ? ["br", "Accept-Encoding"] : [undefined, undefined]);
  });

  it.each([
    ["server-sent events", "text/event-stream; charset=utf-8"],
    ["audio", "audio/ogg"],
  ])("%s", async (_case, contentType) => {
    const text = "data: Oli otya?\n\n".repeat(200);
    const result = () =>
      new Reply({
        contentType,
        body: (async function* () {
          yield text;
        })(),
      });
    const { body, ...head } = await get("br", { result });
    expect(head).toEqual({ status: 200, coding: undefined, vary: undefined });
    expect(body.toString()).toBe(text);
  });

  it("any response of accounts and tokens", () => {
    const ofAccounts = operations.filter(({ path }) => path.startsWith("/auth/"));
    expect(ofAccounts.length).toBeGreaterThan(10);
    expect(ofAccounts.filter(({ confidential }) => !confidential).map(({ id }) => id)).toEqual([]);
  });
});
