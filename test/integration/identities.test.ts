import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { passwordChange } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import {
  createIdentitiesRepository,
  type IdentitiesRepository,
  type Identity,
} from "../../shared/accounts/repositories/identities-repository.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
let identities: IdentitiesRepository;
beforeAll(async () => {
  server = await startTestTable();
  identities = createIdentitiesRepository(server.open());
});
afterAll(() => server.close());

let people = 0;

const newIdentity = (): Identity => {
  people += 1;
  return {
    issuer: "https://id.example.com",
    subject: `subject-${people}`,
    email: `at-${people}@example.com`,
  };
};

/** An account of a person who uses a provider, with or without a password, and with a verified address or not. */
const makeAccount = async ({ password = false, verified = true } = {}) => {
  const identity = newIdentity();
  const username = `person-${people}`;
  const { id } = await createAccountsRepository(server.open()).create(
    {
      username,
      email: `${username}@example.com`,
      ...(password ? { password_hash: "$argon2id$the-hash" } : {}),
      organization: "Unknown",
    },
    { identity, oauthType: "IdentityProviderB", emailVerified: verified },
  );
  return { id, identity };
};

const setAccess = (userId: number, expression: string, value: unknown) =>
  server.open().update({
    Key: accountKeys.access(userId),
    UpdateExpression: expression,
    ExpressionAttributeValues: { ":value": value },
  });

describe("an account created for an identity", () => {
  it("is opened by it, has no password and the address as the provider says", async () => {
    const { id, identity } = await makeAccount();
    expect(await identities.find(identity)).toBe(id);
    expect(await createAccountsRepository(server.open()).find({ id })).toMatchObject({
      oauth_type: "IdentityProviderB",
      email_verified: true,
      has_password: false,
    });
    expect(await identities.list(id)).toEqual([
      {
        id: expect.any(String),
        issuer: identity.issuer,
        email: identity.email,
        joinedAt: expect.any(String),
      },
    ]);
  });

  it("is not opened by the same subject of another issuer", async () => {
    const { identity } = await makeAccount();
    expect(await identities.find({ ...identity, issuer: "https://other.example.com" })).toBeUndefined();
  });

  it("is not made a second time for the same identity", async () => {
    const { identity } = await makeAccount();
    const again = createAccountsRepository(server.open()).create(
      { username: `again-${people}`, email: `again-${people}@example.com`, organization: "Unknown" },
      { identity, oauthType: "IdentityProviderA", emailVerified: true },
    );
    await expect(again).rejects.toThrow("conflicts with an item that exists");
    expect(
      await createAccountsRepository(server.open()).find({ username: `again-${people}` }),
    ).toBeUndefined();
  });
});

describe("an identity", () => {
  it("is joined to an account, whose origin stays the same", async () => {
    const { id } = await makeAccount();
    const other = newIdentity();
    expect(await identities.join({ userId: id, tokenEpoch: 0 }, other)).toBe(true);
    expect(await identities.find(other)).toBe(id);
    expect(await identities.list(id)).toHaveLength(2);
  });

  it("of one account is not joined to another", async () => {
    const { id, identity } = await makeAccount();
    const another = await makeAccount();
    expect(await identities.join({ userId: another.id, tokenEpoch: 0 }, identity)).toBe(false);
    expect(await identities.find(identity)).toBe(id);
    expect(await identities.list(another.id)).toHaveLength(1);
  });

  it("of one account does not prove the address of another", async () => {
    const { id, identity } = await makeAccount();
    const another = await makeAccount({ verified: false });
    expect(await identities.joinWithProof({ userId: another.id, tokenEpoch: 0 }, identity, [])).toBe(false);
    expect(await identities.find(identity)).toBe(id);
    const other = newIdentity();
    expect(await identities.joinWithProof({ userId: another.id, tokenEpoch: 0 }, other, [])).toBe(true);
    expect(await identities.find(other)).toBe(another.id);
  });

  it.each([
    ["disabled", "SET disabled = :value", true],
    ["being deleted", "SET deletion_began = :value", "2026-11-20T10:00:00.000Z"],
  ])("is not joined to an account that is %s", async (_case, expression, value) => {
    const { id } = await makeAccount();
    await setAccess(id, expression, value);
    const other = newIdentity();
    expect(await identities.join({ userId: id, tokenEpoch: 0 }, other)).toBe(false);
    expect(await identities.find(other)).toBeUndefined();
  });
});

describe("parting with an identity", () => {
  const only = async (userId: number): Promise<string> => (await identities.list(userId))[0]?.id ?? "";

  it("is refused while it is the only way in", async () => {
    const { id, identity } = await makeAccount();
    expect(await identities.part(id, await only(id))).toBe("last");
    expect(await identities.find(identity)).toBe(id);
  });

  it("works once a password is set, and the identity opens nothing then", async () => {
    const { id, identity } = await makeAccount({ password: false });
    for (const change of passwordChange({ userId: id, tokenEpoch: 0 }, "$argon2id$new"))
      await server.open().update(change);
    expect(await identities.part(id, await only(id))).toBe("parted");
    expect(await identities.find(identity)).toBeUndefined();
    expect(await identities.list(id)).toEqual([]);
  });

  it("leaves one way in, however many partings come at the same moment", async () => {
    const { id } = await makeAccount();
    await identities.join({ userId: id, tokenEpoch: 0 }, newIdentity());
    const all = await identities.list(id);
    const partings = await Promise.all(all.map((identity) => identities.part(id, identity.id)));
    expect(partings.toSorted()).toEqual(["last", "parted"]);
    expect(await identities.list(id)).toHaveLength(1);
  });

  it("does nothing to an identity of another account", async () => {
    const { id } = await makeAccount({ password: true });
    const another = await makeAccount({ password: true });
    expect(await identities.part(id, await only(another.id))).toBe("unknown");
    expect(await identities.find(another.identity)).toBe(another.id);
  });
});
