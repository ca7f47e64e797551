import type { WindowStatus } from "../accounts/limits/admission.ts";
import type { LimitedRequest, Limiter } from "../accounts/limits/limiter.ts";
import { createReadingLimit, type ReadingLimit } from "../accounts/limits/reading-limit.ts";
import { daySeconds, minuteSeconds } from "../platform/durations.ts";
import { AppError } from "../platform/errors/app-error.ts";
import { requestScope } from "../platform/telemetry/request-scope.ts";
import { formBoolean } from "../platform/validation/fields.ts";
import { idempotencyKeyDigest } from "./idempotency/keys.ts";
import { limitClassOf, type Operation } from "./operation.ts";
import { readRequestBody } from "./parse-body.ts";
import type { HttpEvent, HttpMiddleware, HttpRequest } from "./request.ts";

/** Letters and `_` are escaped in JSON only to hide them. */
const hiddenLetter = /\\u00(?:5f|6[1-9a-f]|7[0-9a])/i;

/** Whether a request takes a slot for a stream. Compressed bodies are not decompressed to check. */
const mayStream = (
  { streams, body: declared }: Operation,
  { body, isBase64Encoded, headers }: HttpEvent,
): boolean => {
  if (streams === undefined || body === null) return false;
  if (streams === "always" || headers["content-encoding"]) return true;
  // Forms with files always come as base64. Their fields are in them unencoded.
  if (declared?.encoding === "multipart") {
    return streams.test(isBase64Encoded ? Buffer.from(body, "base64").toString("latin1") : body);
  }
  return isBase64Encoded || streams.test(body) || hiddenLetter.test(body);
};

/**
 * Whether a request will stream, once its body was parsed. The earlier check of the text may match anywhere; this one
 * checks the body's own fields.
 */
export const willStream = ({ body, streams }: Operation, parsedBody: unknown): boolean => {
  if (streams === undefined || streams === "always") return streams !== undefined;
  if (typeof parsedBody !== "object" || parsedBody === null) return false;
  // In a form the pattern matched the field's name; its value decides.
  if (body?.encoding === "multipart")
    return "stream" in parsedBody && formBoolean().safeParse(parsedBody.stream).data === true;
  return Object.entries(parsedBody).some(
    ([name, value]) =>
      (typeof value === "string" || typeof value === "boolean") &&
      streams.test(JSON.stringify({ [name]: value })),
  );
};

/** Whose limits apply to a request. The source address is the connection's, so no header can fake it. */
const limitedRequest = (event: HttpEvent, operation: Operation): LimitedRequest | undefined => {
  const limitClass = limitClassOf(operation);
  if (limitClass === "delivery" || limitClass === "reading") return undefined;
  if (limitClass === "anonymous" || limitClass === "credentials") {
    return { limitClass, sourceAddress: event.requestContext.identity.sourceIp };
  }
  const { credential } = event;
  if (!credential) throw new AppError("unauthenticated");
  const { id: operationId, scope } = operation;
  const key = operation.idempotencyKey === "successor" ? event.headers["idempotency-key"] : undefined;
  return {
    limitClass,
    credential,
    scope,
    operationId,
    mayStream: mayStream(operation, event),
    ...(key === undefined ? {} : { successorKeyDigest: idempotencyKeyDigest(key) }),
  };
};

/**
 * Checks the limits when a function starts: operators would notice an unlimited operation only by the bill.
 * @throws Error when an operation is limited and the function has no limiter, or when one that requires a token is
 * not limited by account: the write that counts a request on its account also checks the token.
 */
export const requireLimits = (operations: readonly Operation[], limiter: Limiter | undefined): void => {
  for (const operation of operations) {
    const limitClass = limitClassOf(operation);
    const isOfAccount = limitClass === "task" || limitClass === "account";
    if (isOfAccount !== (operation.auth === "user")) {
      throw new Error(
        `The operation ${operation.id} must be limited by account exactly if it requires a token.`,
      );
    }
    if (operation.streams && limitClass !== "task") {
      throw new Error(
        `The operation ${operation.id} streams, so it must be a task: only those are limited at a time.`,
      );
    }
    if (limitClass !== "delivery" && limitClass !== "reading" && !limiter) {
      throw new Error(`The operation ${operation.id} is limited: its function needs a limiter.`);
    }
  }
};

/** JSON of this length is parsed in less time than the table takes to count a request. */
const maxCharactersMeanwhile = 64 * 1_024;

/** Parses a short body of a request with a token while its limits are checked. What is wrong with it is reported later. */
const parseMeanwhile = async (request: HttpRequest): Promise<void> => {
  const { body, endpoint } = request.event;
  if (endpoint?.operation.auth !== "user" || endpoint.operation.body?.encoding !== "json") return;
  if ((body ?? "").length <= maxCharactersMeanwhile) await readRequestBody(request).catch(() => undefined);
};

/**
 * Checks the token or key of a request and counts it against its limits before its body is parsed, so that expensive
 * bodies are limited like any other; short ones are parsed meanwhile. `refund` refunds a malformed request to the quota; it still
 * counts in the minute.
 *
 * @throws AppError `rate_limited` or `quota_exceeded`; `unauthenticated`, `forbidden`, `insufficient_scope` or
 * `service_unavailable` for its token or key.
 */
export const limitRequests = (
  limiter: Limiter | undefined,
  reading: ReadingLimit = createReadingLimit(),
): HttpMiddleware => ({
  before: async (request) => {
    const { event } = request;
    const operation = event.endpoint?.operation;
    const limited = operation && limitedRequest(event, operation);
    if (operation && limitClassOf(operation) === "reading") {
      event.admission = reading.admit(event.requestContext.identity.sourceIp);
    } else if (limiter && limited) {
      [event.admission] = await Promise.all([limiter.admit(limited), parseMeanwhile(request)]);
      event.caller = event.admission.caller;
    }
    if (event.admission?.refusal) throw event.admission.refusal;
  },
});

/** A sender can make an unreadable file as hard to read as they want. */
const isPaidFor = (error: unknown): boolean => error instanceof AppError && error.isCounted;

/**
 * Counts the other tasks of a request that stands for several, once it is known how many they are.
 *
 * @throws AppError `quota_exceeded`.
 */
export const limitTasks = (limiter: Limiter | undefined): HttpMiddleware => ({
  before: async ({ event }) => {
    if (!limiter || !event.admission || !event.prepared) return;
    event.admission = await limiter.admitTasks(event.admission, event.prepared.tasks);
    if (event.admission.refusal) throw event.admission.refusal;
  },
});

/**
 * Refunds a request that failed before a model started to work, for any failure: a malformed request, its content,
 * the model's server, or a part of the service. The call policy knows when a model has started
 * (`shared/models/inference/openai/call-policy.ts`).
 */
export const refundRequest = async (
  limiter: Limiter | undefined,
  event: HttpEvent,
  error: unknown,
): Promise<void> => {
  const hasModelStarted = (requestScope()?.modelCallsStarted ?? 0) > 0;
  if (!limiter || !event.admission || hasModelStarted || isPaidFor(error)) return;
  // Like any other, a refusal for the quota is no error of the account's usage.
  const isError = !(error instanceof AppError && error.status === 429);
  event.admission = await limiter.refund(event.admission, { isError });
};

/**
 * Ends a request's limits, once its response ended in any way: releases its slot among its account's streams, and
 * counts its usage.
 */
export const endRequest = async (
  limiter: Limiter | undefined,
  { admission }: HttpEvent,
  hasFailed: boolean,
): Promise<void> => {
  if (limiter && admission) await limiter.release(admission, { use: requestScope()?.use ?? {}, hasFailed });
};

/** Refunds requests that fail before their response begins; for streams the pipeline calls `refundRequest`. */
export const refund = (limiter: Limiter | undefined): HttpMiddleware => ({
  onError: ({ event, error }) => refundRequest(limiter, event, error),
});

const windowSeconds: Readonly<Record<WindowStatus["window"], number>> = {
  minute: minuteSeconds,
  day: daySeconds,
};

/**
 * The limiter's decision as headers: `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10,
 * and for the minute the OpenAI API's own headers, which users of its SDKs know.
 *
 * Where nothing could be counted, only certain values are sent.
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
