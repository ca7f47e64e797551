import { parse as parseQuery } from "node:querystring";
import { promisify } from "node:util";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import * as z from "zod";
import { AppError, invalidField } from "../platform/errors/app-error.ts";
import { charsetOf, checkDecoded, decodeText } from "./decode-text.ts";
import { type BodyEncoding, maxBodyBytes, type Operation } from "./operation.ts";
import { mayHoldForbiddenKey, parseJsonBody } from "./parse-json.ts";
import type { HttpEvent, HttpMiddleware, HttpRequest } from "./request.ts";

type Body = NonNullable<Operation["body"]>;

/** The error for a body larger than its operation accepts. For forms with files it explains how to send larger ones. */
const tooLarge = (body: Body): AppError => {
  if (body.encoding === "multipart") return new AppError("payload_too_large");
  const kilobytes = Math.floor(maxBodyBytes(body) / 1_024);
  return new AppError("payload_too_large", {
    message: `The request's body is too large: at most ${kilobytes} kB are accepted here.`,
  });
};

const sizeOf = (body: string, isBase64Encoded: boolean): number =>
  isBase64Encoded ? Buffer.byteLength(body, "base64") : Buffer.byteLength(body);

const badCoding = (problem: string) => invalidField(["header", "content-encoding"], problem);

/** Decompresses a body, and stops as soon as it is larger than the operation accepts. Loads zlib on first use. */
const unpack = async (packed: Buffer, declared: Body): Promise<Buffer> => {
  const { gunzip } = await import("node:zlib");
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: maxBodyBytes(declared) });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(declared);
    throw badCoding("the body cannot be unpacked with gzip");
  }
};

/** gzip begins with these two bytes. */
const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * The bytes of a request's body, decompressed if needed. API Gateway decompresses automatically and may leave the
 * header unchanged; function URLs pass on what was sent. Raw bodies stay unchanged, because their bytes are signed.
 *
 * @throws AppError `payload_too_large` beyond the operation's maximum, before anything is decoded; ValidationError
 * for an unknown content encoding.
 */
const readBody = async (
  { body, isBase64Encoded, headers, entryPoint }: HttpEvent,
  declared: Body,
): Promise<Buffer> => {
  if (!body) return Buffer.alloc(0);
  if (sizeOf(body, isBase64Encoded) > maxBodyBytes(declared)) throw tooLarge(declared);
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  const coding = headers["content-encoding"]?.trim().toLowerCase() || "identity";
  if (!isBase64Encoded && coding === "identity") {
    checkDecoded(
      body,
      headers["content-length"] === undefined ? undefined : Number(headers["content-length"]),
    );
  }
  if (coding === "identity" || declared.encoding === "raw") return bytes;
  if (coding === "gzip" || coding === "x-gzip") return isPacked(bytes) ? unpack(bytes, declared) : bytes;
  if (entryPoint === "rest-api") return bytes;
  throw badCoding("the body may be packed with gzip and nothing else");
};

/** A parser of bodies: the bytes, and the request that they came with. */
type Parser = (bytes: Buffer, request: HttpRequest) => unknown;

/** A request for middy's parsers, which read three fields of it: an ALB's event is the shortest that their types know. */
const parserRequest = (request: HttpRequest, body: string, isBase64Encoded: boolean) => {
  const { headers, httpMethod, resource: path } = request.event;
  const requestContext = { elb: { targetGroupArn: "" } };
  return { ...request, event: { requestContext, httpMethod, path, headers, body, isBase64Encoded } };
};

const contentTypeOf = ({ event }: HttpRequest): string => event.headers["content-type"] ?? "";

const protectingParser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Middy's parser calls a function for every value, so it only sees texts that may hold a key it protects from. */
const refuseForbiddenKeys = async (text: string, request: HttpRequest): Promise<void> => {
  try {
    await protectingParser.before?.(parserRequest(request, text, false));
  } catch {
    throw invalidField(["body"], "a key is not allowed");
  }
};

const readJson: Parser = async (bytes, request) => {
  if (bytes.length === 0) return undefined;
  if (!/^application\/([a-z0-9.+-]+\+)?json(;|$)/i.test(contentTypeOf(request))) {
    throw invalidField(
      ["body"],
      "Input should be a valid dictionary or object to extract fields from (send it with Content-Type: application/json)",
      { type: "model_attributes_type" },
    );
  }
  const text = decodeText(bytes, charsetOf(contentTypeOf(request)));
  const document = parseJsonBody(text);
  if (mayHoldForbiddenKey(text)) await refuseForbiddenKeys(text, request);
  return document;
};

const loadMultipart = () => import("./multipart-parser.ts");

const withoutByteOrderMarks = (fields: unknown): unknown =>
  typeof fields === "object" && fields !== null
    ? Object.fromEntries(
        Object.entries(fields).map(([name, value]: [string, unknown]) => [
          name,
          typeof value === "string" ? value.replace(/^\ufeff/, "") : value,
        ]),
      )
    : fields;

const readMultipart = async (bytes: Buffer, request: HttpRequest): Promise<unknown> => {
  const { parseMultipart } = await loadMultipart();
  // The package accepts no bytes, and replaces the body's text by its result.
  const parsed = parserRequest(request, bytes.toString("base64"), true);
  const problem = await parseMultipart(bytes, request.event.headers["content-type"], parsed);
  if (problem !== undefined) throw invalidField(["body"], problem);
  return withoutByteOrderMarks(parsed.event.body);
};

/** @param piece one character for each byte. */
const unescapeBytes = (piece: string): Buffer =>
  Buffer.from(
    piece.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    ),
    "latin1",
  );

/** Decodes the fields of a form. The parser ignores what its decoder throws. @throws AppError `bad_request` */
const parseFields = (bytes: Buffer, charset?: string): ReturnType<typeof parseQuery> => {
  let failure: unknown;
  const decode = (piece: string): string => {
    try {
      return decodeText(unescapeBytes(piece), charset);
    } catch (error) {
      failure ??= error;
      return "";
    }
  };
  const fields = parseQuery(bytes.toString("latin1"), "&", "=", { decodeURIComponent: decode });
  if (failure !== undefined) throw failure;
  return fields;
};

/** Fields of a form. Clients in PHP and Ruby mark lists by brackets, which forms with files read in the same way. */
const readUrlEncoded = (bytes: Buffer, charset: string | undefined): Record<string, unknown> => {
  const fields: Record<string, unknown> = parseFields(bytes, charset);
  for (const [marked, value] of Object.entries(fields)) {
    const name = marked.replace(/\[\]$/, "");
    if (name in fields) continue;
    fields[name] = [value].flat();
    delete fields[marked];
  }
  return fields;
};

/** Forms of either encoding, as browsers send them: a form without files may still be written as multipart. */
const readForm: Parser = (bytes, request) => {
  const contentType = contentTypeOf(request);
  if (/^multipart\/form-data\b/i.test(contentType)) return readMultipart(bytes, request);
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return readUrlEncoded(bytes, charsetOf(contentType));
  // Without a body the caller learns which fields are missing. Callers who send another type, mostly JSON, believe
  // that they sent them.
  if (bytes.length === 0) return {};
  throw invalidField(
    ["body"],
    "Input should be a form, not JSON or another format (send it with Content-Type: application/x-www-form-urlencoded)",
    { type: "model_attributes_type" },
  );
};

const isForm = (contentType: string): boolean =>
  /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(contentType);

const parsers: Readonly<Record<BodyEncoding, Parser>> = {
  json: readJson,
  form: readForm,
  "json-or-form": (bytes, request) =>
    isForm(contentTypeOf(request)) ? readForm(bytes, request) : readJson(bytes, request),
  multipart: readMultipart,
  raw: (bytes) => bytes,
};

/**
 * Returns the body as the matched operation declares it. Reads it once.
 *
 * @throws AppError `payload_too_large`, or ValidationError in Pydantic's words.
 */
export const readRequestBody = async (request: HttpRequest): Promise<unknown> => {
  const { event } = request;
  const body = event.endpoint?.operation.body;
  if (body && event.parsedBody === undefined) {
    event.parsedBody = await parsers[body.encoding](await readBody(event, body), request);
  }
  return event.parsedBody;
};

const formOfGet: Body = { encoding: "form", schema: z.unknown() };

/** Returns the fields of a form that came with GET; none for other bodies. @throws AppError `payload_too_large`. */
export const readFormOfGet = async (request: HttpRequest): Promise<Record<string, string>> => {
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentTypeOf(request))) return {};
  const fields = parseFields(await readBody(request.event, formOfGet), charsetOf(contentTypeOf(request)));
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
};

/** Reads the body of each request. @throws as {@link readRequestBody}. */
export const parseBody = (operations: readonly Operation[]): HttpMiddleware => {
  // A function whose requests are forms loads their parser while it starts, with a whole CPU. The request reports a failure.
  if (operations.some(({ body }) => body?.encoding === "multipart")) loadMultipart().catch(() => undefined);
  return {
    before: async (request) => {
      await readRequestBody(request);
    },
  };
};
