import type { Windows } from "./windows.ts";

/** The share of the usual limit that is admitted while the table cannot count. */
const uncountedShare = 0.1;

/** Callers beyond this many in a minute share one count, so memory use stays small. */
const maxCallers = 1_000;

const otherCallers = "others";

/** Returns how many requests of a caller are admitted a minute while the table cannot count them. */
export const uncountedPerMinute = (perMinute: number): number =>
  Math.max(1, Math.floor(perMinute * uncountedShare));

/** Counts in the memory of one execution environment while the table cannot. */
export interface MemoryLimits {
  /** Counts a request. Returns whether it is admitted. @param caller the limiter's name for its sender. */
  admit(caller: string, perMinute: number, windows: Windows): boolean;
}

/** The limit is strict, because each environment counts only its own requests, and a caller may reach many of them. */
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
