import { dayMilliseconds, minuteMilliseconds } from "../../platform/durations.ts";

/** The fixed windows that a moment falls into, all of UTC. A minute never spans two days, nor a day two months. */
export interface Windows {
  /** Minutes since 1970. */
  readonly minute: number;
  /** Days since 1970. */
  readonly day: number;
  /** As in `2026-11`. */
  readonly month: string;
  /** When each window ends, in milliseconds of Unix time. */
  readonly ends: { readonly minute: number; readonly day: number; readonly month: number };
}

/** `2026-11` of a moment in milliseconds of Unix time. */
export const monthOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 7);

/** `2026-11-20` of a moment in milliseconds of Unix time. */
export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** `2026-11-20` of a day since 1970. */
export const dateOfDay = (day: number): string => dateOf(day * dayMilliseconds);

/** The day since 1970 of `2026-11-20`. */
export const dayOfDate = (date: string): number => Date.parse(date) / dayMilliseconds;

/** The windows of a moment in milliseconds of Unix time. */
export const windowsAt = (milliseconds: number): Windows => {
  const now = new Date(milliseconds);
  const minute = Math.floor(milliseconds / minuteMilliseconds);
  const day = Math.floor(milliseconds / dayMilliseconds);
  return {
    minute,
    day,
    month: monthOf(milliseconds),
    ends: {
      minute: (minute + 1) * minuteMilliseconds,
      day: (day + 1) * dayMilliseconds,
      month: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1),
    },
  };
};

/** Whole seconds until a moment, at least 1: who waits that long is past it. */
export const secondsUntil = (end: number, now: number): number => Math.max(1, Math.ceil((end - now) / 1_000));
