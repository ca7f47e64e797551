import { describe, expect, it } from "vitest";
import {
  codeAt,
  otpauthAddress,
  stepAt,
  stepOfCode,
  stepSeconds,
  toBase32,
} from "../../../../shared/accounts/second-factor/totp.ts";
import { fromBase32 } from "../../../support/second-factor.ts";

const ascii = (text: string) => new TextEncoder().encode(text);

/** The secret of the examples of both RFCs. */
const secret = ascii("12345678901234567890");

describe("A code", () => {
  // RFC 4226, appendix D.
  it.each(
    "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489"
      .split(" ")
      .map((code, count) => [count, code] as const),
  )("of the count %i is the one of RFC 4226", (count, code) => {
    expect(codeAt(secret, count)).toBe(code);
  });

  // RFC 6238, appendix B: the rows for SHA-1.
  it.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("at the second %i is the one of RFC 6238", (seconds, code) => {
    expect(codeAt(secret, stepAt(seconds * 1_000), 8)).toBe(code);
    // Six digits are the last six of eight.
    expect(codeAt(secret, stepAt(seconds * 1_000))).toBe(code.slice(2));
  });

  it("is accepted one step before and after its own, and not beyond", () => {
    const now = 1_795_000_000_000;
    const step = stepAt(now);
    const accepted = [-2, -1, 0, 1, 2].map((drift) => stepOfCode(secret, codeAt(secret, step + drift), now));
    expect(accepted).toEqual([undefined, step - 1, step, step + 1, undefined]);
    const first = stepSeconds * 1_000 * step;
    expect([stepAt(first - 1), stepAt(first), stepAt(first + stepSeconds * 1_000)]).toEqual([
      step - 1,
      step,
      step + 1,
    ]);
  });

  it.each(["", "12345", "1234567", "abcdef"])("is not %j", (typed) => {
    expect(stepOfCode(secret, typed, 59_000)).toBeUndefined();
  });
});

describe("Base 32", () => {
  // RFC 4648, section 10, without padding.
  it.each([
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ])("of %j is %j", (text, encoded) => {
    expect(toBase32(ascii(text))).toBe(encoded);
    expect(new TextDecoder().decode(fromBase32(encoded))).toBe(text);
  });
});

describe("The address for apps", () => {
  it("names the service and the account, with any characters", () => {
    const address = new URL(otpauthAddress(secret, "amina", "Language AI: tests & more"));
    expect(address.protocol).toBe("otpauth:");
    expect(decodeURIComponent(address.href)).toContain("//totp/Language AI: tests & more:amina?");
    expect(Object.fromEntries(address.searchParams)).toEqual({
      secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      issuer: "Language AI: tests & more",
    });
  });
});
