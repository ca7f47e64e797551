/** Lengths of time in seconds and in milliseconds: the one place that spells them. */

export const minuteSeconds = 60;
export const hourSeconds = 60 * minuteSeconds;
export const daySeconds = 24 * hourSeconds;

export const minuteMilliseconds = 1_000 * minuteSeconds;
export const hourMilliseconds = 1_000 * hourSeconds;
export const dayMilliseconds = 1_000 * daySeconds;
