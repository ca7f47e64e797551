import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { endpoint } from "../../../shared/http/endpoint.ts";
import { defineOperation } from "../../../shared/http/operation.ts";
import { send } from "../../support/send.ts";

const file = z.object({ filename: z.string(), mimetype: z.string(), content: z.instanceof(Buffer) });
const operation = defineOperation({
  id: "upload",
  method: "POST",
  path: "/upload",
  summary: "Upload",
  tag: "Service",
  auth: "public",
  body: {
    encoding: "multipart",
    schema: z.object({ audio: file, language: z.string(), tags: z.array(z.string()).optional() }),
  },
  response: { status: 200, description: "It", schema: z.looseObject({}) },
  errors: [],
});
const upload = endpoint(operation, ({ body }) => ({
  language: body.language,
  bytes: body.audio.content.toString("base64"),
  filename: body.audio.filename,
}));

const post = (body: Buffer, contentType: string) =>
  send([upload], { path: "/upload", body, headers: { "Content-Type": contentType } });

const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 128, 7]);

const part = (headers: string, content: Buffer | string) =>
  Buffer.concat([Buffer.from(`${headers}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")]);

const form = (boundary: string, parts: readonly Buffer[] = wellFormed): Buffer =>
  Buffer.concat([
    ...parts.flatMap((content) => [Buffer.from(`--${boundary}\r\n`), content]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

const wellFormed = [
  part('Content-Disposition: form-data; name="language"', "lug"),
  part('Content-Disposition: form-data; name="audio"; filename="a b.wav"\r\nContent-Type: audio/wav', bytes),
];

/** The status of the answer, so that a body the parser never finishes fails the test that sent it, by name. */
const statusWithin = async (milliseconds: number, body: Buffer, contentType: string) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, milliseconds, "no answer");
  const answer = await Promise.race([post(body, contentType), promise]);
  clearTimeout(timer);
  return typeof answer === "string" ? answer : answer.status;
};

describe("a multipart body", () => {
  const unexpected: unknown[] = [];
  const note = (error: unknown) => unexpected.push(error);
  beforeAll(() => {
    process.on("uncaughtException", note);
    process.on("unhandledRejection", note);
  });
  afterAll(() => {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  });

  it.each([
    [
      "curl",
      "------------------------d74496d66958873e",
      "multipart/form-data; boundary=------------------------d74496d66958873e",
    ],
    ["Dart", "dart-http-boundary-_+.x", "multipart/form-data; boundary=dart-http-boundary-_+.x"],
    [
      "Java",
      "httpclient_boundary_7f-9",
      "multipart/form-data; boundary=httpclient_boundary_7f-9; charset=UTF-8",
    ],
    [".NET, quoted", "a-b-c", 'multipart/form-data; boundary="a-b-c"'],
    ["JavaMail", "----=_Part_1_123.456", "multipart/form-data; boundary=----=_Part_1_123.456"],
    ["a client that leaves no space", "abc", "multipart/form-data;boundary=abc"],
    ["a client that names the charset first", "abc", "multipart/form-data; charset=utf-8; boundary=abc"],
  ])("is read byte for byte as %s writes it", async (_client, boundary, contentType) => {
    const response = await post(form(boundary), contentType);
    expect(response).toMatchObject({
      status: 200,
      body: { language: "lug", bytes: bytes.toString("base64"), filename: "a b.wav" },
    });
  });

  it.each([
    ["cut off inside a file", form("b").subarray(0, -20)],
    ["without its closing boundary", form("b").subarray(0, -6)],
    [
      "with a field that is both a value and a list",
      form("b", [
        part('Content-Disposition: form-data; name="tags"', "x"),
        part('Content-Disposition: form-data; name="tags[]"', "y"),
      ]),
    ],
    [
      "with a list whose name ends oddly, after a value of that name",
      form("b", [
        part('Content-Disposition: form-data; name="tags"', "x"),
        part('Content-Disposition: form-data; name="tags[x]y]"', "y"),
      ]),
    ],
    [
      "with a part whose name is misspelt",
      form("b", [part('Content-Disposition: form-data; na=e="tags"', "x")]),
    ],
    [
      "with a part that is named twice",
      form("b", [part('Content-Disposition: form-data; name="tags"; name="tags[]"', "x")]),
    ],
    [
      "with a part that is described twice",
      form("b", [
        part(
          'Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="tags[]"',
          "x",
        ),
      ]),
    ],
    [
      "with a name in an extended parameter",
      form("b", [part("Content-Disposition: form-data; name*=utf-8''tags", "x")]),
    ],
    [
      "with a folded header",
      form("b", [part('Content-Disposition: form-data; name="a";\r\n name="tags[]"', "x")]),
    ],
    ["with a part without a name", form("b", [part("Content-Disposition: form-data", "x")])],
    ["with a part without headers", Buffer.from("--b\r\n--b--\r\n")],
    ["that is empty", Buffer.alloc(0)],
    ["that is something else", Buffer.from("not multipart at all")],
  ])("%s is refused with a sentence", async (_case, body) => {
    const response = await post(body, "multipart/form-data; boundary=b");
    expect(response.status).toBe(422);
    expect(response.body.detail[0]).toMatchObject({ loc: ["body"], type: "value_error" });
  });

  it("may have more files than the operation reads, each longer than a stream's buffer", async () => {
    const files = Array.from({ length: 8 }, (_, index) =>
      part(`Content-Disposition: form-data; name="other${index}"; filename="x"`, Buffer.alloc(100_000, "x")),
    );
    const body = form("b", [...wellFormed, ...files]);
    expect(await statusWithin(5_000, body, "multipart/form-data; boundary=b")).toBe(200);
  });

  it("keeps a long value whole", async () => {
    const language = "x".repeat(200_000);
    const body = form("b", [
      part('Content-Disposition: form-data; name="language"', language),
      ...wellFormed.slice(1),
    ]);
    const response = await post(body, "multipart/form-data; boundary=b");
    expect(response.body.language).toBe(language);
  });

  it.each(["application/json", "multipart/form-data", "multipart/mixed; boundary=b", ""])(
    "sent as %j is refused",
    async (contentType) => {
      expect(await post(form("b"), contentType)).toMatchObject({ status: 422 });
    },
  );

  it("never takes the process down, whatever 20,000 damaged bodies look like", async () => {
    const original = form("b", [
      ...wellFormed,
      part('Content-Disposition: form-data; name="tags[]"', "x"),
      part('Content-Disposition: form-data; name="tags"; filename="t"', "y"),
    ]);
    const fragments = [
      "--b",
      "--b--",
      "\r\n",
      "\r\n\r\n",
      'name="tags"',
      'name="tags[]"',
      'name="audio"; filename="f"',
      "Content-Disposition: form-data; ",
    ];
    const damage = fc.oneof(
      fc.record({ kind: fc.constant("cut" as const), at: fc.nat(original.length) }),
      fc.record({ kind: fc.constant("flip" as const), at: fc.nat(original.length - 1), value: fc.nat(255) }),
      fc.record({
        kind: fc.constant("insert" as const),
        at: fc.nat(original.length),
        text: fc.constantFrom(...fragments),
      }),
      fc.record({ kind: fc.constant("remove" as const), at: fc.nat(original.length), length: fc.nat(40) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        let body = original;
        for (const change of damages) {
          if (change.kind === "cut") body = body.subarray(0, change.at);
          else if (change.kind === "flip" && change.at < body.length) {
            body = Buffer.from(body);
            body[change.at] = change.value;
          } else if (change.kind === "insert") {
            body = Buffer.concat([
              body.subarray(0, change.at),
              Buffer.from(change.text),
              body.subarray(change.at),
            ]);
          } else if (change.kind === "remove") {
            body = Buffer.concat([body.subarray(0, change.at), body.subarray(change.at + change.length)]);
          }
        }
        expect([200, 413, 422]).toContain(await statusWithin(5_000, body, "multipart/form-data; boundary=b"));
      }),
      { numRuns: 20_000 },
    );
    expect(unexpected).toEqual([]);
  }, 180_000);

  it("never takes the process down, whatever its headers say about its parts", async () => {
    const name = fc.constantFrom("a", "a[]", '"a"', '"a[]"', '"a[x]y]"', '"a b"', "__proto__", '"é"', '""');
    const parameter = fc.oneof(
      name.map((value) => `name=${value}`),
      name.map((value) => `name=${value}`),
      fc.constantFrom(
        'NAME="b"',
        "name*=utf-8''b",
        'filename="x.wav"',
        'filename="C:\\\\x.wav"',
        "filename*=UTF-8''%e2%82",
        "filename*=zz''%41",
        'x="name=q"',
      ),
    );
    const otherHeader = fc.constantFrom(
      "",
      "Content-Type: text/plain; charset=zzz\r\n",
      "Content-Type:\r\n",
      "Content-Type: application/octet-stream\r\n",
      "Content-Disposition: form-data; name=z\r\n",
      " folded: yes\r\n",
    );
    const formPart = fc
      .tuple(
        otherHeader,
        fc.array(parameter, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("; ", ";", " ; ", ";\t"),
        fc.constantFrom("", "x", "\r\n", "--", "\r\n--", "x".repeat(70_000)),
      )
      .map(([header, parameters, separator, content]) =>
        part(`${header}Content-Disposition: form-data${separator}${parameters.join(separator)}`, content),
      );
    const contentType = fc.constantFrom(
      "multipart/form-data; boundary=b",
      'multipart/form-data; boundary="b"; charset=zzz',
      "multipart/form-data; boundary=b; boundary=c",
      "multipart/form-data; boundary*=utf-8''c; boundary=b",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(formPart, { maxLength: 6 }), contentType, async (parts, type) => {
        expect([200, 422]).toContain(await statusWithin(5_000, form("b", parts), type));
      }),
      { numRuns: 3_000 },
    );
    expect(unexpected).toEqual([]);
  }, 180_000);
});
