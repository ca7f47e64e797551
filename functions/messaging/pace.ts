import * as z from "zod";

const paceWindow = z.object({
  /** When it began, in Unix seconds. */
  since: z.int(),
  /** Messages that were answered in it. */
  count: z.int(),
  /** The person has been told that it is full. */
  told: z.boolean(),
});
type PaceWindow = z.infer<typeof paceWindow>;

/** How fast somebody is writing. */
export const pace = z.object({ minute: paceWindow, day: paceWindow });
export type Pace = z.infer<typeof pace>;

/** A time in which only so many messages of one person are answered. */
export type PaceLimit = keyof Pace;

/** Far more than a person types, far less than a program sends. The day's number is that of a free account. */
export const paceLimits: Readonly<Record<PaceLimit, { readonly seconds: number; readonly max: number }>> = {
  minute: { seconds: 60, max: 30 },
  day: { seconds: 86_400, max: 500 },
};

/** What is done about a message: it is answered, its sender is told once that it is too much, or nothing. */
export type PaceVerdict =
  | { readonly kind: "answer"; readonly pace: Pace }
  | { readonly kind: "tell"; readonly limit: PaceLimit; readonly pace: Pace }
  | { readonly kind: "leave" };

/** A window at a moment: the one before, unless that is over. */
const windowAt = (before: PaceWindow | undefined, seconds: number, at: number): PaceWindow =>
  before && Math.abs(at - before.since) < seconds ? before : { since: at, count: 0, told: false };

const counted = (window: PaceWindow): PaceWindow => ({ ...window, count: window.count + 1 });

/**
 * Looks whether a message is one too many.
 *
 * It says the same for the same message as long as the message is not finished: the pace is written in the transaction
 * that finishes a message, and a sender's messages are worked on one after the other. So a message counts once, however
 * often it is tried, and nobody is told twice.
 *
 * @param at when the message was sent, in Unix seconds. A message that waited in a queue does not count as hurry.
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
