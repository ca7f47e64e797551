import type * as z from "zod";
import { ApiError } from "./api-error.ts";

/** Checks a request body. Throws an `ApiError` (400) that names the first wrong parameter, never its value. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
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
}
