import { describe, expect, it } from "vitest";
import {
  newRecoveryCodes,
  readCode,
  recoveryCodeDigest,
} from "../../../../shared/accounts/second-factor/recovery-codes.ts";

describe("Recovery codes", () => {
  it("are ten, and all different", () => {
    const codes = newRecoveryCodes();
    expect(codes).toHaveLength(10);
    expect(new Set([...codes, ...newRecoveryCodes()]).size).toBe(20);
    for (const code of codes) expect(code).toMatch(/^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){3}$/);
  });

  it("are read as people type them", () => {
    const digest = recoveryCodeDigest("k3vq-8hzt-mw2c-x7fa");
    for (const typed of ["k3vq-8hzt-mw2c-x7fa", " K3VQ 8HZT MW2C X7FA ", "k3vq8hztmw2cx7fa"])
      expect(readCode(typed)).toEqual({ kind: "recovery", digest });
    expect(readCode("k3vq-8hzt-mw2c-x7fb")).not.toEqual({ kind: "recovery", digest });
  });
});

describe("A typed code", () => {
  it("of an app has six digits, with or without spaces", () => {
    for (const typed of ["012345", "012 345", " 012345\n"])
      expect(readCode(typed)).toEqual({ kind: "app", digits: "012345" });
  });

  it.each(["", "12345", "1234567", "seven storks by the lake", "k3vq-8hzt-mw2c", "é".repeat(16)])(
    "is not %j",
    (typed) => {
      expect(readCode(typed)).toBeUndefined();
    },
  );
});
