import type { IncomingMessage } from "node:http";
import type * as z from "zod";
import { ApiError } from "./endpoint.ts";

/** Much longer than any conversation; a limit, so that a mistaken client cannot fill the memory. */
const maxJsonBodyBytes = 8 * 1024 * 1024;

/** Reads the body of a request as JSON. Throws an `ApiError`: 413 when it is too long, 400 when it is not JSON. */
export const readJson = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early must not destroy the request: its connection has to carry the refusal.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxJsonBodyBytes) break;
    chunks.push(chunk);
  }
  if (length > maxJsonBodyBytes) {
    // What is still coming is read and dropped, so that the client comes to reading the refusal.
    request.resume();
    throw new ApiError(413, `The request body is longer than ${maxJsonBodyBytes} bytes.`);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new ApiError(400, "The request body is not valid JSON.", { code: "invalid_json" });
  }
};

/** Checks a request body. Throws an `ApiError` (400) that names the first wrong parameter, never its value. */
export const parseRequest = <Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> => {
  const parsed = schema.safeParse(body, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path ?? [];
  if (issue === undefined || path.length === 0) {
    throw new ApiError(400, "The request body must be an object.");
  }
  const param = path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .slice(1);
  if (issue.input === undefined) {
    const message = `Missing required parameter: '${param}'.`;
    throw new ApiError(400, message, { param, code: "missing_required_parameter" });
  }
  throw new ApiError(400, `Invalid '${param}': ${issue.message}`, { param, code: "invalid_value" });
};

/** The requested format. Throws an `ApiError` (400) when it is not one of the given ones. */
export const requireFormat = <Format extends string>(requested: string, given: readonly Format[]): Format => {
  const format = given.find((candidate) => candidate === requested);
  if (format !== undefined) return format;
  const message = `Invalid 'response_format': the sample server supports ${given.join(", ")}.`;
  throw new ApiError(400, message, { code: "unsupported_value", param: "response_format" });
};
