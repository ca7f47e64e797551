import { execFile } from "node:child_process";
import { argon2Sync } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isTypable, normalisePassword } from "../../../shared/accounts/sign-in/normalise-password.ts";
import { hashPassword, verifyPassword } from "../../../shared/accounts/sign-in/passwords.ts";

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

describe("a function that keeps passwords", () => {
  it("does not start in a Node that cannot hash them, and says which one can", async () => {
    const start = (before: string) =>
      promisify(execFile)(process.execPath, [
        "--input-type=module",
        "--eval",
        `import crypto from "node:crypto"; ${before} await import("./shared/accounts/sign-in/passwords.ts");`,
      ]);
    await expect(start("")).resolves.toMatchObject({ stderr: "" });
    await expect(start("delete crypto.argon2;")).rejects.toThrow(
      `Node.js has from 24.7 on, built with OpenSSL 3.2 or newer. This is Node.js ${process.versions.node}`,
    );
  });
});

/** A hash from before passwords were normalised: of the typed text. */
const hashAsTyped = (typed: string): string => {
  const tag = argon2Sync("argon2id", {
    message: typed,
    nonce: Buffer.from("sixteen bytes it"),
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  const unpadded = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=19456,t=2,p=1$${unpadded(Buffer.from("sixteen bytes it"))}$${unpadded(tag)}`;
};

describe("a password with letters that can be composed", () => {
  const composed = "Ggwanga-\u00e9-ssanyu".normalize("NFC");
  const decomposed = composed.normalize("NFD");

  it("is the same however it was composed, and with any blank", async () => {
    expect(decomposed).not.toBe(composed);
    const stored = await hashPassword(`${decomposed} lake`);
    expect(await verifyPassword(`${composed} lake`, stored)).toBe(true);
    expect(await verifyPassword(`${decomposed}\u00a0lake`, stored)).toBe(true);
    expect(await verifyPassword(`${composed}lake`, stored)).toBe(false);
  });

  it("still opens what was stored as it was typed", async () => {
    const stored = hashAsTyped(decomposed);
    expect(await verifyPassword(decomposed, stored)).toBe(true);
    expect(await verifyPassword(composed, stored)).toBe(false);
    expect(await verifyPassword(`${decomposed}!`, stored)).toBe(false);
  });

  it("stays another one when only its width or an old ligature differs", async () => {
    for (const [one, other] of [
      ["\uff33even storks", "Seven storks"],
      ["\ufb01ve storks by", "five storks by"],
    ] as const) {
      expect(one.normalize("NFKC")).toBe(other);
      expect(await verifyPassword(other, await hashPassword(one))).toBe(false);
    }
  });

  it.each(["Ggwanga \u00e9", "\u1ea1\u0302 stork", "\ud55c\uae00 \u3000 lake", "\u0958 qamar"])(
    "is normalised once and for all: %j",
    (password) => {
      const normalised = normalisePassword(password.normalize("NFD"));
      expect(normalised).toBe(normalisePassword(password));
      expect(normalisePassword(normalised)).toBe(normalised);
    },
  );

  it("has the characters that can be seen and typed again, of every script", () => {
    const typable = [
      "\u{1e922}\u{1e925} Adlam",
      "\u12a2\u1275\u12ee",
      "\u0e44\u0e17\u0e22",
      "\ud55c\uae00",
      "caf\u00e9 \ufb01",
      "\u{1f998}\u{1f469}\u200d\u{1f33e}",
    ];
    expect(typable.filter((password) => !isTypable(normalisePassword(password)))).toEqual([]);
    const not = [
      "\0",
      "a\nb",
      "\t",
      "\u007f",
      "\u0085",
      "\u00ad",
      "\u200b",
      "\u200e",
      "\u2028",
      "\ufeff",
      "\ufe0f",
      "\ufffe",
      "\ue000",
      "\u{e0041}",
      "\ud800",
      "\u0378",
      "\u1100",
      "\u0640",
    ];
    expect(not.filter((password) => isTypable(normalisePassword(password)))).toEqual([]);
  });
});
