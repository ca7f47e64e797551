import { minuteMilliseconds } from "../../platform/durations.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Item } from "../../platform/storage/table.ts";
import { accountAccess } from "../access/account-access.ts";
import { accountCounters } from "./keys.ts";
import { countIn } from "./limit-counters.ts";
import { type MonthlyCount, monthOfDay } from "./monthly-quota.ts";
import type { AccountPolicies } from "./policies.ts";
import { usageCounter } from "./usage-counters.ts";
import { secondsUntil, windowsAt } from "./windows.ts";

/** A recording to count on an account. */
export interface CountedAudio {
  readonly userId: number;
  /** The operation on whose row of the usage it is shown. */
  readonly operationId: string;
  readonly keyId: string | undefined;
  /** The day of the request, counted from 1970: its month counts the recording. */
  readonly day: number;
  readonly milliseconds: number;
}

/** Returns what a recording counts on its account's month and usage. */
export const audioCount = (audio: CountedAudio): MonthlyCount => ({
  userId: audio.userId,
  counter: accountCounters.audio(monthOfDay(audio.day)),
  usage: usageCounter(audio, "audioMilliseconds"),
  amount: audio.milliseconds,
  limitOf: ({ audioSecondsPerMonth }) => audioSecondsPerMonth && audioSecondsPerMonth * 1_000,
});

/** Whether a recording fits into the rest of the month. @param access the access item of the account. */
export const hasAudioLeft = (access: Item, audio: CountedAudio, policyOf: AccountPolicies): boolean => {
  const { audioSecondsPerMonth } = policyOf(accountAccess.parse(access));
  if (audioSecondsPerMonth === undefined) return true;
  const used = countIn(access, accountCounters.audio(monthOfDay(audio.day)));
  return used + audio.milliseconds <= audioSecondsPerMonth * 1_000;
};

const inMinutes = (milliseconds: number): string => `${Math.ceil(milliseconds / minuteMilliseconds)} minutes`;

/**
 * Returns why a recording was not counted.
 *
 * @param access the access item of the account; `undefined` when there is none.
 */
export const audioRefusal = (
  access: Item | undefined,
  audio: CountedAudio,
  policyOf: AccountPolicies,
  now: number,
): AppError => {
  if (!access || access["deletion_began"] !== undefined) return new AppError("unauthenticated");
  const { audioSecondsPerMonth = 0 } = policyOf(accountAccess.parse(access));
  const used = countIn(access, accountCounters.audio(monthOfDay(audio.day)));
  const left = Math.max(0, audioSecondsPerMonth * 1_000 - used);
  return new AppError("quota_exceeded", {
    message:
      `Jobs may transcribe ${inMinutes(audioSecondsPerMonth * 1_000)} of recordings a month for this account; ` +
      `${Math.floor(left / minuteMilliseconds)} minutes are left, and this one has ${inMinutes(audio.milliseconds)}.`,
    retryAfterSeconds: secondsUntil(windowsAt(now).ends.month, now),
  });
};
