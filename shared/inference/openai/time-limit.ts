/** A limit for how long something may take in all, which ends what listens to its signal. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Nothing is limited any more. */
  lift(): void;
}

/**
 * Limits the time of a step of an exchange, whatever the server does in it: one that drips bytes, comments or events
 * without content is never silent, and would hold its request for ever.
 *
 * @param signal ends the step as well.
 * @param reason why the time was not enough, as far as that is known when it is over.
 */
export const limitTime = (milliseconds: number, signal: AbortSignal, reason: () => Error): TimeLimit => {
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(reason()), milliseconds);
  return { signal: AbortSignal.any([signal, overdue.signal]), lift: () => clearTimeout(timer) };
};
