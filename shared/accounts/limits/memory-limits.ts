import type { Windows } from "./windows.ts";

/**
 * The share of the usual limit that is admitted while the table cannot count. It is small, because each environment counts
 * only its own requests, and a caller may reach many of them.
 */
const uncountedShare = 0.1;

/** Callers beyond this many in a minute share one count, so memory use stays small. */
const defaultMaxCallers = 1_000;

const otherCallers = "others";

/** Returns how many requests of a caller are admitted a minute while the table cannot count them. */
export const uncountedPerMinute = (perMinute: number): number =>
  Math.max(1, Math.floor(perMinute * uncountedShare));

/** Counts in the memory of one execution environment while the table cannot. */
export interface MemoryLimits {
  /**
   * Counts a request.
   *
   * @param caller the limiter's name for its sender.
   * @param max requests of a caller in a minute.
   * @returns the caller's requests in the minute, this one included; `undefined` when it is refused.
   */
  admit(caller: string, max: number, windows: Windows): number | undefined;
}

/** @param maxCallers those beyond share one count. */
export const createMemoryLimits = (maxCallers = defaultMaxCallers): MemoryLimits => {
  let minuteEnds = 0;
  let requests = new Map<string, number>();
  return {
    admit: (caller, max, { ends }) => {
      if (ends.minute !== minuteEnds) {
        minuteEnds = ends.minute;
        requests = new Map();
      }
      const key = requests.has(caller) || requests.size < maxCallers ? caller : otherCallers;
      const before = requests.get(key) ?? 0;
      if (before >= max) return undefined;
      requests.set(key, before + 1);
      return before + 1;
    },
  };
};
