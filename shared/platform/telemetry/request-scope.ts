import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "aws-lambda";
import { BackendUses } from "./backend-uses.ts";
import type { TraceSpan } from "./trace-context.ts";
import type { Use } from "./used-units.ts";

/** What code below the handler may need to know about the current request or queue record. */
export interface RequestScope {
  /** When the work must be over, in milliseconds of `performance.now()`: shortly before the function's own end. */
  readonly endsAt: number;
  /** Aborted at `endsAt`. */
  readonly deadline: AbortSignal;
  /** For a queue's record, the request that caused it. */
  requestId: string | undefined;
  /** Our part of the caller's distributed trace, if it sent one. */
  span: TraceSpan | undefined;
  /** The account, where no token names it. */
  accountId: number | undefined;
  /**
   * How many calls a model started to work for, by the call policy: a call counts from the moment its request is
   * sent, unless the server refuses it because the model is loading or busy. While it is 0, a failure costs no quota.
   */
  modelCallsStarted: number;
  /** The time spent waiting for models, if any was called: until a stream started, until stored speech was complete. */
  upstreamMilliseconds: number | undefined;
  readonly backends: BackendUses;
  /** What is counted on the account of the request when it ends. */
  readonly use: Use;
  /** CloudWatch's namespace of the metrics; `undefined` for none. */
  readonly metricsNamespace: string | undefined;
  /** The version of the function, as `name:12`. */
  readonly functionVersion: string | undefined;
  /** Lambda's own, for operations that are called within a request. */
  readonly context: Context | undefined;
  /** Ends the work before its deadline. */
  end(reason: Error): void;
  /** Does something after a time, unless the scope has ended. */
  after(milliseconds: number, work: () => void): void;
  /** Ends the scope: its deadline no longer comes. */
  close(): void;
}

/** The cause of the work: the request, and the trace that it is part of. */
export type Origin = Pick<RequestScope, "requestId" | "span">;

const timeOver = (): DOMException => new DOMException("The time for the request has ended.", "TimeoutError");

/** Opens a scope for work with this much time. A request's origin is set later. */
export const openRequestScope = (
  milliseconds: number,
  {
    origin = { requestId: undefined, span: undefined },
    metricsNamespace,
    functionVersion,
    context,
  }: { readonly origin?: Origin } & Partial<
    Pick<RequestScope, "metricsNamespace" | "functionVersion" | "context">
  > = {},
): RequestScope => {
  const left = Math.max(0, milliseconds);
  const overdue = new AbortController();
  // The timer of `AbortSignal.timeout` could not be cleared, and would keep the request in memory.
  const timers: NodeJS.Timeout[] = [];
  const after = (time: number, work: () => void): void => void timers.push(setTimeout(work, time).unref());
  after(left, () => overdue.abort(timeOver()));
  return {
    endsAt: performance.now() + left,
    deadline: overdue.signal,
    end: (reason) => overdue.abort(reason),
    after,
    close: () => {
      for (const timer of timers) clearTimeout(timer);
    },
    ...origin,
    accountId: undefined,
    modelCallsStarted: 0,
    upstreamMilliseconds: undefined,
    backends: new BackendUses(),
    use: {},
    metricsNamespace,
    functionVersion,
    context,
  };
};

const scopes = new AsyncLocalStorage<RequestScope>();

export const inRequestScope = <Result>(scope: RequestScope, work: () => Result): Result =>
  scopes.run(scope, work);

/** The scope of the request that is being worked for; `undefined` outside of one. */
export const requestScope = (): RequestScope | undefined => scopes.getStore();
