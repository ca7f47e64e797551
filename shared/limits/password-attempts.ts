import { passwordPolicy } from "./policies.ts";

/** What is remembered of the wrong passwords for one name. */
export interface PasswordAttempts {
  readonly failures: number;
  /** Milliseconds of Unix time before which no further password is looked at; 0 while there is no wait. */
  readonly blockedUntil: number;
  /** Milliseconds of Unix time at which all of this is forgotten. */
  readonly forgottenAt: number;
}

const { freeFailures, windowSeconds, firstWaitSeconds, longestWaitSeconds } = passwordPolicy;

/** How long a name must wait after so many wrong passwords. */
const waitSecondsAfter = (failures: number): number =>
  failures < freeFailures
    ? 0
    : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** (failures - freeFailures));

/** Milliseconds until another password may be tried; 0 when that is now. */
export const remainingWait = (attempts: PasswordAttempts | undefined, now: number): number =>
  Math.max(0, (attempts?.blockedUntil ?? 0) - now);

/**
 * What is to be remembered after one more wrong password.
 *
 * The first ones are forgotten together, fifteen minutes after the first of them. From the fifth on each makes the name
 * wait, twice as long as the one before, and is forgotten fifteen minutes after the wait: who never stops guessing never
 * gets the free ones back.
 */
export const afterWrongPassword = (attempts: PasswordAttempts | undefined, now: number): PasswordAttempts => {
  const known = attempts && attempts.forgottenAt > now ? attempts : undefined;
  const failures = (known?.failures ?? 0) + 1;
  const wait = waitSecondsAfter(failures) * 1_000;
  if (wait > 0) {
    const blockedUntil = now + wait;
    return { failures, blockedUntil, forgottenAt: blockedUntil + windowSeconds * 1_000 };
  }
  return { failures, blockedUntil: 0, forgottenAt: known?.forgottenAt ?? now + windowSeconds * 1_000 };
};
