import { describe, expect, it } from "vitest";
import * as z from "zod";
import { operations } from "../../../functions/manifest.ts";
import { endpoint } from "../../../shared/http/endpoint.ts";
import {
  type BodyEncoding,
  defineOperation,
  longBodyBytes,
  maximumBodyBytes,
  type Operation,
} from "../../../shared/http/operation.ts";
import { encodeForm, formFile } from "../../support/multipart.ts";
import { send } from "../../support/send.ts";

const echo = (encoding: BodyEncoding, maximumBytes?: number) =>
  endpoint(
    defineOperation({
      id: "example",
      method: "POST",
      path: "/example",
      summary: "Example",
      tag: "Service",
      auth: "public",
      limit: "none",
      body: { encoding, schema: z.unknown(), ...(maximumBytes === undefined ? {} : { maximumBytes }) },
      response: { status: 200, description: "It", schema: z.unknown() },
      errors: [],
    }),
    () => ({}),
  );

const json = { "Content-Type": "application/json" };
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const jsonOf = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));

describe("a body larger than its operation takes", () => {
  const kilobytes = 64 * 1_024;
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
      body: { detail: "The request's body is too large: at most 64 kB are taken here." },
    };
    expect(await ask(make(kilobytes + 1))).toMatchObject(refused);
    expect(await ask(Buffer.from(make(kilobytes + 1)))).toMatchObject(refused);
  });

  it("is told how to send a large file, when it is a form with files", async () => {
    const fields = await encodeForm({ audio: formFile("x".repeat(2_000)) });
    const answer = await send([echo("multipart", 2_000)], { path: "/example", ...fields });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "payload_too_large" } } });
    expect(answer.body.detail).toContain("POST /tasks/generate-upload-url");
  });

  it("is held to the form's limit when a form comes in the encoding of files", async () => {
    const fields = await encodeForm({ name: "x".repeat(kilobytes) });
    expect((await send([echo("form")], { path: "/example", ...fields })).status).toBe(413);
  });
});

describe("the operations of the service", () => {
  const bodies = operations.flatMap(({ id, body }: Operation) => (body ? [{ id, body }] : []));

  it("take 64 kB, but for conversations, batches, long texts, files and deliveries", () => {
    const longer = bodies.filter(({ body }) => maximumBodyBytes(body) > 65_536);
    expect(Object.fromEntries(longer.map(({ id, body }) => [id, maximumBodyBytes(body)]))).toEqual({
      createChatCompletion: longBodyBytes,
      createTranscription: 4_718_592,
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
      receiveDelivery: 3_145_728,
      synthesizeSpeechBatch: longBodyBytes,
    });
    expect(bodies.length).toBeGreaterThan(20);
  });
});
