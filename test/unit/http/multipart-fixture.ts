import fc from "fast-check";
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

export const post = (body: Buffer, contentType: string) =>
  send([upload], { path: "/upload", body, headers: { "Content-Type": contentType } });

export const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 128, 7]);

export const part = (headers: string, content: Buffer | string) =>
  Buffer.concat([Buffer.from(`${headers}\r\n\r\n`), Buffer.from(content), Buffer.from("\r\n")]);

export const form = (boundary: string, parts: readonly Buffer[] = wellFormed): Buffer =>
  Buffer.concat([
    ...parts.flatMap((content) => [Buffer.from(`--${boundary}\r\n`), content]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

export const wellFormed = [
  part('Content-Disposition: form-data; name="language"', "lug"),
  part('Content-Disposition: form-data; name="audio"; filename="a b.wav"\r\nContent-Type: audio/wav', bytes),
];

/** The status of the response, so that a body the parser never finishes fails the test that sent it, by name. */
export const statusWithin = async (milliseconds: number, body: Buffer, contentType: string) => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, milliseconds, "no answer");
  const response = await Promise.race([post(body, contentType), promise]);
  clearTimeout(timer);
  return typeof response === "string" ? response : response.status;
};

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

type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never;

const damaged = (damages: readonly Damage[]): Buffer => {
  let body = original;
  for (const change of damages) {
    if (change.kind === "cut") body = body.subarray(0, change.at);
    else if (change.kind === "flip" && change.at < body.length) {
      body = Buffer.from(body);
      body[change.at] = change.value;
    } else if (change.kind === "insert") {
      body = Buffer.concat([body.subarray(0, change.at), Buffer.from(change.text), body.subarray(change.at)]);
    } else if (change.kind === "remove") {
      body = Buffer.concat([body.subarray(0, change.at), body.subarray(change.at + change.length)]);
    }
  }
  return body;
};

/** Whole bodies with damage in one to four positions. */
export const damagedBody = fc.array(damage, { minLength: 1, maxLength: 4 }).map(damaged);

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
const oddContentType = fc.constantFrom(
  "multipart/form-data; boundary=b",
  'multipart/form-data; boundary="b"; charset=zzz',
  "multipart/form-data; boundary=b; boundary=c",
  "multipart/form-data; boundary*=utf-8''c; boundary=b",
);

/** Well framed forms whose headers say odd things about the parts, with their content types. */
export const oddlyDescribedForm = fc.tuple(
  fc.array(formPart, { maxLength: 6 }).map((parts) => form("b", parts)),
  oddContentType,
);

/** An error that was thrown where nothing could catch it, until the test reads it. */
export const watchProcess = () => {
  const unexpected: unknown[] = [];
  const note = (error: unknown) => unexpected.push(error);
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  return () => {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
    return unexpected;
  };
};
