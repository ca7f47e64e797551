import { daySeconds } from "../platform/durations.ts";
import type { HttpMiddleware } from "./request.ts";
import { corsExposedHeaders } from "./response-headers.ts";
import type { Router } from "./router.ts";

/**
 * Request headers that a browser may send: ours, and those of monitoring tools, caches and OpenAI clients. They are listed
 * because `*` does not cover `Authorization`. Firefox and Safari include the AI SDK's `User-Agent` in the preflight.
 */
export const corsAllowedHeaders: readonly string[] = [
  "Authorization",
  "Cache-Control",
  "Content-Type",
  "Idempotency-Key",
  "If-None-Match",
  "OpenAI-Organization",
  "OpenAI-Project",
  "Save-Data",
  "User-Agent",
  "X-Request-Id",
  "X-Requested-With",
  "baggage",
  "sentry-trace",
  "traceparent",
  "tracestate",
  "x-stainless-arch",
  "x-stainless-async",
  "x-stainless-custom-poll-interval",
  "x-stainless-helper-method",
  "x-stainless-lang",
  "x-stainless-os",
  "x-stainless-package-version",
  "x-stainless-poll-helper",
  "x-stainless-raw-response",
  "x-stainless-read-timeout",
  "x-stainless-retry-count",
  "x-stainless-runtime",
  "x-stainless-runtime-version",
  "x-stainless-timeout",
];

/** Headers of every response. Tokens are sent in `Authorization`, never in cookies, so any origin may call. */
export const commonResponseHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": corsExposedHeaders.join(", "),
  "X-Content-Type-Options": "nosniff",
};

/**
 * Responds to a browser's preflight at a function URL; the REST API handles its own. The function URL's own CORS setting
 * stays off: with both, each header would be sent twice, which browsers refuse.
 */
export const respondToPreflight = (router: Router): HttpMiddleware => ({
  before: async ({ event }) => {
    if (event.entryPoint !== "function-url" || event.httpMethod !== "OPTIONS") return undefined;
    return {
      statusCode: 204,
      headers: {
        ...commonResponseHeaders,
        "Access-Control-Allow-Methods": (await router.methods(event)).join(", "),
        "Access-Control-Allow-Headers": corsAllowedHeaders.join(", "),
        "Access-Control-Max-Age": String(daySeconds),
        "X-Request-Id": event.requestId,
      },
      body: "",
    };
  },
});
