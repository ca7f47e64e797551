import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { operations } from "../../../functions/manifest.ts";
import { batchBytes } from "../../../functions/translate/contract-limits.ts";
import { endpoint } from "../../../shared/http/endpoint.ts";
import {
  type BodyEncoding,
  defineOperation,
  longBodyBytes,
  maxBodyBytes,
  type Operation,
} from "../../../shared/http/operation.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { encodeForm, formFile } from "../../support/multipart.ts";
import { send } from "../../support/send.ts";

const declare = <Schema extends z.ZodType>(
  encoding: BodyEncoding,
  schema: Schema,
  more: { readonly maxBytes?: number } = {},
) =>
  defineOperation({
    ...exampleOperation,
    path: "/example",
    auth: "public",
    limit: "delivery",
    body: { encoding, schema, ...more },
  });

const echo = (encoding: BodyEncoding, maxBytes?: number) =>
  endpoint(declare(encoding, z.unknown(), maxBytes === undefined ? {} : { maxBytes }), () => ({}));

const json = { "Content-Type": "application/json" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const jsonOf = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));

const kilobytes = 64 * 1_024;

describe("a body larger than its operation takes", () => {
  it.each([
    ["JSON", "json", json, jsonOf],
    ["a form", "form", form, (bytes: number) => `a=${"x".repeat(bytes - 2)}`],
    ["bytes", "raw", json, (bytes: number) => "x".repeat(bytes)],
    ["letters of several bytes", "raw", json, (bytes: number) => "ŋ".repeat(Math.ceil(bytes / 2))],
  ] as const)("is refused with 413: %s", async (_case, encoding, headers, make) => {
    const ask = (body: string | Buffer) => send([echo(encoding)], { path: "/example", headers, body });
    expect((await ask(make(kilobytes))).status).toBe(200);
    expect((await ask(Buffer.from(make(kilobytes)))).status).toBe(200);
    const refused = {
      status: 413,
      body: { detail: "The request's body is too large: at most 64 kB are accepted here." },
    };
    expect(await ask(make(kilobytes + 1))).toMatchObject(refused);
    expect(await ask(Buffer.from(make(kilobytes + 1)))).toMatchObject(refused);
  });

  it("learns how to send a large file, when it is a form with files", async () => {
    const fields = await encodeForm({ audio: formFile("x".repeat(2_000)) });
    const response = await send([echo("multipart", 2_000)], { path: "/example", ...fields });
    expect(response).toMatchObject({ status: 413, body: { error: { code: "payload_too_large" } } });
    expect(response.body.detail).toContain("POST /tasks/generate-upload-url");
  });

  it("is held to the form's limit when a form comes in the encoding of files", async () => {
    const fields = await encodeForm({ name: "x".repeat(kilobytes) });
    expect((await send([echo("form")], { path: "/example", ...fields })).status).toBe(413);
  });
});

describe("a body packed with gzip", () => {
  const text = jsonOf(1_000);
  const ask = (body: Buffer, encoding: BodyEncoding = "json", coding = "gzip") =>
    send([endpoint(declare(encoding, z.unknown()), ({ body: read }) => ({ read: String(read) }))], {
      path: "/example",
      headers: { ...json, "Content-Encoding": coding },
      body,
    });

  it.each(["gzip", "GZIP", "x-gzip"])("is unpacked: %s", async (coding) => {
    expect(await ask(gzipSync(text), "json", coding)).toMatchObject({
      status: 200,
      body: { read: JSON.parse(text) },
    });
  });

  it("is unpacked when it is a form, of either encoding", async () => {
    const packed = gzipSync("a=b");
    const plain = endpoint(declare("form", z.object({ a: z.string() })), ({ body }) => body);
    const sent = { path: "/example", headers: { ...form, "Content-Encoding": "gzip" }, body: packed };
    expect(await send([plain], sent)).toMatchObject({ status: 200, body: { a: "b" } });
    const files = await encodeForm({ a: "b" });
    const body = gzipSync(files.body);
    const headers = { ...files.headers, "Content-Encoding": "gzip" };
    expect(await send([plain], { path: "/example", headers, body })).toMatchObject({ body: { a: "b" } });
  });

  it("is taken as it is when API Gateway has unpacked it already", async () => {
    expect(await ask(Buffer.from(text))).toMatchObject({ status: 200, body: { read: JSON.parse(text) } });
    expect(await ask(Buffer.from(text), "json", "deflate")).toMatchObject({ status: 200 });
  });

  it("is given up as soon as it is larger than the operation takes", async () => {
    expect((await ask(gzipSync(jsonOf(kilobytes)))).status).toBe(200);
    expect((await ask(gzipSync(jsonOf(kilobytes + 1)))).status).toBe(413);
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(kilobytes);
    expect((await ask(bomb)).status).toBe(413);
  });

  it("is refused when it is cut off", async () => {
    expect(await ask(gzipSync(text).subarray(0, -12))).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["header", "content-encoding"], type: "value_error" }] },
    });
  });

  it("stays as it came where its bytes are what is signed", async () => {
    const packed = gzipSync(text);
    const operation = declare("raw", z.instanceof(Uint8Array));
    const length = endpoint(operation, ({ body }) => ({ length: body.length }));
    const headers = { ...json, "Content-Encoding": "gzip" };
    expect(await send([length], { path: "/example", headers, body: packed })).toMatchObject({
      body: { length: packed.length },
    });
  });
});

describe("JSON sent to where a form is wanted", () => {
  it("gets that error, instead of a list of missing fields", async () => {
    const plain = endpoint(declare("form", z.object({ a: z.string() })), ({ body }) => body);
    expect(await send([plain], { path: "/example", body: { a: "b" } })).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ["body"],
            type: "model_attributes_type",
            msg: expect.stringContaining("send it with Content-Type: application/x-www-form-urlencoded"),
          },
        ],
      },
    });
    expect(await send([plain], { path: "/example" })).toMatchObject({
      body: { detail: [{ loc: ["body", "a"], type: "missing" }] },
    });
  });
});

describe("the operations of the service", () => {
  const bodies = operations.flatMap(({ id, body }: Operation) => (body ? [{ id, body }] : []));

  it("take 64 kB, but for conversations, batches, long texts, files and deliveries", () => {
    const longer = bodies.filter(({ body }) => maxBodyBytes(body) > 65_536);
    expect(Object.fromEntries(longer.map(({ id, body }) => [id, maxBodyBytes(body)]))).toEqual({
      callMcp: 163_840,
      createChatCompletion: longBodyBytes,
      createResponse: longBodyBytes,
      createTranscription: 4_718_592,
      createV1AudioTranslation: 4_718_592,
      createV1ChatCompletion: longBodyBytes,
      createV1Transcription: 4_718_592,
      deeplDocument: 4_718_592,
      deeplTranslate: batchBytes,
      detectSpokenLanguage: 4_718_592,
      legacyChat: longBodyBytes,
      legacyInstruct: longBodyBytes,
      legacySpeechJob: longBodyBytes,
      legacySummarise: longBodyBytes,
      legacyTranscribe: 4_718_592,
      legacyTranscribeForOrganization: 4_718_592,
      legacyVendorSpeech: longBodyBytes,
      legacyVendorSpeechAlternative: longBodyBytes,
      legacyVendorSpeechEvents: longBodyBytes,
      legacyVendorSpeechJob: longBodyBytes,
      legacyVendorSpeechStream: longBodyBytes,
      legacyVendorTranscribe: 4_718_592,
      legacyVoiceBatch: longBodyBytes,
      libreTranslate: batchBytes,
      libreTranslateFile: 4_718_592,
      receiveDelivery: 3_145_728,
      synthesizeSpeechBatch: longBodyBytes,
      translateBatch: batchBytes,
    });
    expect(bodies.length).toBeGreaterThan(20);
  });
});
