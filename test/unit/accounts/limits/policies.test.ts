import { describe, expect, it } from "vitest";
import { accountPoliciesWith } from "../../../../shared/accounts/limits/policies.ts";

const free = { account_type: "Free", email_verified: true } as const;

describe("The limits of accounts", () => {
  it("are the tier's without a multiplier", () => {
    expect(accountPoliciesWith(0.1)(free)).toMatchObject({ perMinute: 50, perDay: 500, perMonth: 5_000 });
  });

  it("are multiplied for requests, tasks and the minutes of jobs, but not for streams and characters", () => {
    const { streamsAtOnce, charactersPerMonth } = accountPoliciesWith(1)(free);
    expect(accountPoliciesWith(1, 10)(free)).toEqual({
      perMinute: 500,
      perDay: 5_000,
      perMonth: 50_000,
      streamsAtOnce,
      audioSecondsPerMonth: 30 * 3_600,
      charactersPerMonth,
    });
  });

  it("are a share of the multiplied quota until the email address is verified", () => {
    const unverified = { ...free, email_verified: false };
    expect(accountPoliciesWith(0.1, 10)(unverified)).toMatchObject({
      perMinute: 500,
      perDay: 500,
      onceVerified: { perDay: 5_000, perMonth: 50_000 },
    });
  });

  it("stay unlimited where the tier has no quota", () => {
    const admin = { account_type: "Admin", email_verified: false } as const;
    expect(accountPoliciesWith(0.1, 10)(admin)).toMatchObject({ perMinute: 10_000, perDay: undefined });
  });
});
