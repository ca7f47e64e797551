import { describe, expect, it, vi } from "vitest";
import { makeApiKey } from "../../../shared/accounts/access/api-keys.ts";
import {
  createSigningKeySource,
  createTokens,
  type TokenClaims,
} from "../../../shared/accounts/access/tokens.ts";
import {
  createBearerSearch,
  createBearerVerification,
  type VerifyBearer,
} from "../../../shared/accounts/access/verify-bearer.ts";
import type { Item, ItemRead } from "../../../shared/platform/storage/table.ts";

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

  it("reads its key during the function's start", () => {
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

describe("A key in an Authorization header", () => {
  const { key, prefix: _prefix, ...created } = makeApiKey(7);
  const verify = createBearerVerification(() => Promise.reject(new Error("No secret is needed for keys.")));

  it("is read by its checksum, without the secret that tokens are signed with", async () => {
    expect(await verify(`Bearer ${key}`)).toEqual(created);
    expect(await verify(`bearer  ${key} `)).toEqual(created);
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
        ProjectionExpression:
          "account_type, disabled, token_epoch, email_verified, default_language, default_languages, keywords, revoked.#own",
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
  ])("is unknown for one %s", async (_case, item) => {
    expect(await find("Bearer good", item).found).toBeUndefined();
  });

  it("is unknown for one with a wrong signature, without a read of the table", async () => {
    const { read, found } = find("Bearer forged", access);
    expect(await found).toBeUndefined();
    expect(read).not.toHaveBeenCalled();
  });

  const { key, prefix: _prefix, ...created } = makeApiKey(7);
  const withKey = (fields: Item): Item => ({
    ...access,
    api_keys: { [created.keyId]: { h: created.keyDigest, ...fields } },
  });
  const findKey = (header: string, item: Item | undefined) => {
    const read = vi.fn(async (_read: ItemRead) => item);
    const verify = createBearerVerification(async () => secret);
    return { read, found: createBearerSearch(verify, { read }, "upload")(header) };
  };

  it("is read for a key as well, with one read of its entry alone", async () => {
    const { read, found } = findKey(`Bearer ${key}`, withKey({ s: new Set(["upload"]) }));
    expect(await found).toBe(7);
    expect(read).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        ProjectionExpression: expect.stringMatching(/, api_keys\.#own$/),
        ExpressionAttributeNames: { "#own": created.keyId },
      }),
      undefined,
    );
  });

  it("is unknown for a revoked key, and refused for one with another scope", async () => {
    expect(await findKey(`Bearer ${key}`, access).found).toBeUndefined();
    expect(await findKey(`Bearer ${key}`, { ...withKey({}), disabled: true }).found).toBeUndefined();
    await expect(findKey(`Bearer ${key}`, withKey({ s: new Set(["chat"]) })).found).rejects.toMatchObject({
      code: "insufficient_scope",
    });
  });

  it("is unknown for a key with a wrong checksum, without a read of the table", async () => {
    const { read, found } = findKey(`Bearer ${key}x`, withKey({}));
    expect(await found).toBeUndefined();
    expect(read).not.toHaveBeenCalled();
  });

  it("fails when the table cannot be read, and no credential is called unknown", async () => {
    const failure = new Error("The table does not answer.");
    const search = createBearerSearch(verified, { read: () => Promise.reject(failure) }, "upload");
    await expect(search("Bearer good")).rejects.toBe(failure);
  });
});
