import type { InvocationResult } from "../lambda/invocation.ts";

/**
 * Runs a function once and returns its result, or the start of a streamed one. Aborting the signal means that the
 * caller has left.
 */
export type Invoke = (
  functionName: string,
  event: unknown,
  options?: { signal?: AbortSignal },
) => Promise<InvocationResult>;

/** Releases a result whose caller has left. */
export const discard = (result: InvocationResult): undefined => {
  if (result.kind === "stream") result.body.destroy();
};

/**
 * Invokes a function and waits no longer than a time. A function that is too late continues, as on AWS; what it
 * still streams is thrown away.
 *
 * @returns "expired" when the time was up first. Never rejects: a service that cannot run the function is a result.
 */
export const invokeWithin = async (
  invoke: Invoke,
  functionName: string,
  event: unknown,
  { milliseconds, signal }: { milliseconds: number; signal?: AbortSignal },
): Promise<InvocationResult | "expired"> => {
  const invocation = invoke(functionName, event, signal === undefined ? {} : { signal }).catch(
    (error: unknown): InvocationResult => ({
      kind: "error",
      errorType: error instanceof Error ? error.name : "ServiceException",
      errorMessage: String(error),
    }),
  );
  const { promise: expired, resolve: expire } = Promise.withResolvers<"expired">();
  const timer = setTimeout(() => expire("expired"), milliseconds);
  const result = await Promise.race([invocation, expired]);
  clearTimeout(timer);
  if (result === "expired") void invocation.then(discard);
  return result;
};
