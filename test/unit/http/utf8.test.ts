import { describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { type BodyEncoding, defineOperation } from "../../../shared/http/operation.ts";
import { exampleOperation } from "../../support/example-operation.ts";
import { send } from "../../support/send.ts";
import { form, part } from "./multipart-fixture.ts";

const echo = (encoding: BodyEncoding) =>
  endpoint(
    defineOperation({
      ...exampleOperation,
      path: "/echo",
      auth: "public",
      limit: "delivery",
      body: { encoding, schema: z.looseObject({ text: z.string() }) },
      response: { status: 200, description: "It", schema: z.looseObject({}) },
    }),
    ({ body }) => ({ text: body.text }),
  );

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const textPart = (text: string, type = ""): Buffer =>
  form("b", [part(`Content-Disposition: form-data; name="text"${type}`, latin1(text))]);

const json = '{"text":"café"}';
const [jsonType, formType, multipartType] = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=b",
];

const ask = (encoding: BodyEncoding, contentType: string, body: Buffer | string, headers = {}) =>
  send([echo(encoding)], { path: "/echo", body, headers: { "Content-Type": contentType, ...headers } });

describe("a body that is not UTF-8", () => {
  it.each<[string, BodyEncoding, string, Buffer]>([
    ["JSON", "json", jsonType, latin1(json)],
    ["JSON that says it is UTF-8", "json", `${jsonType}; charset=utf-8`, latin1(json)],
    [
      "JSON behind U+FFFD",
      "json",
      jsonType,
      Buffer.concat([Buffer.from('{"a":"\ufffd","text":"'), latin1('é"}')]),
    ],
    ["JSON that ends within a character", "json", jsonType, Buffer.from(json).subarray(0, -3)],
    ["a form", "form", formType, latin1("text=caf%E9")],
    ["a form with plain bytes", "form", formType, latin1("text=café")],
    ["the name of a form's field", "form", formType, latin1("text=a&caf%E9=1")],
    ["a multipart field", "multipart", multipartType, textPart("café")],
    ["a form in multipart", "form", multipartType, textPart("café")],
    [
      "a charset that it is not in",
      "json",
      `${jsonType}; charset=shift_jis`,
      Buffer.from('{"text":"\xff"}', "latin1"),
    ],
    ["a charset that no one knows", "json", `${jsonType}; charset=klingon`, Buffer.from(json)],
    [
      "a part in such a charset",
      "multipart",
      multipartType,
      textPart("a", "\r\nContent-Type: text/plain; charset=klingon"),
    ],
  ])("is refused: %s", async (_, encoding, contentType, body) => {
    const response = await ask(encoding, contentType, body);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(423);
    expect(JSON.stringify(response.body)).toContain("UTF-8");
  });

  it.each([
    ["JSON", "json", jsonType, latin1(json), 12, "0xE9"],
    ["a multipart field", "multipart", multipartType, textPart("café"), 3, "0xE9"],
    ["a form", "form", formType, latin1("text=caf%E9"), 3, "0xE9"],
    [
      "JSON behind characters of several bytes",
      "json",
      jsonType,
      Buffer.from([...Buffer.from('{"text":"é\ufffd'), 0xff]),
      14,
      "0xFF",
    ],
  ] as const)(
    "is refused with its first wrong byte: %s",
    async (_, encoding, contentType, body, position, byte) => {
      expect(await ask(encoding, contentType, body)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining(`the byte at position ${position} (${byte}) is wrong`) },
      });
    },
  );

  it("is refused where the entry point has decoded it", async () => {
    const text = latin1(json).toString();
    const refused = { status: 400, body: { detail: expect.stringContaining("position 12 is wrong") } };
    expect(await ask("json", jsonType, text)).toMatchObject(refused);
    expect(await ask("json", jsonType, text, { "Content-Length": "15" })).toMatchObject(refused);
  });
});

describe("a text", () => {
  it.each<[string, BodyEncoding, string, Buffer]>([
    ["JSON", "json", jsonType, Buffer.from(json)],
    ["JSON behind a byte order mark", "json", jsonType, Buffer.from(`\ufeff${json}`)],
    ["JSON in Latin-1 that says so", "json", `${jsonType}; charset=iso-8859-1`, latin1(json)],
    [
      "JSON in UTF-16 that says so",
      "json",
      `${jsonType}; charset="utf-16"`,
      Buffer.from(`\ufeff${json}`, "utf16le"),
    ],
    ["a form", "form", formType, Buffer.from("text=caf%C3%A9")],
    ["a form with plain bytes", "form", formType, Buffer.from("text=café")],
    ["a form behind a byte order mark", "form", formType, Buffer.from("text=%EF%BB%BFcafé")],
    ["a form in Latin-1 that says so", "form", `${formType}; charset=windows-1252`, latin1("text=caf%E9")],
    [
      "a multipart field behind a byte order mark",
      "multipart",
      multipartType,
      textPart(Buffer.from("\ufeffcafé").toString("latin1")),
    ],
    [
      "a multipart field in Latin-1 that says so",
      "multipart",
      multipartType,
      textPart("café", "\r\nContent-Type: text/plain; charset=ISO-8859-1"),
    ],
  ])("is read as it was meant: %s", async (_, encoding, contentType, body) => {
    expect(await ask(encoding, contentType, body)).toMatchObject({ status: 200, body: { text: "café" } });
  });

  it("may have U+FFFD where the length that was sent shows that it was", async () => {
    const text = '{"text":"\ufffd"}';
    const headers = { "Content-Length": String(Buffer.byteLength(text)) };
    expect(await ask("json", jsonType, text, headers)).toMatchObject({ status: 200 });
    expect(await ask("json", jsonType, Buffer.from(text))).toMatchObject({ status: 200 });
  });
});
