import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeApiKey, readApiKey } from "../../../shared/accounts/access/api-keys.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const accountNumbers = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe("A key", () => {
  it("contains its account's number, and only its SHA-256 is stored", () => {
    fc.assert(
      fc.property(accountNumbers, (userId) => {
        const { key, prefix, ...claims } = makeApiKey(userId);
        expect(key).toMatch(/^lai_[0-9A-Za-z]{40,48}$/);
        expect(key.startsWith(prefix)).toBe(true);
        expect(prefix).toHaveLength(12);
        expect(readApiKey(key)).toEqual(claims);
        expect(claims.userId).toBe(userId);
        expect(claims.keyDigest).toBe(createHash("sha256").update(key).digest("base64url"));
        expect(claims.keyId).toMatch(/^k[0-9a-f]{12}$/);
        expect(JSON.stringify(claims)).not.toContain(key.slice(4, 37));
      }),
    );
  });

  it("ends with a CRC-32 that other programs can check as well, in base 62", () => {
    const { key } = makeApiKey(7);
    let checksum = 0;
    for (const character of key.slice(-6)) checksum = checksum * 62 + alphabet.indexOf(character);
    expect(checksum).toBe(crc32(key.slice(0, -6)));
  });

  it("is another one each time, also for one account", () => {
    const created = Array.from({ length: 200 }, () => makeApiKey(7));
    expect(new Set(created.map(({ key }) => key)).size).toBe(200);
    expect(new Set(created.map(({ keyId }) => keyId)).size).toBe(200);
    expect(new Set(created.map(({ prefix }) => prefix)).size).toBe(200);
  });

  it("with one wrong character is no key: a slip of the hand costs no look into the table", () => {
    const { key } = makeApiKey(1_234_567);
    for (let position = 0; position < key.length; position += 1) {
      const wrong = key[position] === "x" ? "y" : "x";
      expect(readApiKey(`${key.slice(0, position)}${wrong}${key.slice(position + 1)}`)).toBeUndefined();
    }
  });

  /** A text that looks like a key, with the right checksum. */
  const withChecksum = (text: string): string => {
    let rest = crc32(text);
    let checksum = "";
    for (let digit = 0; digit < 6; digit += 1) {
      checksum = alphabet.charAt(rest % 62) + checksum;
      rest = Math.floor(rest / 62);
    }
    return text + checksum;
  };

  it("is read when another implementation has written it", () => {
    expect(readApiKey(withChecksum(`lai_${"a".repeat(33)}10`))).toMatchObject({ userId: 62 });
  });

  it.each([
    ["nothing", ""],
    ["its beginning only", "lai_"],
    ["too little", withChecksum(`lai_${"a".repeat(33)}`)],
    ["an account 0", withChecksum(`lai_${"a".repeat(33)}0`)],
    ["an account with a zero in front, a second name of the same", withChecksum(`lai_${"a".repeat(33)}07`)],
    ["an account beyond what numbers can say", withChecksum(`lai_${"a".repeat(33)}zzzzzzzzz`)],
    ["too much", withChecksum(`lai_${"a".repeat(33)}1111111111`)],
    ["another beginning", withChecksum(`LAI_${"a".repeat(33)}7`)],
    ["a character beyond the alphabet", withChecksum(`lai_${"a".repeat(32)}-7`)],
    ["a line's end", `${makeApiKey(7).key}\n`],
    ["half a key", makeApiKey(7).key.slice(0, 20)],
    ["two keys", makeApiKey(7).key + makeApiKey(7).key],
  ])("is not read from %s", (_case, text) => {
    expect(readApiKey(text)).toBeUndefined();
  });

  it("is not read from anything else", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readApiKey(text)).toBeUndefined();
        expect(readApiKey(`lai_${text}`)).toBeUndefined();
      }),
    );
  });
});
