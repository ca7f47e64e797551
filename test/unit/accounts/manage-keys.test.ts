import { describe, expect, it, vi } from "vitest";
import { scopes } from "../../../shared/accounts/access/api-keys.ts";
import {
  createdKey,
  createKey,
  keyRequest,
  listedKeys,
  listKeys,
  revokeKey,
  revokeKeys,
} from "../../../shared/accounts/profile/manage-keys.ts";
import type {
  ApiKeysRepository,
  KeyChoices,
} from "../../../shared/accounts/repositories/api-keys-repository.ts";

const token = { userId: 7, tokenId: "t-1", tokenEpoch: 3 };
const key = `lai_${"a".repeat(40)}`;
const created = { id: "k3f0a2c1e9b7d", prefix: key.slice(0, 12), createdAt: "2026-11-20T10:00:00.000Z" };

const setup = () => {
  const create = vi.fn<ApiKeysRepository["create"]>(async (_owner, choices: KeyChoices) => ({
    ...choices,
    ...created,
    key,
  }));
  const apiKeys = {
    create,
    list: vi.fn<ApiKeysRepository["list"]>(async () => []),
    revoke: vi.fn<ApiKeysRepository["revoke"]>(async () => true),
    revokeAll: vi.fn<ApiKeysRepository["revokeAll"]>(async () => 2),
  };
  return { create, apiKeys };
};

describe("Making a key", () => {
  it("has its owner's choices, the token's epoch, and shows the key", async () => {
    const { create, apiKeys } = setup();
    const request = keyRequest.parse({
      name: "kiosk",
      scopes: ["speech", "chat", "speech"],
      expires_at: "2099-01-01T00:00:00.900Z",
      monthly_limit: 5,
      requests_per_minute: 20,
    });
    expect(createdKey.parse(await createKey({ userId: 7, token }, request, { apiKeys }))).toEqual({
      id: created.id,
      name: "kiosk",
      key,
      prefix: created.prefix,
      scopes: ["speech", "chat"],
      created_at: created.createdAt,
      expires_at: "2099-01-01T00:00:00.000Z",
      monthly_limit: 5,
      requests_per_minute: 20,
    });
    expect(create).toHaveBeenCalledExactlyOnceWith(
      { userId: 7, tokenEpoch: 3 },
      {
        name: "kiosk",
        scopes: ["speech", "chat"],
        expiresAt: 4_070_908_800,
        monthlyLimit: 5,
        minuteLimit: 20,
      },
    );
  });

  it("without choices has all scopes, and shows so", async () => {
    const { create, apiKeys } = setup();
    const request = keyRequest.parse({ name: "all", scopes: null, expires_at: null, monthly_limit: null });
    expect(await createKey({ userId: 7, token }, request, { apiKeys })).toMatchObject({
      scopes,
      expires_at: null,
      monthly_limit: null,
    });
    const [, choices] = create.mock.calls[0] ?? [];
    expect(choices).toEqual({
      name: "all",
      scopes: undefined,
      expiresAt: undefined,
      monthlyLimit: undefined,
    });
  });

  it("is not for keys", async () => {
    const { create, apiKeys } = setup();
    await expect(
      createKey({ userId: 7, token: undefined }, { name: "another" }, { apiKeys }),
    ).rejects.toMatchObject({ code: "insufficient_scope" });
    expect(create).not.toHaveBeenCalled();
  });
});

describe("The keys of an account", () => {
  it("are listed with when they were used, and how much, and without what opens anything", async () => {
    const { apiKeys } = setup();
    const choices = { name: "kiosk", scopes: undefined, expiresAt: undefined, monthlyLimit: undefined };
    apiKeys.list.mockResolvedValueOnce([
      { ...created, ...choices, usedAt: 1_795_168_800, usedThisMonth: 3 },
      { ...created, ...choices, usedAt: undefined, usedThisMonth: 0 },
    ]);
    const listed = listedKeys.parse(await listKeys(7, { apiKeys }));
    expect(listed.keys).toMatchObject([
      { name: "kiosk", last_used_at: "2026-11-20T10:00:00.000Z", used_this_month: 3 },
      { last_used_at: null, used_this_month: 0 },
    ]);
    expect(listed.keys[0]).not.toHaveProperty("key");
  });

  it("are revoked one by one, or all", async () => {
    const { apiKeys } = setup();
    expect(await revokeKey(7, created.id, { apiKeys })).toBeNull();
    expect(apiKeys.revoke).toHaveBeenCalledExactlyOnceWith(7, created.id);
    apiKeys.revoke.mockResolvedValueOnce(false);
    await expect(revokeKey(7, "k000000000000", { apiKeys })).rejects.toMatchObject({
      code: "not_found",
      status: 404,
    });
    expect(await revokeKeys(7, { apiKeys })).toBeNull();
    expect(apiKeys.revokeAll).toHaveBeenCalledExactlyOnceWith(7);
  });
});
