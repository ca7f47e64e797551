import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterWrongPassword,
  type PasswordAttempts,
  remainingWait,
} from "../../../shared/accounts/sign-in/password-attempts.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const start = Date.parse("2026-11-20T10:00:00Z");

/** Wrong passwords as soon as each may be tried. @returns the waits in seconds. */
const guessOnAndOn = (count: number): number[] => {
  let attempts: PasswordAttempts | undefined;
  let now = start;
  return Array.from({ length: count }, () => {
    attempts = afterWrongPassword(attempts, now);
    const wait = remainingWait(attempts, now);
    now += wait;
    return wait / 1_000;
  });
};

describe("wrong passwords of one count", () => {
  it("cost nothing for longer where the count is laxer", () => {
    let attempts: PasswordAttempts | undefined;
    for (let failure = 0; failure < 99; failure += 1) attempts = afterWrongPassword(attempts, start, 100);
    expect(remainingWait(attempts, start)).toBe(0);
    expect(remainingWait(afterWrongPassword(attempts, start, 100), start)).toBe(5_000);
  });

  it("cost nothing four times; from the fifth on each doubles the wait, up to a quarter of an hour", () => {
    expect(guessOnAndOn(15)).toEqual([0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]);
  });

  it("are forgotten a day after the first, while there are few", () => {
    let attempts: PasswordAttempts | undefined;
    for (let failure = 0; failure < 4; failure += 1) {
      attempts = afterWrongPassword(attempts, start + failure * minute);
    }
    expect(afterWrongPassword(attempts, start + day - minute)).toMatchObject({ failures: 5 });
    expect(afterWrongPassword(attempts, start + day)).toMatchObject({ failures: 1, blockedUntil: 0 });
  });

  it("are forgotten a day after the wait, when there were many", () => {
    let attempts: PasswordAttempts | undefined;
    for (let failure = 0; failure < 5; failure += 1) attempts = afterWrongPassword(attempts, start);
    expect(afterWrongPassword(attempts, start + day)).toMatchObject({ failures: 6 });
    expect(afterWrongPassword(attempts, start + day + 5_000)).toMatchObject({ failures: 1 });
  });

  it("never lock a name for more than a quarter of an hour, in any sequence", () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 40 * 60 * minute }), { maxLength: 60 });
    fc.assert(
      fc.property(pauses, (between) => {
        let attempts: PasswordAttempts | undefined;
        let now = start;
        for (const pause of between) {
          now += pause;
          if (remainingWait(attempts, now) > 0) continue;
          attempts = afterWrongPassword(attempts, now);
          expect(remainingWait(attempts, now)).toBeLessThanOrEqual(15 * minute);
        }
      }),
    );
  });

  it("let a persistent guesser try no more than a hundred and some passwords a day", () => {
    let attempts: PasswordAttempts | undefined;
    let tried = 0;
    for (let now = start; now < start + 24 * 60 * minute; now += remainingWait(attempts, now) || 1) {
      attempts = afterWrongPassword(attempts, now);
      tried += 1;
    }
    expect(tried).toBeLessThan(120);
  });
});
