import { AppError } from "../errors/app-error.ts";
import type { WindowStatus } from "../limits/admission.ts";
import type { LimitedRequest, Limiter } from "../limits/limiter.ts";
import { requestScope } from "../telemetry/request-scope.ts";
import { limitClassOf, type Operation } from "./operation.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";

/** Whose limits count for a request. API Gateway's source address is the connection's: no header can fake it. */
const limitedRequest = (
  { caller, requestContext }: HttpEvent,
  operation: Operation,
): LimitedRequest | undefined => {
  const limitClass = limitClassOf(operation);
  if (limitClass === "none") return undefined;
  if (limitClass === "anonymous" || limitClass === "credentials") {
    return { limitClass, sourceAddress: requestContext.identity.sourceIp };
  }
  if (!caller) throw new AppError("unauthenticated");
  return {
    limitClass,
    userId: caller.userId,
    accountType: caller.accountType,
    operationId: operation.id,
  };
};

/**
 * Counts a valid request against the limits of its operation before anything is done for it.
 *
 * @throws AppError `rate_limited` or `quota_exceeded`.
 */
export const limitRequests = (limiter: Limiter | undefined): HttpMiddleware => ({
  before: async ({ event }) => {
    const limited = event.endpoint && limitedRequest(event, event.endpoint.operation);
    if (!limiter || !limited) return;
    event.admission = await limiter.admit(limited);
    if (event.admission.refusal) throw event.admission.refusal;
  },
});

/**
 * Whether a failed request costs its account nothing: what is refused by its meaning, an unknown language say, or while
 * models are unavailable, never reached one.
 */
const costsNothing = (error: unknown): boolean =>
  error instanceof AppError && (error.status < 500 || requestScope()?.modelUse === "spared");

/** Takes a request that costs nothing off its account's quota again. */
export const refund = (limiter: Limiter | undefined): HttpMiddleware => ({
  onError: async ({ event, error }) => {
    if (!limiter || !event.admission || !costsNothing(error)) return;
    event.admission = await limiter.refund(event.admission);
  },
});

const windowSeconds: Readonly<Record<WindowStatus["window"], number>> = { minute: 60, day: 86_400 };

/**
 * What the limiter found, for the caller: `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers-10
 * has them, and the OpenAI API's own headers, which its SDKs' users know, for the minute.
 *
 * Where nothing could be counted, only what is certain is told.
 */
export const limitHeaders = (
  statuses: readonly [WindowStatus, ...WindowStatus[]],
): Record<string, string> => {
  const [minute] = statuses;
  const policies = statuses.map(({ window, limit }) => `"${window}";q=${limit};w=${windowSeconds[window]}`);
  const counted = statuses.flatMap(({ window, remaining, resetSeconds }) =>
    remaining === undefined ? [] : [`"${window}";r=${remaining};t=${resetSeconds}`],
  );
  return {
    "RateLimit-Policy": policies.join(", "),
    ...(counted.length > 0 ? { RateLimit: counted.join(", ") } : {}),
    "x-ratelimit-limit-requests": String(minute.limit),
    ...(minute.remaining === undefined ? {} : { "x-ratelimit-remaining-requests": String(minute.remaining) }),
    "x-ratelimit-reset-requests": `${minute.resetSeconds}s`,
  };
};
