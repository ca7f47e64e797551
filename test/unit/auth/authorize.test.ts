import { describe, expect, it, vi } from "vitest";
import { createIssuedTokens } from "../../../shared/accounts/issued-tokens.ts";
import { authorize } from "../../../shared/auth/authorize.ts";
import type { Item, ItemTable } from "../../../shared/storage/item-table.ts";

const profile = {
  PK: "USER#7",
  SK: "PROFILE",
  id: 7,
  username: "amina",
  email: "amina@example.com",
  password_hash: "$argon2id$the-hash",
  organization: "Unknown",
  account_type: "Premium",
  oauth_type: "Credentials",
  email_verified: true,
  disabled: false,
  token_epoch: 3,
  created_at: "2026-11-20T10:00:00.000Z",
};
const token = {
  PK: "USER#7",
  SK: "TOKEN#token-1",
  token_id: "token-1",
  token_epoch: 3,
  created_at: "2026-11-20T10:00:00.000Z",
};

/** Decides about a header, with these items in the table. */
const decide = async (items: readonly Item[], authorization: string | undefined) => {
  const readItems = vi.fn<ItemTable["readItems"]>(async () => [...items]);
  const update = () => Promise.reject(new Error("Checking a token writes nothing."));
  const verify = vi.fn(async (value: string) =>
    value === "good" ? { userId: 7, tokenId: "token-1" } : undefined,
  );
  const sign = () => Promise.reject(new Error("Checking a token signs nothing."));
  const issuedTokens = createIssuedTokens({ readItems, update });
  const decision = await authorize(authorization, { tokens: { sign, verify }, issuedTokens });
  return { decision, readItems, verify };
};

describe("A bearer token", () => {
  it.each([
    ["first", [profile, token]],
    ["last", [token, profile]],
  ])("opens what its account may do, with the account %s in the table's answer", async (_order, items) => {
    const { decision, readItems } = await decide(items, "Bearer good");
    expect(decision).toEqual({
      kind: "allowed",
      caller: { userId: 7, username: "amina", accountType: "Premium", tokenId: "token-1" },
    });
    expect(readItems).toHaveBeenCalledExactlyOnceWith([
      { PK: "USER#7", SK: "PROFILE" },
      { PK: "USER#7", SK: "TOKEN#token-1" },
    ]);
  });

  it.each([
    ["that was revoked", [profile]],
    ["whose account is gone", [token]],
    ["of which nothing is known", []],
    ["from before all tokens were revoked", [profile, { ...token, token_epoch: 2 }]],
    ["from an epoch that has not begun", [profile, { ...token, token_epoch: 4 }]],
    [
      "of a disabled account, when it was revoked too",
      [
        { ...profile, disabled: true },
        { ...token, token_epoch: 2 },
      ],
    ],
  ])("%s opens nothing", async (_case, items) => {
    expect((await decide(items, "Bearer good")).decision).toEqual({ kind: "unauthenticated" });
  });

  it("of a disabled account is told so", async () => {
    const { decision } = await decide([{ ...profile, disabled: true }, token], "Bearer good");
    expect(decision).toEqual({ kind: "forbidden", userId: 7 });
  });

  it("with a wrong signature is not looked for in the table", async () => {
    const { decision, readItems } = await decide([profile, token], "Bearer forged");
    expect(decision).toEqual({ kind: "unauthenticated" });
    expect(readItems).not.toHaveBeenCalled();
  });

  it.each([undefined, "", "Bearer ", "Basic good"])("is not in the header %j", async (header) => {
    const { decision, readItems, verify } = await decide([profile, token], header);
    expect(decision).toEqual({ kind: "unauthenticated" });
    expect(verify).not.toHaveBeenCalled();
    expect(readItems).not.toHaveBeenCalled();
  });

  it("is not called invalid when the table cannot be read", async () => {
    const failure = new Error("The table does not answer.");
    const readItems = () => Promise.reject(failure);
    const update = () => Promise.reject(failure);
    const decision = authorize("Bearer good", {
      tokens: { sign: async () => "", verify: async () => ({ userId: 7, tokenId: "token-1" }) },
      issuedTokens: createIssuedTokens({ readItems, update }),
    });
    await expect(decision).rejects.toBe(failure);
  });
});

describe("The account of a token", () => {
  it("comes without the hash of its password", async () => {
    const readItems = async () => [profile, token];
    const update = () => Promise.reject(new Error("Checking a token writes nothing."));
    const found = await createIssuedTokens({ readItems, update }).findAccount({
      userId: 7,
      tokenId: "token-1",
    });
    expect(found).toMatchObject({ id: 7, username: "amina" });
    expect(JSON.stringify(found)).not.toContain("the-hash");
  });
});
