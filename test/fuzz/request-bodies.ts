import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { BodyEncoding } from "../../shared/http/operation.ts";

/** A body as it goes over the wire. */
export interface WireBody {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  /** `gzip` when that is what its bytes are, or are said to be. */
  readonly contentEncoding?: "gzip";
}

const boundary = "----fuzz7MA4YWxkTrZu0gW";

const membersOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [["value", value]];

const asText = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();

const inHeader = (name: string): string => name.replaceAll(/["\r\n]/g, "_");

const encodeMultipart = async (value: unknown): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  for (const [name, member] of membersOf(value)) {
    const isFile = member instanceof File;
    const file = isFile ? `; filename="${inHeader(member.name)}"\r\nContent-Type: audio/wav` : "";
    pieces.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${inHeader(name)}"${file}\r\n\r\n`),
      isFile ? Buffer.from(await member.arrayBuffer()) : Buffer.from(asText(member)),
      Buffer.from("\r\n"),
    );
  }
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
};

const encodeForm = (value: unknown): Buffer => {
  const form = new URLSearchParams();
  for (const [name, member] of membersOf(value)) form.append(name.toWellFormed(), asText(member));
  return Buffer.from(form.toString());
};

/** A value as the encoding of an operation writes it. */
export const encodeBody = async (encoding: BodyEncoding, value: unknown): Promise<WireBody> => {
  switch (encoding) {
    case "form":
      return { contentType: "application/x-www-form-urlencoded", bytes: encodeForm(value) };
    case "multipart":
      return {
        contentType: `multipart/form-data; boundary=${boundary}`,
        bytes: await encodeMultipart(value),
      };
    default:
      return { contentType: "application/json", bytes: Buffer.from(JSON.stringify(value) ?? "") };
  }
};

/** How a body that was right is broken on its way. */
export type Damage = (body: WireBody) => WireBody;

const otherType =
  (contentType: string | undefined): Damage =>
  ({ bytes }) => ({ contentType, bytes });
const otherBytes =
  (change: (bytes: Buffer) => Buffer): Damage =>
  ({ contentType, bytes }) => ({ contentType, bytes: change(bytes) });
const text = (change: (text: string) => string): Damage =>
  otherBytes((bytes) => Buffer.from(change(bytes.toString("utf8"))));

const otherCoding =
  (change: (bytes: Buffer) => Buffer): Damage =>
  ({ contentType, bytes }) => ({ contentType, bytes: change(bytes), contentEncoding: "gzip" });

/** Bodies that cost their reader more than their sender; some are larger than any operation accepts. */
export const hostileBodies = {
  "an unclosed list": () => `[${"1,".repeat(30_000)}`,
  "a long unclosed list": () => `[${"1,".repeat(500_000)}`,
  "an unclosed object": () => '{"a":'.repeat(12_000),
  "a long unclosed object": () => '{"a":'.repeat(200_000),
  "opening brackets": () => "[".repeat(50_000),
  "deep nesting": () => `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
} as const satisfies Readonly<Record<string, () => string>>;

const muchPacked = gzipSync(Buffer.alloc(8 * 1024 * 1024, " "));

const packed = {
  "a packed body": otherCoding((bytes) => gzipSync(bytes)),
  "little that unpacks to much": otherCoding(() => muchPacked),
  "a packed body that is cut off": otherCoding((bytes) => gzipSync(bytes).subarray(0, -6)),
} as const satisfies Readonly<Record<string, Damage>>;

const damages = fc.oneof(
  fc
    .constantFrom(
      undefined,
      "",
      "text/plain",
      "application/xml",
      "application/json; charset=utf-16",
      "application/vnd.api+json",
      "multipart/form-data",
      "multipart/form-data; boundary=",
      'multipart/form-data; boundary="a b"',
      "multipart/mixed; boundary=x",
      "application/x-www-form-urlencoded; charset=latin1",
      "APPLICATION/JSON",
    )
    .map(otherType),
  fc
    .double({ min: 0, max: 1, noNaN: true })
    .map((part) => otherBytes((bytes) => bytes.subarray(0, Math.floor(bytes.length * part)))),
  fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([offset, byte]) =>
    otherBytes((bytes) => {
      const changed = Buffer.from(bytes);
      if (changed.length > 0) changed[offset % changed.length] = byte;
      return changed;
    }),
  ),
  fc.constantFrom(
    text((json) => `${json}${json}`),
    text((json) => `\ufeff${json}`),
    text((json) => json.replace("{", '{"text":1,"text":2,"__proto__":{"a":1},')),
    text((json) => json.replace(/:[^,}]+/, ":1e400")),
    text((json) => json.replaceAll('"', "'")),
    text(() => `{"text":"\\ud800","items":[{}],"messages":[{}]}`),
    text((body) => body.replaceAll("\r\n", "\n")),
    text((body) => body.replace("; name=", "; x=")),
    text((body) => `${body}&a[b]=1&a=2&__proto__[c]=3&%=%zz&username=%ff`),
    otherBytes((bytes) => Buffer.from(bytes.toString("utf8"), "utf16le")),
    otherBytes((bytes) => Buffer.concat([bytes, Buffer.from([0xff, 0xfe, 0x80])])),
  ),
  fc.constantFrom(...Object.values(hostileBodies)).map((write) => text(write)),
  fc.constantFrom(...Object.values(packed)),
  fc.uint8Array({ maxLength: 2_000 }).map((bytes) => otherBytes(() => Buffer.from(bytes))),
);

/** One way to break a body. */
export const damage: fc.Arbitrary<Damage> = damages;
