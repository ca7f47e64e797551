import httpJsonBodyParser from "@middy/http-json-body-parser";
import { ValidationError } from "../errors/app-error.ts";
import { checkMultipartFraming, FramingError, maximumParts } from "./multipart-framing.ts";
import type { BodyEncoding } from "./operation.ts";
import type { HttpEvent, HttpMiddleware, HttpRequest } from "./request.ts";

const json = httpJsonBodyParser();

/** Loaded with the first form: most functions never see one, and a parser of forms takes a tenth of their start. */
const loadForm = async () => {
  const { default: httpUrlencodeBodyParser } = await import("@middy/http-urlencode-body-parser");
  return httpUrlencodeBodyParser({ disableContentTypeCheck: true });
};

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

let form: ReturnType<typeof loadForm> | undefined;
let multipart: ReturnType<typeof loadMultipart> | undefined;

const invalidBody = (type: string, msg: string, place: readonly (string | number)[] = ["body"]) =>
  new ValidationError([{ loc: place, msg, type }]);

/** Errors of the parser packages carry a status and, for JSON, V8's message as the cause. */
const statusOf = (thrown: unknown): unknown =>
  typeof thrown === "object" && thrown !== null && "statusCode" in thrown ? thrown.statusCode : undefined;

/** Where a text stops being JSON; `undefined` when it is JSON. V8 tells the place in its message, or that the text ends. */
const syntaxErrorPosition = (text: string): number | undefined => {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = String(error);
    if (message.includes("end of JSON input")) return text.length;
    return Number(/position (\d+)/.exec(message)?.[1] ?? 0);
  }
};

/**
 * The most values that a JSON body may have, counted at every depth. No valid request comes near it; without it, a
 * body of 6 MB can hold three million wrong elements, and what validation notes about each of them fills the
 * function's memory.
 */
export const maximumValues = 100_000;

/** Whether a parsed JSON document has more values than are looked at. */
export const hasTooManyValues = (document: unknown): boolean => {
  const open = [document];
  let seen = 1;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const members: readonly unknown[] = Object.values(value);
    seen += members.length;
    if (seen > maximumValues) return true;
    for (const member of members) open.push(member);
  }
  return false;
};

/**
 * What a parser package reads out of a request. The packages put it in the place of the body's text, so they work on a
 * copy of the event.
 */
const readWith = async (
  { before }: { before?: (request: HttpRequest) => unknown },
  request: HttpRequest,
): Promise<unknown> => {
  const event = { ...request.event };
  await before?.({ ...request, event });
  return event.body;
};

const bytesOf = ({ body, isBase64Encoded }: HttpEvent): Buffer =>
  Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");

const parseJson = async (request: HttpRequest): Promise<unknown> => {
  if (!request.event.body) return undefined;
  const parsed = await readWith(json, request).catch((thrown: unknown) => {
    if (statusOf(thrown) === 415) {
      throw invalidBody(
        "model_attributes_type",
        "Input should be a valid dictionary or object to extract fields from (send it with Content-Type: application/json)",
      );
    }
    const position = syntaxErrorPosition(bytesOf(request.event).toString());
    if (position !== undefined) throw invalidBody("json_invalid", "JSON decode error", ["body", position]);
    // Valid JSON that the parser still refuses has a key such as `__proto__`.
    throw invalidBody("value_error", "Value error, a key is not allowed");
  });
  if (hasTooManyValues(parsed)) {
    throw invalidBody("value_error", `Value error, the body has more than ${maximumValues} values`);
  }
  return parsed;
};

const parseMultipart = async (request: HttpRequest): Promise<unknown> => {
  try {
    checkMultipartFraming(request.event.headers["content-type"], bytesOf(request.event));
    multipart ??= loadMultipart();
    return await readWith(await multipart, request);
  } catch (thrown) {
    if (thrown instanceof FramingError) throw invalidBody("value_error", `Value error, ${thrown.message}`);
    if (statusOf(thrown) === undefined) throw thrown;
    throw invalidBody("value_error", "Value error, the multipart body cannot be read");
  }
};

/** Forms of either encoding, as browsers send them: a form without files may still be written as multipart. */
const parseForm = async (request: HttpRequest): Promise<unknown> => {
  const contentType = request.event.headers["content-type"] ?? "";
  if (/^multipart\/form-data\b/i.test(contentType)) return parseMultipart(request);
  // Anything else, JSON above all, is a form without fields: the caller learns which fields are missing.
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType) || !request.event.body) return {};
  form ??= loadForm();
  return readWith(await form, request);
};

const parsers: Readonly<Record<BodyEncoding, (request: HttpRequest) => Promise<unknown>>> = {
  json: parseJson,
  form: parseForm,
  multipart: parseMultipart,
  raw: async ({ event }) => bytesOf(event),
};

/** Reads the body as the matched operation declares it; every failure is a 422 in Pydantic's words. */
export const parseBody = (): HttpMiddleware => ({
  before: async (request) => {
    const { event } = request;
    const encoding = event.endpoint?.operation.body?.encoding;
    if (encoding) event.parsedBody = await parsers[encoding](request);
  },
});
