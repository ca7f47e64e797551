import { commonResponseHeaders } from "./cors.ts";
import type { HttpMiddleware, HttpRequest } from "./http-request.ts";

const addHeaders = ({ event, response }: HttpRequest): void => {
  if (!response) return;
  response.headers = {
    ...commonResponseHeaders,
    ...(event.endpoint?.operation.confidential ? { "Cache-Control": "no-store" } : {}),
    "X-Request-Id": event.requestId,
    ...response.headers,
  };
};

/** Puts the headers that every answer carries on successes and errors alike. */
export const responseHeaders = (): HttpMiddleware => ({ after: addHeaders, onError: addHeaders });
