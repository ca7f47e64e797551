import { commonResponseHeaders } from "./cors.ts";
import type { HttpMiddleware, HttpRequest } from "./http-request.ts";

const addHeaders = ({ response, internal }: HttpRequest): void => {
  if (!response) return;
  response.headers = {
    ...commonResponseHeaders,
    ...(internal.endpoint?.operation.confidential ? { "Cache-Control": "no-store" } : {}),
    ...(internal.requestId ? { "X-Request-Id": internal.requestId } : {}),
    ...response.headers,
  };
};

/** Puts the headers that every answer carries on successes and errors alike. */
export const responseHeaders = (): HttpMiddleware => ({ after: addHeaders, onError: addHeaders });
