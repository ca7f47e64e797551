import { setTimeout as sleep } from "node:timers/promises";

/** How often something is tried, and when. */
export interface RetryOptions<Result> {
  /** The first included. */
  readonly attempts: number;
  /** Whether another attempt makes sense after this outcome. */
  readonly isWorthRepeating: (outcome: PromiseSettledResult<Result>) => boolean;
  /** Releases a result that will not be used. */
  readonly discard?: (result: Result) => void;
  /** How long to wait after this many failures, before the random part that spreads callers. */
  readonly pauseMilliseconds: (failures: number) => number;
  /** Ends the attempts; a running one must listen to it itself. */
  readonly signal: AbortSignal;
  /** Waits between two attempts. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const sleepUntil = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal });

/**
 * Repeats until it succeeds, fails for good, or has reached the maximum number of attempts. Between attempts it waits
 * for the pause, and a random time up to as long again.
 *
 * @throws what the last attempt throws, or the signal's reason.
 */
export const retry = async <Result>(
  attempt: () => Promise<Result>,
  { attempts, isWorthRepeating, discard, pauseMilliseconds, signal, wait = sleepUntil }: RetryOptions<Result>,
): Promise<Result> => {
  for (let failures = 1; ; failures += 1) {
    const outcome = await outcomeOf(attempt);
    if (failures === attempts || !isWorthRepeating(outcome)) {
      if (outcome.status === "rejected") throw outcome.reason;
      return outcome.value;
    }
    if (outcome.status === "fulfilled") discard?.(outcome.value);
    const pause = pauseMilliseconds(failures) * (1 + Math.random());
    // The pause rejects with an error of its own, which would hide a timeout.
    await wait(pause, signal).catch(() => signal.throwIfAborted());
  }
};

const outcomeOf = async <Result>(attempt: () => Promise<Result>): Promise<PromiseSettledResult<Result>> => {
  try {
    return { status: "fulfilled", value: await attempt() };
  } catch (reason) {
    return { status: "rejected", reason };
  }
};
