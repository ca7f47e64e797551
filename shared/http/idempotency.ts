import type { Limiter } from "../accounts/limits/limiter.ts";
import { AppError, keyReused } from "../platform/errors/app-error.ts";
import { toAppError } from "../platform/errors/dependency-failure.ts";
import type { HttpResponse } from "./exchange.ts";
import type { IdempotencyStore } from "./idempotency/idempotency-store.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { willStream } from "./limit-requests.ts";
import { idempotencyOf } from "./operation.ts";
import type { HttpEvent, HttpMiddleware } from "./request.ts";
import { errorResponse } from "./respond-error.ts";

/**
 * Whether a response can be replayed. No error is: its caller may correct the request and send it with the same key again, and what
 * a caller may do, how much quota remains, and our own failures change.
 */
const isStored = (status: number): boolean => status < 400;

/**
 * Checks whether a valid request is the first with its `Idempotency-Key`; for a repeated one, sets the first
 * response. Requests without the header cost nothing extra.
 *
 * @throws ValidationError for an invalid header, or one that was sent with another request; AppError
 * `request_in_progress`; what the table throws: if it is unknown whether a request is a repetition, it does not run.
 */
const beginIdempotent = async (
  event: HttpEvent,
  milliseconds: number,
  store: IdempotencyStore | undefined,
  limiter: Limiter | undefined,
): Promise<void> => {
  const operation = event.endpoint?.operation;
  if (!store || !operation || !event.caller || event.headers["idempotency-key"] === undefined) return;
  if (idempotencyOf(operation) !== "replay" || willStream(operation, event.parsedBody)) return;
  const idempotencyKey = readIdempotencyKey(event.headers);
  if (idempotencyKey === undefined) return;
  const started = await store.begin({
    userId: event.caller.userId,
    operationId: operation.id,
    idempotencyKey,
    content: [event.parsedBody, event.pathParameters, event.queryStringParameters],
    isConfidential: operation.confidential === true,
    milliseconds,
  });
  switch (started.kind) {
    case "first":
      event.idempotencyLock = started.lock;
      return;
    case "reused":
      throw keyReused();
    case "in-progress":
      throw new AppError("request_in_progress", { retryAfterSeconds: started.retryAfterSeconds });
    case "answered": {
      const { status, headers, body } = started.response;
      event.replayed = { statusCode: status, headers: { ...headers, "Idempotent-Replayed": "true" }, body };
      event.prepared = undefined;
      // A replayed response costs no quota.
      if (limiter && event.admission)
        event.admission = await limiter.refund(event.admission, { isError: false });
    }
  }
};

/** A streamed response is not stored, and does not block repetitions. */
const storeResponse = async (
  { idempotencyLock: lock }: HttpEvent,
  { statusCode, headers, body }: HttpResponse,
): Promise<void> => {
  if (!lock) return;
  if (isStored(statusCode) && typeof body === "string")
    await lock.keep({ status: statusCode, headers, body });
  else await lock.release();
};

/** Runs a request with an `Idempotency-Key` once, and replays its response. */
export const respondOnce = (
  store: IdempotencyStore | undefined,
  limiter: Limiter | undefined,
): HttpMiddleware => ({
  before: ({ event, context }) => beginIdempotent(event, context.getRemainingTimeInMillis(), store, limiter),
  after: async ({ event, response }) => {
    if (response) await storeResponse(event, response);
  },
  onError: async ({ event, error }) => {
    if (event.idempotencyLock) await storeResponse(event, errorResponse(toAppError(error), event));
  },
});
