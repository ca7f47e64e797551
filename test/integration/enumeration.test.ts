import crypto from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { hashPassword } from "../../shared/accounts/sign-in/passwords.ts";
import { accountsOver } from "../support/accounts-over.ts";
import { send, type TestResponse } from "../support/send.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

// Hashes are counted and not timed: a busy machine makes no difference.
const argon2 = vi.spyOn(crypto, "argon2");

let table: TestTable;
const mails: MailRequest[] = [];
const mailQueue = {
  send: async (request: MailRequest): Promise<void> => void mails.push(request),
};

/** Accounts that a stranger might look for. */
beforeAll(async () => {
  table = await startTestTable();
  const accounts = createAccountsRepository(table.open());
  const create = async (username: string) =>
    accounts.create({
      username,
      email: `${username}@example.com`,
      password_hash: await hashPassword("seven storks by the lake"),
      organization: "Unknown",
      full_name: undefined,
      organization_type: undefined,
      sector: undefined,
    });
  await create("amina");
  await create("brian");
  const { id: disabled } = await create("disabled");
  await accounts.setDisabled(disabled, true);
  const { id: elsewhere } = await create("elsewhere");
  await table.open().update({
    Key: accountKeys.profile(elsewhere),
    UpdateExpression: "SET oauth_type = :type REMOVE password_hash",
    ExpressionAttributeValues: { ":type": "IdentityProviderA" },
  });
});
afterAll(async () => {
  argon2.mockRestore();
  await table.close();
});
beforeEach(() => {
  argon2.mockClear();
  table.calls.length = 0;
  mails.length = 0;
});

const changing = new Set(["X-Request-Id", "Date"]);

/** What a stranger sees of a request, and all of its work that takes time. */
const observe = async (ask: () => Promise<TestResponse>) => {
  const { status, headers, body } = await ask();
  const hashes = argon2.mock.calls.map(([algorithm, { memory, passes, parallelism, tagLength }]) => ({
    ...{ algorithm, memory, passes, parallelism, tagLength },
  }));
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.has(name))),
    body: { ...body, request_id: undefined },
    hashes,
    calls: [...table.calls],
    mails: mails.length,
  };
};

const logIn = (username: string, password = "not the password") =>
  observe(() =>
    send(accountsOver(table.open(), mailQueue), {
      path: "/auth/token",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ username, password }).toString(),
    }),
  );

const forgot = (email: string) =>
  observe(() =>
    send(accountsOver(table.open(), mailQueue), { path: "/auth/forgot-password", body: { email } }),
  );

describe("a login with a wrong password", () => {
  it("compares one hash, at the usual price", async () => {
    const { status, hashes } = await logIn("amina");
    expect(status).toBe(401);
    expect(hashes).toEqual([
      { algorithm: "argon2id", memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 },
    ]);
  });

  it.each([
    ["an unknown name", "nobody", "amina"],
    ["an unknown address", "nobody@example.com", "amina@example.com"],
    ["a disabled account", "disabled", "amina"],
    ["an account that signs in elsewhere", "elsewhere", "amina"],
  ])("costs for %s what it costs for any other, with the same response", async (_case, username, known) => {
    const one = await logIn(username);
    table.calls.length = 0;
    argon2.mockClear();
    expect(one).toMatchObject({ status: 401, body: { error: "invalid_grant" } });
    expect(one).toEqual(await logIn(known));
    expect(one.calls.length).toBeGreaterThan(0);
  });

  it("has the same response for an account that signs in elsewhere, be the password right", async () => {
    const { status, hashes } = await logIn("elsewhere", "seven storks by the lake");
    expect({ status, hashes: hashes.length }).toEqual({ status: 401, hashes: 1 });
  });

  it("makes unknown names wait as long as others", async () => {
    const guess = async (username: string) => {
      const statuses: number[] = [];
      for (let count = 0; count < 7; count += 1) statuses.push((await logIn(username)).status);
      return statuses;
    };
    const waits = [await guess("nobody-at-all"), await guess("brian")];
    expect(waits[0]).toEqual(waits[1]);
    expect(waits[0]).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });
});

describe("a lost password", () => {
  it.each([
    ["an unknown address", "nobody@example.com"],
    ["the address of an account that signs in elsewhere", "elsewhere@example.com"],
    ["the address of a disabled account", "disabled@example.com"],
  ])(
    "costs for %s what it costs for any other: one mail is queued, nothing is looked up",
    async (_case, address) => {
      const known = await forgot("amina@example.com");
      mails.length = 0;
      const other = await forgot(address);
      expect(other).toEqual(known);
      expect(other).toMatchObject({ status: 200, hashes: [], calls: [], mails: 1 });
    },
  );
});
