import { commonResponseHeaders } from "./cors.ts";
import type { HttpMiddleware, HttpRequest } from "./http-request.ts";
import type { Deprecation } from "./operation.ts";

/** RFC 9745, RFC 8594 and the link relation of RFC 5829. */
const deprecationHeaders = ({ since, sunset, successor }: Deprecation): Record<string, string> => ({
  Deprecation: `@${Math.floor(since.getTime() / 1_000)}`,
  Sunset: sunset.toUTCString(),
  Link: `<${successor}>; rel="successor-version"`,
});

const addHeaders = ({ event, response }: HttpRequest): void => {
  if (!response) return;
  const { confidential, deprecated } = event.endpoint?.operation ?? {};
  response.headers = {
    ...commonResponseHeaders,
    ...(confidential ? { "Cache-Control": "no-store" } : {}),
    ...(deprecated ? deprecationHeaders(deprecated) : {}),
    "X-Request-Id": event.requestId,
    ...event.limitHeaders,
    ...response.headers,
  };
};

/** Puts the headers that every answer carries on successes and errors alike. */
export const responseHeaders = (): HttpMiddleware => ({ after: addHeaders, onError: addHeaders });
