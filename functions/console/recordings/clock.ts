import { hourSeconds, minuteSeconds } from "../../../shared/platform/durations.ts";

/** A time in a recording, such as `1:02:03`. */
export const clockOf = (seconds: number): string => {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / hourSeconds), Math.floor(whole / minuteSeconds) % 60, whole % 60];
  const [first = 0, ...rest] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...rest.map((part) => String(part).padStart(2, "0"))].join(":");
};
