import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { disownAccount } from "../../functions/console/entry/disown-account.ts";
import { eraseDueAccounts } from "../../functions/erasure/erase-due-accounts.ts";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { dayMilliseconds } from "../../shared/platform/durations.ts";
import { accountRepositories } from "../../shared/wiring/accounts-from-environment.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
beforeAll(async () => {
  server = await startTestTable();
});
afterAll(() => server.close());

const emptyStore = {
  put: async () => undefined,
  delete: async () => undefined,
  list: async function* () {},
};

let people = 0;

/** An account that the owner of its address has disowned. */
const disown = async () => {
  people += 1;
  const repositories = accountRepositories(server.open());
  const [username, email] = [`person-${people}`, `person-${people}@example.com`];
  const { id } = await repositories.accounts.create({ username, email, organization: "Unknown" });
  const secret = await repositories.links.create({ userId: id, tokenEpoch: 0 }, "verify-email");
  const mails: MailRequest[] = [];
  const mailQueue = { send: async (request: MailRequest) => void mails.push(request) };
  await disownAccount(secret, { ...repositories, mailQueue });
  return { id, username, email, secret, mails, mailQueue, repositories };
};

const eraseAfter = (days: number, failing?: number) => {
  const table = server.open();
  const erase = (account: StoredAccount) =>
    account.id === failing
      ? Promise.reject(new Error("The table does not respond."))
      : eraseAccount(account, { table, store: emptyStore }, new AbortController().signal);
  const { accounts } = accountRepositories(table);
  const now = new Date(Date.now() + days * dayMilliseconds);
  return eraseDueAccounts({ table, accounts, eraseAccount: erase }, now);
};

describe("A disowned account", () => {
  it("is disabled, and its address is free at once, while its name is not", async () => {
    const { id, username, email, mails, repositories } = await disown();
    const account = await repositories.accounts.find({ id });
    expect(account).toMatchObject({
      disabled: true,
      token_epoch: 1,
      email: expect.stringMatching(/\.invalid$/),
    });
    expect(await repositories.accounts.find({ email })).toBeUndefined();
    expect(mails).toEqual([
      { kind: "disowned", email, erasedOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    ]);
    const another = { username, email, organization: "Unknown" };
    await expect(repositories.accounts.create(another)).rejects.toMatchObject({ code: "username_taken" });
    await repositories.accounts.create({ ...another, username: `${username}-owner` });
  });

  it("is disowned once, and never after its address was verified", async () => {
    const { secret, mailQueue, repositories } = await disown();
    const again = disownAccount(secret, { ...repositories, mailQueue });
    await expect(again).rejects.toMatchObject({ code: "invalid_link" });
    const { id } = await repositories.accounts.create({
      username: `verified-${people}`,
      email: `verified-${people}@example.com`,
      organization: "Unknown",
    });
    const link = await repositories.links.create({ userId: id, tokenEpoch: 0 }, "verify-email");
    const unverified = await repositories.accounts.find({ id });
    await repositories.links.verifyEmail(link, id);
    // The condition holds also for a request that read the account before.
    const stale = { find: async () => unverified };
    const late = { ...repositories, accounts: { ...repositories.accounts, ...stale }, mailQueue };
    await expect(disownAccount(link, late)).rejects.toMatchObject({ code: "invalid_link" });
    expect(await repositories.accounts.find({ id })).toMatchObject({ disabled: false, email_verified: true });
  });

  it("is erased after seven days, not before, and its new namesake stays", async () => {
    const { id, username, email, repositories } = await disown();
    const owner = await repositories.accounts.create({
      username: `${username}-owner`,
      email,
      organization: "Unknown",
    });
    await eraseAfter(6.9);
    expect(await repositories.accounts.find({ id })).toBeDefined();
    await eraseAfter(7.1);
    expect(await repositories.accounts.find({ id })).toBeUndefined();
    expect(await server.read(accountKeys.usernameClaim(username))).toBeUndefined();
    expect(await repositories.accounts.find({ email })).toMatchObject({ id: owner.id });
    const { PK: partition } = accountKeys.erasure("", 0);
    expect(await server.open().query({ partition })).toEqual([]);
  });

  it("stays when an operator has enabled it", async () => {
    const { id, repositories } = await disown();
    await repositories.accounts.setDisabled(id, false);
    await eraseAfter(8);
    expect(await repositories.accounts.find({ id })).toMatchObject({ disabled: false });
  });

  it("is erased the next time when that failed, which delays no other account", async () => {
    const [one, two] = [await disown(), await disown()];
    await expect(eraseAfter(8, one.id)).rejects.toThrow("Accounts could not be erased.");
    const { accounts } = accountRepositories(server.open());
    expect(await accounts.find({ id: one.id })).toBeDefined();
    expect(await accounts.find({ id: two.id })).toBeUndefined();
    await eraseAfter(8);
    expect(await accounts.find({ id: one.id })).toBeUndefined();
  });
});
