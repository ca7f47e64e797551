import { describe, expect, it } from "vitest";
import { isCommonPassword, newPassword, username } from "../../../functions/auth/fields.ts";
import { hashPassword, verifyPassword } from "../../../functions/auth/passwords.ts";

describe("a stored password", () => {
  it("is Argon2id at the parameters OWASP recommends, with its own salt", async () => {
    const [one, other] = await Promise.all([hashPassword("same words"), hashPassword("same words")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(other);
  });

  it("recognises its password and no other", async () => {
    const stored = await hashPassword("seven storks by the lake");
    expect(await verifyPassword("seven storks by the lake", stored)).toBe(true);
    expect(await verifyPassword("seven storks by the Lake", stored)).toBe(false);
  });

  it("counts every character, far beyond the 72 bytes that bcrypt reads", async () => {
    const stored = await hashPassword(`${"x".repeat(200)}a`);
    expect(await verifyPassword(`${"x".repeat(200)}b`, stored)).toBe(false);
  });

  it("of an account that does not exist matches nothing", async () => {
    expect(await verifyPassword("anything", undefined)).toBe(false);
  });
});

describe("common passwords", () => {
  it.each(["password", "12345678", "Qwertyuiop", "iloveyou"])("%s is one", (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it("a phrase of four words is none", () => {
    expect(isCommonPassword("seven storks by the lake")).toBe(false);
  });
});

describe("A field of a registration", () => {
  it("takes passwords of 8 to 256 characters", () => {
    const lengths = [7, 8, 256, 257].map((length) =>
      newPassword.safeParse("zq".repeat(200).slice(0, length)),
    );
    expect(lengths.map(({ success }) => success)).toEqual([false, true, true, false]);
  });

  it("takes user names of 3 to 64 characters, none of them an @", () => {
    const names = ["ab", "abc", "a".repeat(64), "a".repeat(65), "a@b"];
    expect(names.map((name) => username.safeParse(name).success)).toEqual([false, true, true, false, false]);
  });
});
