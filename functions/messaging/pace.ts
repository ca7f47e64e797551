import * as z from "zod";
import { daySeconds, minuteSeconds } from "../../shared/platform/durations.ts";

const paceWindow = z.object({
  /** When it started, in Unix seconds. */
  since: z.int(),
  /** Messages with a reply in it. */
  count: z.int(),
  /** The person was warned that the limit is reached. */
  told: z.boolean(),
});
type PaceWindow = z.infer<typeof paceWindow>;

export const pace = z.object({ minute: paceWindow, day: paceWindow });
export type Pace = z.infer<typeof pace>;

export type PaceLimit = keyof Pace;

/** Far more than a person types, far less than a program sends. The limit per day is that of a free account. */
export const paceLimits: Readonly<Record<PaceLimit, { readonly seconds: number; readonly max: number }>> = {
  minute: { seconds: minuteSeconds, max: 30 },
  day: { seconds: daySeconds, max: 500 },
};

/** Whether to reply to a message, to warn its sender once, or to skip it. */
export type PaceVerdict =
  | { readonly kind: "answer"; readonly pace: Pace }
  | { readonly kind: "tell"; readonly limit: PaceLimit; readonly pace: Pace }
  | { readonly kind: "leave" };

/** Returns the current window: the stored one, or a new one if that has ended. */
const windowAt = (before: PaceWindow | undefined, seconds: number, at: number): PaceWindow =>
  before && Math.abs(at - before.since) < seconds ? before : { since: at, count: 0, told: false };

const counted = (window: PaceWindow): PaceWindow => ({ ...window, count: window.count + 1 });

/**
 * Checks a message against the limits.
 *
 * The verdict stays the same until the message is finished: that transaction also writes the pace, and a sender's messages are
 * processed in sequence. So each message counts once, and a person is warned once.
 *
 * @param at when the message was sent, in Unix seconds, so messages that waited in the queue are not counted as fast.
 */
export const judgePace = (before: Pace | undefined, at: number): PaceVerdict => {
  const minute = windowAt(before?.minute, paceLimits.minute.seconds, at);
  const day = windowAt(before?.day, paceLimits.day.seconds, at);
  const now = { minute, day };
  const isFull = (limit: PaceLimit): boolean => now[limit].count >= paceLimits[limit].max;
  const limit = isFull("day") ? "day" : isFull("minute") ? "minute" : undefined;
  if (limit === undefined) return { kind: "answer", pace: { minute: counted(minute), day: counted(day) } };
  if (now[limit].told) return { kind: "leave" };
  return { kind: "tell", limit, pace: { ...now, [limit]: { ...now[limit], told: true } } };
};
