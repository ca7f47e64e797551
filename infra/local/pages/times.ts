import { daySeconds } from "../../../shared/platform/durations.ts";

/** From the longest: a time is said in the first unit of which it has at least one. */
const units = [
  ["day", daySeconds],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago a time was, such as "3 minutes ago". */
export const agoIn = (at: string, now: number): string => {
  const seconds = Math.max(0, Math.floor((now - Date.parse(at)) / 1_000));
  const [unit, length] = units.find(([, shortest]) => seconds >= shortest) ?? ["second", 1];
  return relative.format(-Math.floor(seconds / length), unit);
};

/** A time in the zone of this machine. */
export const exactTime = (at: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  }).format(new Date(at));
