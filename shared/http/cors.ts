import type { HttpMiddleware } from "./request.ts";
import type { Router } from "./router.ts";

/**
 * Request headers a browser may send: ours, those of tools that watch pages (Sentry, OpenTelemetry) or ask for what is fresh,
 * and all that clients of OpenAI's API add, which are listed because `*` would not stand for `Authorization`. The AI SDK writes a
 * `User-Agent`, for which Firefox and Safari ask.
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

/** Response headers that scripts in a browser may read. */
export const corsExposedHeaders: readonly string[] = [
  "Deprecation",
  "Idempotent-Replayed",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Audio-Url",
  "X-Diarization",
  "X-Request-Id",
  "X-Sample-Rate",
  "X-Storage-Object",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
];

/** Headers of every response. Tokens travel in `Authorization`, never in cookies, so any origin may call. */
export const commonResponseHeaders: Readonly<Record<string, string>> = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": corsExposedHeaders.join(", "),
  "X-Content-Type-Options": "nosniff",
};

/**
 * Answers a browser's preflight behind a function URL; the REST API answers its own. The headers are written here
 * because a function URL that also sets them would send each of them twice, which browsers refuse.
 */
export const answerPreflight = (router: Router): HttpMiddleware => ({
  before: ({ event }) => {
    if (event.entryPoint !== "function-url" || event.httpMethod !== "OPTIONS") return undefined;
    return {
      statusCode: 204,
      headers: {
        ...commonResponseHeaders,
        "Access-Control-Allow-Methods": router.methods(event).join(", "),
        "Access-Control-Allow-Headers": corsAllowedHeaders.join(", "),
        "Access-Control-Max-Age": "86400",
        "X-Request-Id": event.requestId,
      },
      body: "",
    };
  },
});
