import httpJsonBodyParser from "@middy/http-json-body-parser";
import { ValidationError } from "../errors/validation-error.ts";
import type { HttpMiddleware, HttpRequest } from "./http-request.ts";
import { hasTooManyValues, maximumValues } from "./json-values.ts";
import { checkMultipartFraming, FramingError, maximumParts } from "./multipart-framing.ts";
import type { BodyEncoding } from "./operation.ts";

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

const parseJson = async (request: HttpRequest): Promise<void> => {
  if (request.event.body === null || request.event.body === "") return;
  const source = request.event.body;
  try {
    await json.before?.(request);
  } catch (thrown) {
    if (statusOf(thrown) === 415) {
      throw invalidBody(
        "model_attributes_type",
        "Input should be a valid dictionary or object to extract fields from (send it with Content-Type: application/json)",
      );
    }
    const text = request.event.isBase64Encoded ? Buffer.from(source, "base64").toString() : source;
    const position = syntaxErrorPosition(text);
    if (position !== undefined) throw invalidBody("json_invalid", "JSON decode error", ["body", position]);
    // Valid JSON that the parser still refuses has a key such as `__proto__`.
    throw invalidBody("value_error", "Value error, a key is not allowed");
  }
  if (hasTooManyValues(request.event.body)) {
    throw invalidBody("value_error", `Value error, the body has more than ${maximumValues} values`);
  }
};

const parseMultipart = async (request: HttpRequest): Promise<void> => {
  const { body, headers, isBase64Encoded } = request.event;
  try {
    checkMultipartFraming(
      headers["content-type"],
      Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8"),
    );
    multipart ??= loadMultipart();
    await (await multipart).before?.(request);
  } catch (thrown) {
    if (thrown instanceof FramingError) throw invalidBody("value_error", `Value error, ${thrown.message}`);
    if (statusOf(thrown) === undefined) throw thrown;
    throw invalidBody("value_error", "Value error, the multipart body cannot be read");
  }
};

/** Forms of either encoding, as browsers send them: a form without files may still be written as multipart. */
const parseForm = async (request: HttpRequest): Promise<void> => {
  const contentType = request.event.headers["content-type"] ?? "";
  if (/^multipart\/form-data\b/i.test(contentType)) return parseMultipart(request);
  // Anything else, JSON above all, is a form without fields: the caller learns which fields are missing.
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType) || !request.event.body) {
    Object.assign(request.event, { body: {} });
    return;
  }
  form ??= loadForm();
  await (await form).before?.(request);
};

const takeBytes = async ({ event }: HttpRequest): Promise<void> => {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  Object.assign(event, { body: bytes });
};

const parsers: Readonly<Record<BodyEncoding, (request: HttpRequest) => Promise<void>>> = {
  json: parseJson,
  form: parseForm,
  multipart: parseMultipart,
  raw: takeBytes,
};

/** Reads the body as the matched operation declares it; every failure is a 422 in Pydantic's words. */
export const parseBody = (): HttpMiddleware => ({
  before: async (request: HttpRequest) => {
    const encoding = request.event.endpoint?.operation.body?.encoding;
    if (encoding) await parsers[encoding](request);
  },
});
