import { requestScope } from "../telemetry/request-scope.ts";
import { readTraceparent } from "../telemetry/trace-context.ts";
import type { HttpMiddleware } from "./http-request.ts";
import { logReceived } from "./log-request.ts";
import type { Router } from "./router.ts";

/** Ids that may be echoed in a header and written to a log as they are. */
const saneId = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Gives the request its id (the caller's own when it is sane, else API Gateway's), takes note of the trace it is part of,
 * finds its endpoint, and writes its first line into the log.
 */
export const identifyRequest = (router: Router): HttpMiddleware => ({
  before: ({ event }) => {
    const own = event.headers["x-request-id"];
    if (own && saneId.test(own)) event.requestId = own;
    const scope = requestScope();
    if (scope) {
      scope.requestId = event.requestId;
      scope.traceparent = readTraceparent(event.headers["traceparent"]);
    }
    try {
      event.endpoint = router.find(event);
    } finally {
      logReceived(event);
    }
  },
});
