import { type Admission, admissionOf } from "./admission.ts";
import { addressGroup } from "./keys.ts";
import { createMemoryLimits } from "./memory-limits.ts";
import { minutePolicy, readingLimits } from "./policies.ts";
import { windowsAt } from "./windows.ts";

/** An environment remembers more addresses than it can serve in a minute. */
const maxAddresses = 10_000;

const isLoopback = (group: string): boolean => group.startsWith("127.") || group === addressGroup("::1");

/** Limits reading by address in the memory of one environment, which needs no table. */
export interface ReadingLimit {
  admit(sourceAddress: string): Admission;
}

/** @param now milliseconds of Unix time. */
export const createReadingLimit = (now: () => number = Date.now): ReadingLimit => {
  const memory = createMemoryLimits(maxAddresses);
  return {
    admit: (sourceAddress) => {
      const time = now();
      const windows = windowsAt(time);
      const group = addressGroup(sourceAddress);
      const perMinute = isLoopback(group) ? readingLimits.loopback : readingLimits.address;
      const counted = memory.admit(group, perMinute, windows);
      const minute = counted ?? perMinute;
      const counts = { counted: counted !== undefined, minute, day: 0, month: 0 };
      return admissionOf(minutePolicy(perMinute), counts, windows, time);
    },
  };
};
