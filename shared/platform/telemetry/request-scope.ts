import { AsyncLocalStorage } from "node:async_hooks";
import { BackendUses } from "./backend-uses.ts";
import type { Use } from "./use.ts";

/**
 * What everything done for one request, or for one record of a queue, may need to know of it, however deep below the
 * handler.
 */
export interface RequestScope {
  /** When the work must be over, in milliseconds of `performance.now()`: shortly before the function's own end. */
  readonly endsAt: number;
  /** Aborted at `endsAt`. */
  readonly deadline: AbortSignal;
  /** Names the request in the log; of a queue's record, the request that asked for it. */
  requestId: string | undefined;
  /** The caller's place in a distributed trace, checked; sent on as it came. */
  traceparent: string | undefined;
  /** Whose request it is, where no token says so. */
  accountId: number | undefined;
  /**
   * How many calls a model began to work for, as the call policy finds: a call counts from the moment its request is sent,
   * unless the server then refuses it because the model is loading or busy. While there is none, a failure costs no quota.
   */
  modelCallsBegun: number;
  /**
   * How long model servers have been waited for, if any was asked: of a response that leaves as it is made, until it began;
   * of speech that is kept first, until all of it was made.
   */
  upstreamMilliseconds: number | undefined;
  readonly backends: BackendUses;
  /** What is counted on the account of the request when it is over. */
  readonly use: Use;
  /** Under which name the metrics of the work are filed; `undefined` when none are. */
  readonly metricsNamespace: string | undefined;
  /** The work is over: its deadline does not come any more. */
  close(): void;
}

/** Where work comes from: the request that asks for it, and the trace that one is part of. */
export type Origin = Pick<RequestScope, "requestId" | "traceparent">;

const timeOver = (): DOMException => new DOMException("The time for the request is over.", "TimeoutError");

/** A scope for work that must be over in so many milliseconds. Of a request, the origin is found out later. */
export const openRequestScope = (
  milliseconds: number,
  {
    origin = { requestId: undefined, traceparent: undefined },
    metricsNamespace,
  }: { readonly origin?: Origin; readonly metricsNamespace?: string | undefined } = {},
): RequestScope => {
  const left = Math.max(0, milliseconds);
  const overdue = new AbortController();
  // What `AbortSignal.timeout` does as well, but its timer could not be cleared, and would hold on to the request.
  const timer = setTimeout(() => overdue.abort(timeOver()), left);
  timer.unref();
  return {
    endsAt: performance.now() + left,
    deadline: overdue.signal,
    close: () => clearTimeout(timer),
    ...origin,
    accountId: undefined,
    modelCallsBegun: 0,
    upstreamMilliseconds: undefined,
    backends: new BackendUses(),
    use: {},
    metricsNamespace,
  };
};

const scopes = new AsyncLocalStorage<RequestScope>();

/** Does the work for a request within its scope. */
export const inRequestScope = <Result>(scope: RequestScope, work: () => Result): Result =>
  scopes.run(scope, work);

/** The scope of the request that is being worked for; `undefined` outside of one. */
export const requestScope = (): RequestScope | undefined => scopes.getStore();

/** Version 00 of W3C Trace Context: trace and parent in lower-case hexadecimal, neither of them all zeros. */
const version00 = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` header that may be sent on; `undefined` for one that is absent or not as the standard says. */
export const readTraceparent = (header: string | undefined): string | undefined =>
  header !== undefined && version00.test(header) ? header : undefined;

/** The id that all parts of a trace have in common, out of a checked `traceparent`. */
export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);
