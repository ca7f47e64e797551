import { describe, expect, it, vi } from "vitest";
import { createSigningKeySource, createTokens, type TokenClaims } from "../../../shared/auth/tokens.ts";
import {
  createBearerSearch,
  createBearerVerification,
  type VerifyBearer,
} from "../../../shared/auth/verify-bearer.ts";
import type { Item, ItemRead } from "../../../shared/storage/item-table.ts";

const secret = "first-secret-of-more-than-thirty-two-bytes";
const claims: TokenClaims = { userId: 7, tokenId: "token-1", tokenEpoch: 3 };
const { sign } = createTokens(createSigningKeySource(async () => secret));

describe("The token of an Authorization header", () => {
  it("is what its signature vouches for", async () => {
    const verify = createBearerVerification(async () => secret);
    expect(await verify(`Bearer ${await sign(claims, undefined)}`)).toEqual(claims);
  });

  it.each([undefined, "", "Bearer ", "Basic good", "Bearer forged"])("is not in %j", async (header) => {
    expect(await createBearerVerification(async () => secret)(header)).toBeUndefined();
  });

  it("has its key asked for while the function starts", () => {
    const read = vi.fn(async () => secret);
    createBearerVerification(read);
    expect(read).toHaveBeenCalled();
  });

  it("is not called invalid when there is no key to check it with", async () => {
    const verify = createBearerVerification(() =>
      Promise.reject(new Error("Secrets Manager does not answer.")),
    );
    await expect(verify(`Bearer ${await sign(claims, undefined)}`)).rejects.toThrow("Secrets Manager");
  });
});

const access: Item = {
  account_type: "Premium",
  disabled: false,
  token_epoch: 3,
  email_verified: true,
};

describe("Whose a token is, where none need be", () => {
  const verified: VerifyBearer = async (header) => (header === "Bearer good" ? claims : undefined);
  const find = (header: string, item: Item | undefined) => {
    const read = vi.fn(async (_read: ItemRead) => item);
    return { read, found: createBearerSearch(verified, { read }, "upload")(header) };
  };

  it("is known from one read, which fetches what it needs and no counter", async () => {
    const { read, found } = find("Bearer good", access);
    expect(await found).toBe(7);
    expect(read).toHaveBeenCalledExactlyOnceWith(
      {
        Key: { PK: "ACCESS#7", SK: "ACCESS" },
        ProjectionExpression: "account_type, disabled, token_epoch, email_verified, default_language, revoked.#own",
        ExpressionAttributeNames: { "#own": "token-1" },
      },
      undefined,
    );
  });

  it.each([
    ["that was revoked", { ...access, revoked: { "token-1": 0 } }],
    ["whose account is gone", undefined],
    ["from before all tokens were revoked", { ...access, token_epoch: 4 }],
    ["of a disabled account", { ...access, disabled: true }],
  ])("is nobody's for one %s", async (_case, item) => {
    expect(await find("Bearer good", item).found).toBeUndefined();
  });

  it("is nobody's for one with a wrong signature, which is not looked for in the table", async () => {
    const { read, found } = find("Bearer forged", access);
    expect(await found).toBeUndefined();
    expect(read).not.toHaveBeenCalled();
  });

  it("is not known when the table cannot be read, and nobody is called nobody", async () => {
    const failure = new Error("The table does not answer.");
    const search = createBearerSearch(verified, { read: () => Promise.reject(failure) }, "upload");
    await expect(search("Bearer good")).rejects.toBe(failure);
  });
});
