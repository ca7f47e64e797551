/** The fixed windows that a moment falls into, all of UTC. A minute never spans two days, nor a day two months. */
export interface Windows {
  /** Minutes since the month began. */
  readonly minuteOfMonth: number;
  /** 1 to 31. */
  readonly dayOfMonth: number;
  /** As in `2026-11`. */
  readonly month: string;
  /** When each window ends, in milliseconds of Unix time. */
  readonly ends: { readonly minute: number; readonly day: number; readonly month: number };
}

const minuteMilliseconds = 60_000;

/** `2026-11` of a moment in milliseconds of Unix time. */
export const monthOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 7);

/** `2026-11-20` of a moment in milliseconds of Unix time. */
export const dateOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The windows of a moment in milliseconds of Unix time. */
export const windowsAt = (milliseconds: number): Windows => {
  const now = new Date(milliseconds);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  const dayOfMonth = now.getUTCDate();
  const minuteOfMonth = Math.floor((milliseconds - Date.UTC(year, month)) / minuteMilliseconds);
  return {
    minuteOfMonth,
    dayOfMonth,
    month: monthOf(milliseconds),
    ends: {
      minute: Date.UTC(year, month) + (minuteOfMonth + 1) * minuteMilliseconds,
      day: Date.UTC(year, month, dayOfMonth + 1),
      month: Date.UTC(year, month + 1),
    },
  };
};

/** Whole seconds until a moment, at least 1: who waits that long is past it. */
export const secondsUntil = (end: number, now: number): number => Math.max(1, Math.ceil((end - now) / 1_000));
