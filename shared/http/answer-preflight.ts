import { commonResponseHeaders, corsAllowedHeaders } from "./cors.ts";
import type { HttpMiddleware } from "./http-request.ts";
import type { Router } from "./router.ts";

/**
 * Answers a browser's preflight behind a function URL; the REST API answers its own. The headers are written here
 * because a function URL that also sets them would send each of them twice, which browsers refuse.
 */
export const answerPreflight = (router: Router): HttpMiddleware => ({
  before: ({ event }) => {
    if (event.door !== "function-url" || event.httpMethod !== "OPTIONS") return undefined;
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
