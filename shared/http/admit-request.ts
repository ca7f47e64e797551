import { AppError } from "../errors/app-error.ts";
import { afterReturn } from "../limits/admission.ts";
import type { LimitedRequest, Limiter } from "../limits/limiter.ts";
import type { HttpEvent } from "./http-event.ts";
import { limitHeaders } from "./limit-headers.ts";
import { limitClassOf, type Operation } from "./operation.ts";

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
 * Counts a valid request against the limits of its operation, and notes for the answer's headers where its caller
 * stands.
 *
 * @throws AppError `rate_limited` or `quota_exceeded`.
 */
export const admitRequest = async (
  event: HttpEvent,
  operation: Operation,
  limiter: Limiter | undefined,
): Promise<void> => {
  const limited = limitedRequest(event, operation);
  if (!limiter || !limited) return;
  const { standings, refusal, returnQuota } = await limiter.admit(limited);
  event.limitHeaders = limitHeaders(standings);
  if (refusal) throw refusal;
  if (!returnQuota) return;
  event.returnQuota = async () => {
    await returnQuota();
    event.limitHeaders = limitHeaders(afterReturn(standings));
  };
};
