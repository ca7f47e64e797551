/** Runs work until a deadline: then it rejects with the signal's reason, even if the work ignores the signal. */
export const raceDeadline = async <Result>(
  deadline: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  deadline.throwIfAborted();
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const rejectOverdue = (): void => reject(deadline.reason);
  deadline.addEventListener("abort", rejectOverdue, { once: true });
  try {
    return await Promise.race([work(deadline), overdue]);
  } finally {
    deadline.removeEventListener("abort", rejectOverdue);
  }
};

/** Runs work on a store with a timeout. A timer that is cleared costs less than `AbortSignal.timeout`. */
export const withinTime = async <Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException("The store did not respond in time.", "TimeoutError")),
    milliseconds,
  );
  try {
    return await raceDeadline(limit.signal, work);
  } finally {
    clearTimeout(timer);
  }
};

export interface IdleTimeout {
  readonly milliseconds: number;
  /** Called when a wait takes that long; must end the awaited work. */
  readonly onIdle: () => void;
}

/** Detects idleness. `touch` only notes the time: restarting a timer for each token of a stream costs ten times as much. */
export class IdleTimer {
  readonly #timeout: IdleTimeout;
  #timer: NodeJS.Timeout | undefined;
  #activeAt = Number.NaN;

  /** Its time begins with the first `touch`. */
  constructor(timeout: IdleTimeout) {
    this.#timeout = timeout;
  }

  /** Starts the time again, even after it had ended. */
  touch(): void {
    this.#activeAt = performance.now();
    this.#timer ??= setTimeout(() => this.#check(), this.#timeout.milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const left = this.#activeAt + this.#timeout.milliseconds - performance.now();
    this.#timer = undefined;
    if (left <= 0) this.#timeout.onIdle();
    else this.#timer = setTimeout(() => this.#check(), Math.ceil(left));
  }
}

/** Waits for one event of the other side. */
export const awaitActivity = async <Result>(
  activity: Promise<Result>,
  { milliseconds, onIdle }: IdleTimeout,
): Promise<Result> => {
  const timer = setTimeout(onIdle, milliseconds);
  try {
    return await activity;
  } finally {
    clearTimeout(timer);
  }
};

/**
 * The pieces of a source as they come. Each wait is limited separately; the reader's own time is not counted. Leaving
 * the iteration also leaves the source's.
 */
export async function* withIdleTimeout<Piece>(
  source: AsyncIterable<Piece>,
  timeout: IdleTimeout,
): AsyncGenerator<Piece, void, undefined> {
  const pieces = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const piece = await awaitActivity(pieces.next(), timeout).catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      if (piece.done) {
        isOver = true;
        return;
      }
      yield piece.value;
    }
  } finally {
    if (!isOver) await pieces.return?.();
  }
}

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Ends the limit. */
  lift(): void;
}

/**
 * Limits the time of a step of an exchange, for any behaviour of the server: one that drips bytes, comments or empty
 * events is never silent, and would hold its request for ever.
 *
 * @param signal ends the step as well.
 * @param reason why the time was not enough, as far as known when it ends.
 */
export const limitTime = (milliseconds: number, signal: AbortSignal, reason: () => Error): TimeLimit => {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(reason()), milliseconds);
  // `AbortSignal.any` would do the same for ten times the CPU. The limited work still ends with the signal after the
  // limit is lifted, for example a started stream.
  const follow = (): void => limit.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener("abort", follow, { once: true });
  return { signal: limit.signal, lift: () => clearTimeout(timer) };
};
