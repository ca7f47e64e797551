import { AsyncLocalStorage } from "node:async_hooks";

/** What everything done for one request may need to know of it, however deep below the handler. */
export interface RequestScope {
  /** When the work must be over, in milliseconds of `performance.now()`: shortly before the function's own end. */
  readonly endsAt: number;
  /** The caller's place in a distributed trace, checked; sent on as it came. */
  traceparent: string | undefined;
  /** Aborted at `endsAt`. */
  readonly deadline: AbortSignal;
  /** Whether a model was asked, or spared for want of time or because its server was believed to be down. */
  modelUse: "none" | "spared" | "asked";
  /** How long model servers have been waited for; of a streamed answer, until it began. */
  upstreamMilliseconds: number;
}

const scopes = new AsyncLocalStorage<RequestScope>();

/** Carries out the work for a request, within its scope. */
export const inRequestScope = <Result>(scope: RequestScope, work: () => Result): Result =>
  scopes.run(scope, work);

/** The scope of the request that is being worked for; `undefined` outside of one, in a queue's worker say. */
export const requestScope = (): RequestScope | undefined => scopes.getStore();
