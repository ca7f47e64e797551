import * as z from "zod";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import type { S3Response } from "./s3-response.ts";

export const corsRuleSchema = z.object({
  allowedOrigins: z.array(z.string()),
  allowedMethods: z.array(z.string()),
  allowedHeaders: z.array(z.string()),
  exposedHeaders: z.array(z.string()),
  maxAgeSeconds: z.number().optional(),
});
export type CorsRule = z.infer<typeof corsRuleSchema>;

/** A pattern holds at most one `*`, which stands for any run of characters. */
const matchesPattern = (pattern: string, value: string): boolean => {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern === value;
  const start = pattern.slice(0, star);
  const end = pattern.slice(star + 1);
  return value.length >= start.length + end.length && value.startsWith(start) && value.endsWith(end);
};

const splitList = (header: string | undefined): readonly string[] =>
  (header ?? "")
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== "");

const findRule = (
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  headers: readonly string[],
): CorsRule | undefined =>
  rules.find(
    (rule) =>
      rule.allowedMethods.includes(method) &&
      rule.allowedOrigins.some((pattern) => matchesPattern(pattern, origin)) &&
      headers.every((header) =>
        rule.allowedHeaders.some((pattern) => matchesPattern(pattern.toLowerCase(), header)),
      ),
  );

const grantHeaders = (rule: CorsRule, origin: string): Record<string, string> => {
  const granted: Record<string, string> = rule.allowedOrigins.includes("*")
    ? { "access-control-allow-origin": "*" }
    : { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
  granted["access-control-allow-methods"] = rule.allowedMethods.join(", ");
  granted["vary"] = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";
  if (rule.exposedHeaders.length > 0)
    granted["access-control-expose-headers"] = rule.exposedHeaders.join(", ");
  if (rule.maxAgeSeconds !== undefined) granted["access-control-max-age"] = String(rule.maxAgeSeconds);
  return granted;
};

/** The headers that let a browser read the response, refusals included; none when no rule admits the origin. */
export const corsHeaders = (rules: readonly CorsRule[], request: S3Request): Record<string, string> => {
  const origin = request.headers.get("origin");
  if (origin === undefined) return {};
  const rule = findRule(rules, origin, request.method, []);
  return rule === undefined ? {} : grantHeaders(rule, origin);
};

/**
 * The response to a preflight, which browsers send without a signature.
 *
 *
 * @throws {S3Error} `InvalidRequest` when it is not a preflight, `AccessForbidden` when no rule admits it.
 */
export const respondToPreflight = (rules: readonly CorsRule[], request: S3Request): S3Response => {
  const origin = request.headers.get("origin");
  const method = request.headers.get("access-control-request-method");
  if (origin === undefined || method === undefined) {
    throw new S3Error("InvalidRequest", {
      message: "A preflight needs the headers Origin and Access-Control-Request-Method.",
    });
  }
  const headers = splitList(request.headers.get("access-control-request-headers"));
  const rule = findRule(rules, origin, method, headers);
  if (rule === undefined) throw new S3Error("AccessForbidden");
  const allowed = headers.length > 0 ? { "access-control-allow-headers": headers.join(", ") } : {};
  return { status: 200, headers: { ...grantHeaders(rule, origin), ...allowed } };
};
