import { describe, expect, it } from "vitest";
import { credentialAccess, requireAccess } from "../../../shared/accounts/access/access.ts";
import { makeApiKey } from "../../../shared/accounts/access/api-keys.ts";
import { callerWith } from "../../../shared/accounts/access/caller.ts";
import type { Item } from "../../../shared/platform/storage/table.ts";

const access: Item = { account_type: "Free", disabled: false, token_epoch: 3, email_verified: true };
const now = 1_795_168_800;
const token = { userId: 7, tokenId: "t-1", tokenEpoch: 3 };
const { key: _key, prefix: _prefix, ...key } = makeApiKey(7);
const entry = { h: key.keyDigest };

const withKey = (fields: Item): Item => ({ ...access, api_keys: { [key.keyId]: { ...entry, ...fields } } });

describe("A token", () => {
  it.each([
    ["that was not replaced is valid", access, true],
    ["is valid although others were replaced", { ...access, revoked: { other: 0 } }, true],
    ["that was replaced does not", { ...access, revoked: { "t-1": 0 } }, false],
    ["from before all tokens were revoked does not", { ...access, token_epoch: 4 }, false],
    ["from an epoch that has not started does not", { ...access, token_epoch: 2 }, false],
  ])("%s", (_case, item, isValid) => {
    expect(credentialAccess(item, token, now)).toMatchObject({ isValid, key: undefined });
  });

  it("may do all that its account may", () => {
    const found = credentialAccess(withKey({ s: new Set(["speech"]) }), token, now);
    expect(requireAccess(found, token, undefined)).toMatchObject({ account_type: "Free" });
    expect(requireAccess(found, token, "chat")).toMatchObject({ account_type: "Free" });
  });
});

describe("A token for some tasks", () => {
  const limited = { ...token, scopes: ["translate", "speech"] };
  const refusal = (item: Item, scope: Parameters<typeof requireAccess>[2]) => {
    try {
      return requireAccess(credentialAccess(item, limited, now), limited, scope).account_type;
    } catch (error) {
      return error;
    }
  };

  it("may call those, and what every credential may do", () => {
    for (const scope of ["translate", "speech", "any"] as const) expect(refusal(access, scope)).toBe("Free");
  });

  it("is refused all others, and everything about its account", () => {
    expect(refusal(access, "chat")).toMatchObject({
      code: "insufficient_scope",
      message: "This token does not have the scope 'chat'.",
    });
    expect(refusal(access, undefined)).toMatchObject({
      code: "insufficient_scope",
      message: "This token is for some tasks only; use the account's own token.",
    });
    expect(callerWith(limited, { account_type: "Free" })).toMatchObject({ userId: 7, token: undefined });
  });

  it("ends with all tokens of its account", () => {
    for (const scope of ["speech", "chat", undefined] as const) {
      expect(refusal({ ...access, token_epoch: 4 }, scope)).toMatchObject({ code: "unauthenticated" });
    }
  });
});

describe("A key", () => {
  it.each([
    ["that was created is valid", withKey({}), true],
    ["that does not expire yet is valid", withKey({ e: now + 1 }), true],
    ["that has expired in this second does not", withKey({ e: now }), false],
    ["that was revoked does not", { ...access, api_keys: {} }, false],
    ["of an account that never had one does not", access, false],
    ["with another's id and a digest of its own does not", withKey({ h: "another" }), false],
    ["whose digest only begins alike does not", withKey({ h: key.keyDigest.slice(0, -1) }), false],
    ["is valid regardless of tokens", { ...withKey({}), token_epoch: 9 }, true],
  ])("%s", (_case, item, isValid) => {
    const found = credentialAccess(item, key, now);
    expect(found).toMatchObject({ isValid });
    expect(found?.key === undefined).toBe(!isValid);
  });

  it("of a deleted account is refused", () => {
    expect(credentialAccess(undefined, key, now)).toBeUndefined();
    expect(credentialAccess({ "M2026-11": 1 }, key, now)).toBeUndefined();
  });

  it("whose id is the name of an object's own property is refused", () => {
    const odd = { ...key, keyId: "constructor" };
    expect(credentialAccess({ ...access, api_keys: {} }, odd, now)).toMatchObject({ isValid: false });
  });

  const refusal = (item: Item, scope: Parameters<typeof requireAccess>[2]) => {
    try {
      return requireAccess(credentialAccess(item, key, now), key, scope).account_type;
    } catch (error) {
      return error;
    }
  };

  it("without scopes may call every task, and change nothing about the account", () => {
    expect(refusal(withKey({}), "speech")).toBe("Free");
    expect(refusal(withKey({}), "jobs")).toBe("Free");
    expect(refusal(withKey({}), "any")).toBe("Free");
    expect(refusal(withKey({}), undefined)).toMatchObject({ code: "insufficient_scope", status: 403 });
  });

  it("with scopes may call those only", () => {
    const item = withKey({ s: new Set(["speech", "upload"]) });
    expect(refusal(item, "speech")).toBe("Free");
    expect(refusal(item, "upload")).toBe("Free");
    expect(refusal(item, "any")).toBe("Free");
    expect(refusal(item, "chat")).toMatchObject({
      code: "insufficient_scope",
      message: "This key does not have the scope 'chat'.",
    });
    expect(refusal(item, undefined)).toMatchObject({ code: "insufficient_scope" });
  });

  it("that is invalid does not reveal whether it would have been allowed, nor whether its account is disabled", () => {
    const revoked = { ...access, disabled: true, api_keys: {} };
    for (const scope of ["speech", "any", undefined] as const) {
      expect(refusal(revoked, scope)).toMatchObject({ code: "unauthenticated" });
    }
  });

  it("of a disabled account is refused as such, for every operation", () => {
    for (const scope of ["speech", undefined] as const) {
      expect(refusal({ ...withKey({}), disabled: true }, scope)).toMatchObject({ code: "forbidden" });
    }
  });
});
