import { beforeAll, describe, expect, it, vi } from "vitest";
import { deleteAccount } from "../../../functions/auth/delete-account.ts";
import type { AccountWithPassword } from "../../../shared/accounts/access/account.ts";
import { makeApiKey } from "../../../shared/accounts/access/api-keys.ts";
import type { TokenClaims } from "../../../shared/accounts/access/tokens.ts";
import { hashPassword } from "../../../shared/accounts/sign-in/passwords.ts";
import { noMail } from "../../support/accounts-over.ts";

const password = "seven storks by the lake";
let account: AccountWithPassword;
beforeAll(async () => {
  account = {
    id: 7,
    username: "amina",
    email: "amina@example.com",
    password_hash: await hashPassword(password),
    has_password: true,
    has_second_factor: false,
    organization: "Unknown",
    account_type: "Free",
    oauth_type: "Credentials",
    email_verified: false,
    disabled: false,
    token_epoch: 0,
    created_at: "2026-11-20T10:00:00.000Z",
  };
});

const { key } = makeApiKey(7);
const claims = { userId: 7, tokenId: "one", tokenEpoch: 0 };
const verified = new Map<string, TokenClaims>([
  ["signed", claims],
  ["limited", { ...claims, scopes: ["translate"] }],
]);

/** Requests the deletion of an account that differs from the usual one, with a valid token or not. */
const ask = (
  {
    changed = {},
    isGone = false,
    isValid = true,
    ...requested
  }: {
    readonly changed?: Partial<AccountWithPassword>;
    readonly isGone?: boolean;
    readonly isValid?: boolean;
    readonly password?: string;
    readonly authorization?: string | undefined;
  } = {},
  eraseAccount = vi.fn(async () => undefined),
) => {
  const found = isGone ? undefined : { ...account, ...changed };
  const confirmed: number[] = [];
  const outcome = deleteAccount(
    { authorization: "Bearer signed", password, signal: new AbortController().signal, ...requested },
    {
      accounts: {
        find: async () => found,
        findWithPassword: async () => found,
        create: () => Promise.reject(new Error("No account is made.")),
        updateProfile: async () => undefined,
        acceptTerms: async () => undefined,
        setLanguages: async () => undefined,
        setKeywords: async () => undefined,
        setAccountType: async () => undefined,
        setEmailVerified: async () => undefined,
        setDisabled: async () => undefined,
        removeSecondFactor: async () => false,
        revokeTokens: async () => false,
        changePassword: async () => false,
      },
      tokens: { sign: async () => "", verify: async (token) => verified.get(token) },
      findAccess: async () => found && { ...found, isValid, key: undefined },
      passwordGuard: {
        attempt: () => Promise.reject(new Error("Nobody signs in.")),
        attemptCode: () => Promise.reject(new Error("Nobody signs in.")),
        confirmCode: () => Promise.reject(new Error("The account has no second factor.")),
        confirm: (userId, open) => {
          confirmed.push(userId);
          return open();
        },
        rememberAddress: async () => undefined,
        forgive: async () => undefined,
      },
      secondFactors: { use: () => Promise.reject(new Error("The account has no second factor.")) },
      mailQueue: noMail,
      eraseAccount,
    },
  );
  return { outcome, eraseAccount, confirmed };
};

const refused = [
  ["without a token", { authorization: undefined }, "unauthenticated"],
  ["with a token that nobody signed", { authorization: "Bearer other" }, "unauthenticated"],
  ["with a token that was revoked", { isValid: false }, "unauthenticated"],
  [
    "with a key, whose bearer may know the password",
    { authorization: `Bearer ${key}` },
    "insufficient_scope",
  ],
  ["with a key that was revoked", { authorization: `Bearer ${key}`, isValid: false }, "unauthenticated"],
  [
    "with a key, although it has begun",
    {
      authorization: `Bearer ${key}`,
      isValid: false,
      changed: { deletion_began: "2026-11-20T10:00:00.000Z" },
    },
    "unauthenticated",
  ],
  ["with a token for some tasks", { authorization: "Bearer limited" }, "insufficient_scope"],
  [
    "with a token for some tasks, although it has begun",
    {
      authorization: "Bearer limited",
      isValid: false,
      changed: { deletion_began: "2026-11-20T10:00:00.000Z" },
    },
    "unauthenticated",
  ],
  ["with what only looks like a key", { authorization: `Bearer ${key}x` }, "unauthenticated"],
  ["of an account that is gone", { isGone: true }, "unauthenticated"],
  ["of a disabled account", { changed: { disabled: true } }, "forbidden"],
  ["of an account without a password", { changed: { has_password: false } }, "bad_request"],
  ["with a wrong password", { password: "not the password" }, "invalid_credentials"],
  [
    "with a wrong password, although it has begun",
    { password: "not the password", changed: { deletion_began: "2026-11-20T10:00:00.000Z" } },
    "invalid_credentials",
  ],
] as const;

describe("the deletion of an account by its owner", () => {
  it("takes the token and the password, through the guard of passwords", async () => {
    const { outcome, eraseAccount, confirmed } = ask();
    expect(await outcome).toBeNull();
    expect(eraseAccount).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ id: 7, username: "amina" }),
      expect.any(AbortSignal),
    );
    expect(confirmed).toEqual([7]);
  });

  it.each(refused)("is refused %s, and nothing is deleted", async (_case, requested, code) => {
    const { outcome, eraseAccount } = ask(requested);
    await expect(outcome).rejects.toMatchObject({ code });
    expect(eraseAccount).not.toHaveBeenCalled();
  });

  it("checks no password before the token", async () => {
    const { outcome, confirmed } = ask({ isValid: false, password: "not the password" });
    await expect(outcome).rejects.toMatchObject({ code: "unauthenticated" });
    expect(confirmed).toEqual([]);
  });

  it("may be repeated once it has started, although it has revoked the token itself", async () => {
    const { outcome, eraseAccount } = ask({
      isValid: false,
      changed: { deletion_began: "2026-11-20T10:00:00.000Z" },
    });
    expect(await outcome).toBeNull();
    expect(eraseAccount).toHaveBeenCalledOnce();
  });

  it("is not confirmed when it failed", async () => {
    const { outcome } = ask(
      {},
      vi.fn(() => Promise.reject(new Error("The table is not there."))),
    );
    await expect(outcome).rejects.toThrow("The table is not there.");
  });
});
