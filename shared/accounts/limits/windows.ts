import { dayMilliseconds, minuteMilliseconds } from "../../platform/durations.ts";

/** The fixed windows of UTC at a time. A minute never spans two days, nor a day two months. */
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

/** Formats a time in milliseconds, such as `2026-11`. */
export const monthOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 7);

/** Formats a time in milliseconds, such as `2026-11-20`. */
export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** Formats a day since 1970, such as `2026-11-20`. */
export const dateOfDay = (day: number): string => dateOf(day * dayMilliseconds);

/** Parses a date such as `2026-11-20` to a day since 1970. */
export const dayOfDate = (date: string): number => Date.parse(date) / dayMilliseconds;

/** Returns the windows at a time in milliseconds. */
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

/** Returns whole seconds until a time, at least 1, so a caller who waits that long is past it. */
export const secondsUntil = (end: number, now: number): number => Math.max(1, Math.ceil((end - now) / 1_000));
