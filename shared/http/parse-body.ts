import { parse as parseQuery } from "node:querystring";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import { ValidationError } from "../errors/app-error.ts";
import { checkMultipartFraming, FramingError, maximumParts } from "./multipart-framing.ts";
import type { BodyEncoding } from "./operation.ts";
import { mayHoldForbiddenKey, parseJson } from "./parse-json.ts";
import { readBody } from "./read-body.ts";
import type { HttpMiddleware, HttpRequest } from "./request.ts";

/** Loaded with the first form that may have files: most functions never see one. */
const loadMultipart = async () => {
  const { default: httpMultipartBodyParser } = await import("@middy/http-multipart-body-parser");
  return httpMultipartBodyParser({
    // The package's own pattern refuses legal boundaries (quotes, `_`, `+`, `.`), as Dart and Java clients send them;
    // the framing check has read the content type before.
    disableContentTypeCheck: true,
    // The limits are the framing check's too. Beyond the parser's own ones a long value would be cut off without a
    // word, and a skipped part that is longer than its buffer would keep the request waiting for ever.
    busboy: { limits: { parts: maximumParts, fieldSize: Number.MAX_SAFE_INTEGER } },
  });
};

let multipart: ReturnType<typeof loadMultipart> | undefined;

const invalidBody = (type: string, msg: string) => new ValidationError([{ loc: ["body"], msg, type }]);

/** Errors of the parser package carry a status. */
const statusOf = (thrown: unknown): unknown =>
  typeof thrown === "object" && thrown !== null && "statusCode" in thrown ? thrown.statusCode : undefined;

/** A parser of bodies: the bytes, and the request that they came with. */
type Parser = (bytes: Buffer, request: HttpRequest) => unknown;

const contentTypeOf = ({ event }: HttpRequest): string => event.headers["content-type"] ?? "";

const protectingParser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Middy's parser calls a function for every value, so it only sees texts that may hold a key it protects from. */
const refuseForbiddenKeys = async (text: string, request: HttpRequest): Promise<void> => {
  const event = { ...request.event, body: text, isBase64Encoded: false };
  try {
    await protectingParser.before?.({ ...request, event });
  } catch {
    throw invalidBody("value_error", "Value error, a key is not allowed");
  }
};

const readJson: Parser = async (bytes, request) => {
  if (bytes.length === 0) return undefined;
  if (!/^application\/([a-z0-9.+-]+\+)?json(;|$)/i.test(contentTypeOf(request))) {
    throw invalidBody(
      "model_attributes_type",
      "Input should be a valid dictionary or object to extract fields from (send it with Content-Type: application/json)",
    );
  }
  const text = bytes.toString();
  const document = parseJson(text);
  if (mayHoldForbiddenKey(text)) await refuseForbiddenKeys(text, request);
  return document;
};

const readMultipart = async (bytes: Buffer, request: HttpRequest): Promise<unknown> => {
  try {
    checkMultipartFraming(request.event.headers["content-type"], bytes);
    multipart ??= loadMultipart();
    const { before } = await multipart;
    // The package puts what it has read in the place of the body's text, so it works on a copy of the event; and it
    // takes no bytes.
    const event = { ...request.event, body: bytes.toString("base64"), isBase64Encoded: true };
    await before?.({ ...request, event });
    return event.body;
  } catch (thrown) {
    if (thrown instanceof FramingError) throw invalidBody("value_error", `Value error, ${thrown.message}`);
    if (statusOf(thrown) === undefined) throw thrown;
    throw invalidBody("value_error", "Value error, the multipart body cannot be read");
  }
};

/** Forms of either encoding, as browsers send them: a form without files may still be written as multipart. */
const readForm: Parser = (bytes, request) => {
  const contentType = contentTypeOf(request);
  if (/^multipart\/form-data\b/i.test(contentType)) return readMultipart(bytes, request);
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return parseQuery(bytes.toString());
  // Without a body the caller learns which fields are missing. Whoever sends something else, JSON above all, believes to
  // have sent them.
  if (bytes.length === 0) return {};
  throw invalidBody(
    "model_attributes_type",
    "Input should be a form, not JSON or another format (send it with Content-Type: application/x-www-form-urlencoded)",
  );
};

const parsers: Readonly<Record<BodyEncoding, Parser>> = {
  json: readJson,
  form: readForm,
  multipart: readMultipart,
  raw: (bytes) => bytes,
};

/**
 * Reads the body as the matched operation declares it.
 *
 * @throws AppError `payload_too_large`, or ValidationError in Pydantic's words.
 */
export const parseBody = (): HttpMiddleware => ({
  before: async (request) => {
    const { event } = request;
    const body = event.endpoint?.operation.body;
    if (body) event.parsedBody = await parsers[body.encoding](await readBody(event, body), request);
  },
});
