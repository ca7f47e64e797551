import { describe, expect, it } from "vitest";
import { audioRefusal } from "../../../../shared/accounts/limits/audio-quota.ts";
import { accountCounters } from "../../../../shared/accounts/limits/keys.ts";
import { accountPoliciesWith } from "../../../../shared/accounts/limits/policies.ts";
import { windowsAt } from "../../../../shared/accounts/limits/windows.ts";

const now = Date.parse("2026-11-22T10:00:00Z");
const { day } = windowsAt(now);
const minute = 60_000;
const audio = { userId: 1, operationId: "createJob", keyId: undefined, day, milliseconds: 5.2 * minute };
const access = { account_type: "Free", email_verified: true, disabled: false, token_epoch: 0 };

const refusalOf = (item: Record<string, unknown> | undefined) =>
  audioRefusal(item, audio, accountPoliciesWith(1), now);

describe("A recording that exceeds the month's quota", () => {
  it("is refused with the quota, its rest, and the recording's length", () => {
    const used = { [accountCounters.audio("2026-11")]: 176.5 * minute };
    expect(refusalOf({ ...access, ...used })).toMatchObject({
      code: "quota_exceeded",
      message:
        "Jobs may transcribe 180 minutes of recordings a month for this account; 3 minutes are left, and this one has 6 minutes.",
      retryAfterSeconds: 8 * 86_400 + 14 * 3_600,
    });
  });

  it("has nothing left when more than the quota was used", () => {
    const used = { [accountCounters.audio("2026-11")]: 200 * minute };
    expect(refusalOf({ ...access, ...used }).message).toContain("; 0 minutes are left");
  });

  it("is refused as without an account when that is gone or being deleted", () => {
    expect(refusalOf(undefined).code).toBe("unauthenticated");
    expect(refusalOf({ ...access, deletion_began: "2026-11-22T09:00:00Z" }).code).toBe("unauthenticated");
  });
});
