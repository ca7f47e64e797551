import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createSigningKeySource, createTokens, newTokenId } from "../../shared/accounts/access/tokens.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createTokensRepository } from "../../shared/accounts/repositories/tokens-repository.ts";
import { idempotencyKeyDigest } from "../../shared/http/idempotency/keys.ts";
import { accountsOver } from "../support/accounts-over.ts";
import { send } from "../support/send.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

const tokens = createTokens(createSigningKeySource(async () => "first-secret-of-more-than-thirty-two-bytes"));

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const accounts = () => createAccountsRepository(table.open());

const newToken = async (): Promise<string> => {
  const username = `user-${crypto.randomUUID()}`;
  const { id } = await accounts().create({
    username,
    email: `${username}@example.com`,
    password_hash: "$argon2id$the-hash",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  return tokens.sign({ userId: id, tokenId: newTokenId(), tokenEpoch: 0 }, 3_600);
};

const claimsOf = async (token: string) => {
  const claims = await tokens.verify(token);
  if (!claims) throw new Error("The token is not one.");
  return claims;
};

interface Call {
  readonly key?: string;
  readonly path?: string;
  readonly method?: string;
  readonly after?: number;
}
/** A call with a token, after this many seconds, by another instance of the function. */
const call = async (
  token: string,
  { key, path = "/auth/refresh-token", method = "POST", after = 0 }: Call = {},
) => {
  const { userId, tokenId, tokenEpoch, tokenExpiresAt } = await claimsOf(token);
  return send(
    accountsOver(table.open(), undefined, tokens),
    {
      method,
      path,
      headers: key === undefined ? {} : { "Idempotency-Key": key },
      authorizer: {
        userId: String(userId),
        tokenId,
        tokenEpoch: String(tokenEpoch),
        ...(tokenExpiresAt === undefined ? {} : { tokenExpiresAt: String(tokenExpiresAt) }),
      },
    },
    {
      limiter: createLimiter(createLimitCounters(table.openForRequests()), {
        now: () => Date.now() + after * 1_000,
      }),
    },
  );
};
const refresh = (token: string, key?: string, after?: number) =>
  call(token, { ...(key === undefined ? {} : { key }), ...(after === undefined ? {} : { after }) });
const works = async (token: string): Promise<boolean> =>
  (await call(token, { method: "GET", path: "/auth/me" })).status === 200;
const revokedOf = async (token: string) =>
  (await table.read(accountKeys.access((await claimsOf(token)).userId)))?.["revoked"];

describe("A refresh with an Idempotency-Key whose response was lost", () => {
  it("returns the same token again, although the one sent is revoked", async () => {
    const old = await newToken();
    const first = await refresh(old, "one");
    expect(first.headers["Idempotent-Replayed"]).toBeUndefined();
    const second = await refresh(old, "one");
    expect(second).toMatchObject({
      status: 200,
      body: first.body,
      headers: { "Idempotent-Replayed": "true" },
    });
    expect(await works(first.body.access_token)).toBe(true);
    expect(await works(old)).toBe(false);
  });

  it.each([
    [50, 200],
    [62, 401],
  ])("%i seconds later returns %i", async (after, status) => {
    const old = await newToken();
    await refresh(old, "one");
    expect((await refresh(old, "one", after)).status).toBe(status);
  });

  it.each([
    ["without the key", undefined],
    ["with another key", "two"],
  ])("is refused %s, as a token is that was revoked", async (_how, key) => {
    const old = await newToken();
    await refresh(old, "one");
    expect((await refresh(old, key)).status).toBe(401);
  });

  it("opens nothing else with the token that was sent", async () => {
    const old = await newToken();
    await refresh(old, "one");
    const { status } = await call(old, { key: "one", method: "GET", path: "/auth/me" });
    expect(status).toBe(401);
    const { status: mail } = await call(old, { key: "one", path: "/auth/resend-verification" });
    expect(mail).toBe(401);
  });

  it("is refused once the password was changed, or an operator has disabled the account", async () => {
    const [one, other] = [await newToken(), await newToken()];
    await refresh(one, "one");
    await refresh(other, "one");
    await accounts().changePassword({ userId: (await claimsOf(one)).userId, tokenEpoch: 0 }, "$argon2id$new");
    await accounts().setDisabled((await claimsOf(other)).userId, true);
    expect((await refresh(one, "one")).status).toBe(401);
    expect((await refresh(other, "one")).status).toBe(401);
  });

  it("gets an explanation of keys when it sends none, and its token stays valid", async () => {
    const old = await newToken();
    const { status, body } = await refresh(old, "one two");
    expect({ status, location: body.detail[0].loc }).toEqual({
      status: 422,
      location: ["header", "idempotency-key"],
    });
    expect(await works(old)).toBe(true);
  });
});

describe("Parallel refreshes of one token", () => {
  it("with the same key all get the same new token", async () => {
    const old = await newToken();
    const responses = await Promise.all(Array.from({ length: 12 }, () => refresh(old, "one")));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const given = new Set(responses.map(({ body }) => body.access_token));
    expect(given.size).toBe(1);
    expect(responses.filter(({ headers }) => headers["Idempotent-Replayed"] === undefined)).toHaveLength(1);
    expect(await works([...given][0])).toBe(true);
    expect(Object.keys(Object(await revokedOf(old)))).toHaveLength(1);
  });

  it.each([
    ["with a key each", (index: number) => `key-${index}`],
    ["without a key", () => undefined],
  ])("%s have one winner, and the others get 401", async (_how, keyOf) => {
    const old = await newToken();
    const responses = await Promise.all(Array.from({ length: 12 }, (_, index) => refresh(old, keyOf(index))));
    const [winner, ...others] = responses.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(11);
    expect(await works(winner?.body.access_token)).toBe(true);
  });
});

describe("What is stored about a replaced token", () => {
  it("names its successor without the caller's key, and only until another is replaced a minute later", async () => {
    const old = await newToken();
    const { body } = await refresh(old, "one");
    const { tokenId, userId, tokenExpiresAt } = await claimsOf(old);
    const { tokenId: id } = await claimsOf(body.access_token);
    expect(await revokedOf(old)).toEqual({
      [tokenId]: { end: tokenExpiresAt, id, at: expect.any(Number), key: idempotencyKeyDigest("one") },
    });
    const later = Date.now() + 62_000;
    const successor = { tokenId: "third", issuedAt: Math.floor(later / 1_000), keyDigest: "two" };
    const replaced = await claimsOf(body.access_token);
    await createTokensRepository(table.open(), () => later).revoke(replaced, successor);
    expect(await revokedOf(old)).toEqual({
      [tokenId]: tokenExpiresAt,
      [id]: expect.objectContaining({ id: "third" }),
    });
    expect(userId).toBe(replaced.userId);
  });

  it("is no more than the time at which it expires, without a key", async () => {
    const old = await newToken();
    await refresh(old);
    const { tokenId, tokenExpiresAt } = await claimsOf(old);
    expect(await revokedOf(old)).toEqual({ [tokenId]: tokenExpiresAt });
  });
});
