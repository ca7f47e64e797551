import type { Windows } from "./windows.ts";

/** What is let in while nothing can be counted, as a share of what is let in otherwise. */
const uncountedShare = 0.1;

/** Callers beyond this many in a minute share one count, so that the memory stays small however many there are. */
const maxCallers = 1_000;

const otherCallers = "everybody else";

/** How many requests of a caller are let in a minute while the store cannot count them. */
export const uncountedPerMinute = (perMinute: number): number =>
  Math.max(1, Math.floor(perMinute * uncountedShare));

/** Counts in the memory of one execution environment, for as long as the store cannot. */
export interface MemoryLimits {
  /**
   * Counts a request that the store could not count.
   *
   * @param caller who sent it, in words of the limiter
   * @returns whether it may be let in.
   */
  admit(caller: string, perMinute: number, windows: Windows): boolean;
}

/**
 * A strict limit that needs no store: each environment knows only of the requests that it has seen itself, so a caller
 * who reaches many of them is let in more often, and therefore by far less than otherwise.
 */
export const createMemoryLimits = (): MemoryLimits => {
  let minuteEnds = 0;
  let requests = new Map<string, number>();
  return {
    admit: (caller, perMinute, { ends }) => {
      if (ends.minute !== minuteEnds) {
        minuteEnds = ends.minute;
        requests = new Map();
      }
      const key = requests.has(caller) || requests.size < maxCallers ? caller : otherCallers;
      const before = requests.get(key) ?? 0;
      if (before >= uncountedPerMinute(perMinute)) return false;
      requests.set(key, before + 1);
      return true;
    },
  };
};
