import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMultipartFraming } from "../../../shared/http/multipart-framing.ts";
import {
  bytes,
  damagedBody,
  form,
  oddlyDescribedForm,
  part,
  post,
  statusWithin,
  watchProcess,
  wellFormed,
} from "./multipart-fixture.ts";

describe("a multipart body", () => {
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
    ["that is empty", Buffer.alloc(0)],
    ["that is something else", Buffer.from("not multipart at all")],
  ])("%s is refused with a message", async (_case, body) => {
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

  it("never crashes the process, with any damage and any headers", async () => {
    const unexpected = watchProcess();
    await fc.assert(
      fc.asyncProperty(damagedBody, async (body) => {
        expect([200, 400, 413, 422]).toContain(
          await statusWithin(5_000, body, "multipart/form-data; boundary=b"),
        );
      }),
      { numRuns: 300 },
    );
    await fc.assert(
      fc.asyncProperty(oddlyDescribedForm, async ([body, contentType]) => {
        expect([200, 422]).toContain(await statusWithin(5_000, body, contentType));
      }),
      { numRuns: 100 },
    );
    expect(unexpected()).toEqual([]);
  });
});

describe("the framing of a multipart body", () => {
  const type = "multipart/form-data; boundary=b";
  const field = (name: string) => part(`Content-Disposition: form-data; name="${name}"`, "x");
  const check = (body: Buffer | string, contentType = type) =>
    checkMultipartFraming(contentType, Buffer.from(body));

  it.each([..."0189azAZ'()+_,-./:=?"])("may have a boundary of %j", (character) => {
    expect(() => check(form(character), `multipart/form-data; boundary="${character}"`)).not.toThrow();
    const boundary = `a${character}b`;
    expect(() => check(form(boundary), `multipart/form-data; boundary="${boundary}"`)).not.toThrow();
  });

  it("may have a boundary with a space inside, and one of 70 characters", () => {
    expect(() => check(form("a b"), 'multipart/form-data; boundary="a b"')).not.toThrow();
    const long = "x".repeat(70);
    expect(() => check(form(long), `multipart/form-data; boundary=${long}`)).not.toThrow();
  });

  it.each([
    ["with a space at its end", "a "],
    ["of 71 characters", "x".repeat(71)],
    ["of nothing", ""],
    ...[..."!#$%&*;<>@[]^`{|}~"].map((character): [string, string] => [`of ${character}`, character]),
  ] satisfies [string, string][])("has no boundary %s", (_case, boundary) => {
    expect(() => check(form(boundary), `multipart/form-data; boundary="${boundary}"`)).toThrow(
      "The content type names no usable boundary.",
    );
  });

  it.each([
    [undefined, "The body must be multipart/form-data."],
    ["text/plain; x=multipart/form-data; boundary=b", "The body must be multipart/form-data."],
    ["multipart/form-datax; boundary=b", "The body must be multipart/form-data."],
    ["multipart/form-data", "The content type names no boundary."],
    ["multipart/form-data; charset=utf-8", "The content type names no boundary."],
    ["multipart/form-data; boundary", "The content type is not well formed."],
    ['multipart/form-data; boundary="b', "The content type is not well formed."],
    ["multipart/form-data; boundary=b; boundary=b", "The content type names no usable boundary."],
  ])("cannot be derived from the content type %j", (contentType, message) => {
    expect(() => checkMultipartFraming(contentType, form("b"))).toThrow(message);
  });

  it.each(["MULTIPART/Form-Data; BOUNDARY=b", " multipart/form-data ; boundary=b;"])(
    "is derived from the content type %j",
    (contentType) => {
      expect(() => check(form("b"), contentType)).not.toThrow();
    },
  );

  it.each([
    ["a line break", "\r\n"],
    ["a preamble", "This is a message in several parts.\r\n"],
    ["another boundary", "--c\r\n"],
    ["a space", " "],
    ["a dash", "-"],
  ])("begins with its boundary, and not with %s", (_case, before) => {
    expect(() => check(Buffer.concat([Buffer.from(before), form("b")]))).toThrow(
      "The body does not start with its boundary.",
    );
  });

  it.each([
    ["--b", "A boundary is not followed by a line break."],
    ["--b\n", "A boundary is not followed by a line break."],
    ["--bc\r\n", "A boundary is not followed by a line break."],
    ["--b\r\n", "The body ends before its closing boundary; was the upload cut off?"],
    [form("b").subarray(0, -6), "The body ends before its closing boundary; was the upload cut off?"],
    ["--b\r\n\r\n--b--", "A part has no complete headers."],
    ["--b\r\nContent-Disposition: form-data; name=a\r\n--b--", "A part has no complete headers."],
    [form("b", [part("Content-Disposition form-data", "x")]), "A part has a malformed header."],
    [
      form("b", [part("Content-Type: text/plain", "x")]),
      "A part has no well-formed Content-Disposition: form-data header.",
    ],
    [
      form("b", [part('Content-Disposition: attachment; name="a"', "x")]),
      "A part has no well-formed Content-Disposition: form-data header.",
    ],
    [form("b", [field("a"), field("a[]")]), "A field is sent both as one value and as a list."],
    [form("b", [field("a[]"), field("a")]), "A field is sent both as one value and as a list."],
  ])("is whole: %j is refused", (body, message) => {
    expect(() => check(body)).toThrow(message);
  });

  it("may leave out the line break at its end, and have an epilogue", () => {
    const whole = form("b");
    expect(() => check(whole.subarray(0, -2))).not.toThrow();
    expect(() => check(Buffer.concat([whole, Buffer.from("anything")]))).not.toThrow();
    expect(() => check("--b--")).not.toThrow();
  });

  it("has at most 32 parts", () => {
    const parts = (count: number) => Array.from({ length: count }, (_, index) => field(`field${index}`));
    expect(() => check(form("b", parts(32)))).not.toThrow();
    expect(() => check(form("b", parts(33)))).toThrow("The body has more than 32 parts.");
  });

  it("has at most 16 headers and 4 kB of them in a part", () => {
    const withHeaders = (lines: readonly string[]) =>
      form("b", [part(['Content-Disposition: form-data; name="a"', ...lines].join("\r\n"), "x")]);
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: y`);
    expect(() => check(withHeaders(lines(15)))).not.toThrow();
    expect(() => check(withHeaders(lines(16)))).toThrow("A part has too many headers.");
    // The line break before the headers counts.
    const rest = 4_096 - 2 - 'Content-Disposition: form-data; name="a"\r\nX: '.length;
    expect(() => check(withHeaders([`X: ${"y".repeat(rest)}`]))).not.toThrow();
    expect(() => check(withHeaders([`X: ${"y".repeat(rest + 1)}`]))).toThrow(
      "A part has no complete headers.",
    );
  });

  it("names each field, with at most 100 characters", () => {
    expect(() => check(form("b", [field("x".repeat(100))]))).not.toThrow();
    for (const name of ["x".repeat(101), "", "[]", "é", "a]b"]) {
      expect(() => check(form("b", [field(name)]))).toThrow("A part has no usable field name.");
    }
  });
});
