import { describe, expect, it, vi } from "vitest";
import type { AccountWithPassword, StoredAccount } from "../../../shared/accounts/access/account.ts";
import { changePassword, resetPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import { issueToken } from "../../../shared/accounts/sign-in/issue-token.ts";
import { createPasswordGuard } from "../../../shared/accounts/sign-in/password-guard.ts";
import { hashPassword } from "../../../shared/accounts/sign-in/passwords.ts";

const oldPassword = "seven storks by the lake";
const newPassword = "nine cranes over the hill";
const account: AccountWithPassword = {
  id: 7,
  username: "amina",
  email: "amina@example.com",
  password_hash: await hashPassword(oldPassword),
  has_password: true,
  has_second_factor: false,
  organization: "Unknown",
  account_type: "Free",
  oauth_type: "Credentials",
  email_verified: false,
  disabled: false,
  token_epoch: 3,
  created_at: "2026-11-20T10:00:00.000Z",
};

const address = "203.0.113.7";
const from = { sourceAddress: address, signal: new AbortController().signal };

type Needed = Parameters<typeof issueToken>[2] & Parameters<typeof resetPassword>[2];

/** What the use cases touch here: a store with this account, and a guard that lets any password be tried. */
const dependencies = (stored: Partial<AccountWithPassword>, others: object = {}): Needed =>
  ({
    accounts: {
      find: async () => stored,
      findWithPassword: async () => stored,
      changePassword: async () => false,
    },
    links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), resetPassword: async () => false },
    passwordGuard: {
      attempt: (_signIn: unknown, open: () => unknown) => open(),
      confirm: (_userId: unknown, open: () => unknown) => open(),
      forgive: async () => undefined,
    },
    apiKeys: { list: async () => [] },
    identities: { list: async () => [] },
    endCallbacks: () => ({ Key: {}, UpdateExpression: "" }),
    ...others,
  }) as unknown as Needed;

it.each([oldPassword, "", "undefined"])(
  "An account without a password gets no token for any: %j",
  async (password) => {
    const { password_hash, ...elsewhere } = account;
    const issued = issueToken({ username: "amina", password }, from, dependencies(elsewhere));
    await expect(issued).rejects.toMatchObject({ code: "invalid_credentials" });
  },
);

it("An old password that was changed meanwhile, and a link that was used meanwhile, change nothing", async () => {
  const changed = changePassword(
    7,
    { old_password: oldPassword, new_password: newPassword },
    dependencies(account),
  );
  await expect(changed).rejects.toMatchObject({ code: "invalid_credentials" });
  const reset = resetPassword({ token: "secret", new_password: newPassword }, address, dependencies(account));
  await expect(reset).rejects.toMatchObject({ code: "invalid_link" });
});

it("An account whose deletion has broken off refuses the login, and is deleted by the right password", async () => {
  const closing = { ...account, deletion_began: "2026-11-20T10:00:00.000Z" };
  const eraseAccount = vi.fn(async (_account: StoredAccount, _signal: AbortSignal) => undefined);
  const signIn = (password: string) =>
    issueToken({ username: "amina", password }, from, dependencies(closing, { eraseAccount }));
  await expect(signIn(newPassword)).rejects.toMatchObject({ code: "invalid_credentials" });
  expect(eraseAccount).not.toHaveBeenCalled();
  await expect(signIn(oldPassword)).rejects.toMatchObject({
    code: "forbidden",
    message: "This account was being deleted. The rest of it has now been deleted.",
  });
  expect(eraseAccount).toHaveBeenCalledExactlyOnceWith(closing, from.signal);
  eraseAccount.mockRejectedValueOnce(new Error("The table is not there."));
  await expect(signIn(oldPassword)).rejects.toThrow("The table is not there.");
});

describe("The guard of passwords", () => {
  const down = () => Promise.reject(new Error("The table is not there."));
  const addresses = { isKnown: async () => false, remember: async () => undefined };
  const working = {
    waitOf: async () => 0,
    addWrong: async () => ({ wait: 0, failures: 1 }),
    clearAfterRight: async () => 0,
    forget: async () => undefined,
  };
  const signIn = { name: "amina", sourceAddress: address };

  it("checks no password when it cannot read the waits", async () => {
    const open = vi.fn(async () => "open");
    const guard = createPasswordGuard({ ...working, waitOf: down }, addresses);
    await expect(guard.attempt(signIn, open)).rejects.toThrow("The table is not there.");
    await expect(guard.confirm(7, open)).rejects.toThrow("The table is not there.");
    await expect(
      createPasswordGuard(working, { ...addresses, isKnown: down }).attempt(signIn, open),
    ).rejects.toThrow("The table is not there.");
    expect(open).not.toHaveBeenCalled();
  });

  it("does not reveal the result of a password that it could not count, or whose wait started meanwhile", async () => {
    const failing = createPasswordGuard({ ...working, addWrong: down, clearAfterRight: down }, addresses);
    const late = { addWrong: async () => ({ wait: 1_001, failures: 1 }), clearAfterRight: async () => 1_001 };
    const waiting = createPasswordGuard({ ...working, ...late }, addresses);
    for (const open of [async () => "open", async () => undefined]) {
      await expect(failing.attempt(signIn, open)).rejects.toThrow("The table is not there.");
      await expect(failing.confirm(7, open)).rejects.toThrow("The table is not there.");
      await expect(waiting.attempt(signIn, open)).rejects.toMatchObject({ retryAfterSeconds: 2 });
    }
  });
});
