import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuthDependencies } from "../../../functions/auth/dependencies.ts";
import { refreshToken } from "../../../functions/auth/refresh-token.ts";
import type { AccountAtEpoch, StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { NewToken } from "../../../shared/accounts/access/tokens.ts";
import { getProfileStatus, updateProfile } from "../../../shared/accounts/profile/manage-profile.ts";
import {
  changePassword,
  forgotPassword,
  resetPassword,
} from "../../../shared/accounts/sign-in/change-password.ts";
import { issueToken } from "../../../shared/accounts/sign-in/issue-token.ts";
import { createPasswordGuard } from "../../../shared/accounts/sign-in/password-guard.ts";
import { hashPassword, verifyPassword } from "../../../shared/accounts/sign-in/passwords.ts";
import { register } from "../../../shared/accounts/sign-in/register.ts";
import { resendVerification, verifyEmail } from "../../../shared/accounts/sign-in/verify-email.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { ItemUpdate } from "../../../shared/platform/storage/table.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";

const oldPassword = "seven storks by the lake";
/** The claims of a token that its holder wants to replace. */
const caller = { userId: 7, tokenId: "old", tokenEpoch: 3, tokenExpiresAt: 1_795_003_600 };
const newPassword = "nine cranes over the hill";
const account = {
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
} as const;

const unasked = (what: string) => () => Promise.reject(new Error(`${what} must not be asked.`));

const address = "203.0.113.7";
const from = { sourceAddress: address, signal: new AbortController().signal };

const noGuard: AuthDependencies["passwordGuard"] = {
  attempt: unasked("A password"),
  attemptCode: unasked("A code"),
  confirm: unasked("A password"),
  confirmCode: unasked("A code"),
  rememberAddress: async () => undefined,
  forgive: unasked("Forgiveness"),
};

/** Everything the use cases touch, of which a test says what it needs; what it does not say must not be touched. */
const dependencies = ({
  accounts,
  links,
  revokedTokens,
  ...others
}: {
  readonly accounts?: Partial<AuthDependencies["accounts"]>;
  readonly links?: Partial<AuthDependencies["links"]>;
  readonly revokedTokens?: Partial<AuthDependencies["revokedTokens"]>;
} & Partial<Omit<AuthDependencies, "accounts" | "links" | "revokedTokens">>): AuthDependencies => ({
  accounts: {
    find: unasked("An account"),
    findWithPassword: unasked("An account's password"),
    create: unasked("A new account"),
    updateProfile: unasked("A change of the profile"),
    acceptTerms: unasked("An acceptance of terms"),
    setDefaultLanguage: unasked("A change of the language"),
    setAccountType: unasked("A change of the tier"),
    setEmailVerified: unasked("A verified address"),
    setDisabled: unasked("A change of the account"),
    removeSecondFactor: unasked("The end of a second factor"),
    revokeTokens: unasked("The end of tokens"),
    changePassword: unasked("A new password"),
    ...accounts,
  },
  secondFactors: {
    find: unasked("A second factor"),
    startSetUp: unasked("A second factor"),
    findSetUp: unasked("A second factor"),
    finishSetUp: unasked("A second factor"),
    use: unasked("A code"),
    replaceCodes: unasked("Recovery codes"),
  },
  apiKeys: {
    create: unasked("A key"),
    list: async () => [],
    revoke: unasked("A key"),
    revokeAll: unasked("Keys"),
  },
  taskPaths: {},
  links: {
    create: unasked("A link"),
    find: unasked("A link"),
    verifyEmail: unasked("A link"),
    resetPassword: unasked("A link"),
    disown: unasked("A link"),
    remove: unasked("A link"),
    ...links,
  },
  identities: { list: async () => [], removeEnded: async () => undefined },
  endCallbacks: (userId) => ({ Key: { PK: `CALLBACKS#${userId}`, SK: "SECRET" }, UpdateExpression: "" }),
  revokedTokens: { revoke: unasked("A revoked token"), ...revokedTokens },
  tokens: { sign: async ({ tokenId }) => `signed ${tokenId}`, verify: unasked("A token") },
  mailQueue: { send: unasked("A mail") },
  passwordGuard: { ...noGuard, attempt: (_signIn, open) => open(), confirm: (_userId, open) => open() },
  findAccess: unasked("A token"),
  eraseAccount: unasked("A deletion"),
  callbackSecrets: { current: unasked("A secret"), replace: unasked("A secret") },
  deliveries: { change: unasked("A delivery"), list: unasked("Deliveries"), read: unasked("A delivery") },
  callbacks: { send: unasked("A callback"), sendAgain: unasked("A callback") },
  callbackRules: { allowLoopback: false },
  jobs: { find: unasked("A job") },
  usage: { find: unasked("The usage") },
  exports: { begin: unasked("An export"), fail: unasked("An export"), find: unasked("An export") },
  exportQueue: { send: unasked("An export") },
  isExportedFile: unasked("A file"),
  store: { describe: unasked("A file"), signDownload: unasked("A link") },
  termsVersion: "2026-11-24",
  tokenLifetimeSeconds: 3_600,
  ...others,
});

type Pending = () => Promise<never>;

/** Every write of the use cases, as their last awaited call. */
const writes: Readonly<Record<string, (pending: Pending) => Promise<unknown>>> = {
  "the new password of somebody who knows the old one": (pending) =>
    changePassword(
      7,
      { old_password: oldPassword, new_password: newPassword },
      dependencies({ accounts: { findWithPassword: async () => account, changePassword: pending } }),
    ),
  "the new password from a mailed link": (pending) =>
    resetPassword(
      { token: "secret", new_password: newPassword },
      address,
      dependencies({
        accounts: { find: async () => account },
        links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), resetPassword: pending },
        passwordGuard: { ...noGuard, forgive: async () => undefined },
      }),
    ),
  "the end of the wait for wrong passwords": (pending) =>
    resetPassword(
      { token: "secret", new_password: newPassword },
      address,
      dependencies({
        accounts: { find: async () => account },
        links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), resetPassword: async () => true },
        passwordGuard: { ...noGuard, forgive: pending },
      }),
    ),
  "the request for a mail with a link": (pending) =>
    forgotPassword("amina@example.com", dependencies({ mailQueue: { send: pending } })),
  "the verified address": (pending) =>
    verifyEmail(
      "secret",
      dependencies({
        accounts: { find: async () => account },
        links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), verifyEmail: pending },
      }),
    ),
  "the request for another verification mail": (pending) =>
    resendVerification(
      7,
      dependencies({ accounts: { find: async () => account }, mailQueue: { send: pending } }),
    ),
  "the new account": (pending) =>
    register(
      { username: "amina", email: "amina@example.com", password: newPassword },
      dependencies({ accounts: { create: pending } }),
    ),
  "the changed profile": (pending) =>
    updateProfile(7, { full_name: "Amina" }, dependencies({ accounts: { updateProfile: pending } })),
  "the address of a sign-in": (pending) =>
    issueToken(
      { username: "amina", password: oldPassword },
      from,
      dependencies({
        accounts: { findWithPassword: async () => account },
        passwordGuard: { ...noGuard, attempt: (_signIn, open) => open(), rememberAddress: pending },
      }),
    ),
  "the replaced token": (pending) =>
    refreshToken(caller, dependencies({ revokedTokens: { revoke: pending } })),
};

describe.each(Object.entries(writes))("A caller gets an error about %s", (_case, run) => {
  it("only once it is written, and of its failure", async () => {
    const failure = new Error("The write failed.");
    const { promise: written, reject } = Promise.withResolvers<never>();
    written.catch(() => undefined);
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    let isReported = false;
    const result = run(() => {
      reach();
      return written;
    }).finally(() => {
      isReported = true;
    });
    result.catch(() => undefined);
    await reached;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(isReported).toBe(false);
    reject(failure);
    await expect(result).rejects.toBe(failure);
  });
});

describe("What is written", () => {
  it("of a changed password is the hash of the new one", async () => {
    const change = vi.fn(async (_seen: AccountAtEpoch, _passwordHash: string) => true);
    await changePassword(
      7,
      { old_password: oldPassword, new_password: newPassword },
      dependencies({ accounts: { findWithPassword: async () => account, changePassword: change } }),
    );
    expect(change).toHaveBeenCalledExactlyOnceWith(
      { userId: 7, tokenEpoch: 3 },
      expect.stringMatching(/^\$argon2id\$/),
    );
    expect(await verifyPassword(newPassword, change.mock.calls[0]?.[1])).toBe(true);
  });

  it.each([
    [3_600, { expires_in: 3_600 }],
    [undefined, {}],
  ])(
    "of a new token needs no table: the token contains all of it, for %s seconds",
    async (tokenLifetimeSeconds, expiry) => {
      const sign = vi.fn(async (_token: NewToken, _seconds: number | undefined) => "signed");
      const issued = await issueToken(
        { username: "amina@example.com", password: oldPassword },
        from,
        dependencies({
          accounts: { findWithPassword: async () => account },
          tokens: { sign, verify: unasked("A token") },
          tokenLifetimeSeconds,
        }),
      );
      expect(issued).toEqual({ access_token: "signed", token_type: "bearer", ...expiry });
      expect(sign).toHaveBeenCalledExactlyOnceWith(
        { userId: 7, tokenId: expect.stringMatching(/^[\w-]{16}$/), tokenEpoch: 3 },
        tokenLifetimeSeconds,
      );
    },
  );

  it("of a replaced token is that it is revoked; the new one has its epoch, and another id", async () => {
    const revoke = vi.fn(async () => ({ kind: "revoked" }) as const);
    const sign = vi.fn(async (_token: NewToken, _seconds: number | undefined) => "signed");
    const tokens = { sign, verify: unasked("A token") };
    const issued = await refreshToken(caller, dependencies({ revokedTokens: { revoke }, tokens }));
    expect(revoke).toHaveBeenCalledExactlyOnceWith(caller, undefined);
    expect(issued).toMatchObject({ access_token: "signed", expires_in: 3_600 });
    const [token] = sign.mock.calls[0] ?? [];
    expect(token).toMatchObject({ userId: 7, tokenEpoch: 3 });
    expect(token?.tokenId).not.toBe(caller.tokenId);
  });

  it.each([
    ["amina", { username: "amina" }],
    ["amina@example.com", { email: "amina@example.com" }],
  ])("was requested by %s, with one lookup", async (username, reference) => {
    const findWithPassword = vi.fn(async () => account);
    await issueToken(
      { username, password: oldPassword },
      from,
      dependencies({ accounts: { findWithPassword } }),
    );
    expect(findWithPassword).toHaveBeenCalledExactlyOnceWith(reference);
  });
});

describe("An account that signs in through an identity provider", () => {
  const { password_hash, ...profile } = account;
  const elsewhere = { ...profile, oauth_type: "IdentityProviderA", has_password: false } as const;

  it.each([oldPassword, "", "undefined"])("gets no token for any password: %j", async (password) => {
    const issued = issueToken(
      { username: "amina", password },
      from,
      dependencies({ accounts: { findWithPassword: async () => elsewhere } }),
    );
    await expect(issued).rejects.toMatchObject({ code: "invalid_credentials" });
  });

  it("gets a token for the password that it has set", async () => {
    const issued = issueToken(
      { username: "amina", password: oldPassword },
      from,
      dependencies({
        accounts: { findWithPassword: async () => ({ ...elsewhere, password_hash, has_password: true }) },
      }),
    );
    expect(await issued).toMatchObject({ access_token: expect.stringContaining("signed") });
  });

  it("has no password to change before it has set one", async () => {
    const changed = changePassword(
      7,
      { old_password: oldPassword, new_password: newPassword },
      dependencies({ accounts: { findWithPassword: async () => elsewhere } }),
    );
    await expect(changed).rejects.toMatchObject({ code: "bad_request" });
  });
});

describe("A registration whose mail cannot be queued", () => {
  beforeEach(() => {
    vi.spyOn(logger, "error").mockImplementation(() => undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("succeeds anyway, and the log says so without the address", async () => {
    const failure = Object.assign(new Error("No queue for amina@example.com"), { name: "QueueDoesNotExist" });
    const registered = await register(
      { username: "amina", email: "amina@example.com", password: newPassword },
      dependencies({
        accounts: { create: async () => account },
        mailQueue: { send: () => Promise.reject(failure) },
      }),
    );
    expect(registered).toMatchObject({ id: 7, username: "amina" });
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("mail.not_queued", {
      reason: { name: "QueueDoesNotExist" },
    });
  });
});

describe("Who may not is refused, and nothing is written", () => {
  it.each<readonly [string, string, () => Promise<unknown>]>([
    [
      "a wrong old password",
      "invalid_credentials",
      () =>
        changePassword(
          7,
          { old_password: "not the password", new_password: newPassword },
          dependencies({ accounts: { findWithPassword: async () => account } }),
        ),
    ],
    [
      "an account that is gone",
      "unauthenticated",
      () =>
        changePassword(
          7,
          { old_password: oldPassword, new_password: newPassword },
          dependencies({ accounts: { findWithPassword: async () => undefined } }),
        ),
    ],
    [
      "a link that was used meanwhile",
      "invalid_link",
      () =>
        resetPassword(
          { token: "secret", new_password: newPassword },
          address,
          dependencies({
            accounts: { find: async () => account },
            links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), resetPassword: async () => false },
            passwordGuard: { ...noGuard, forgive: async () => undefined },
          }),
        ),
    ],
    [
      "a link that was mailed before the password was changed",
      "invalid_link",
      () =>
        resetPassword(
          { token: "secret", new_password: newPassword },
          address,
          dependencies({
            accounts: { find: async () => account },
            links: { find: async () => ({ userId: 7, tokenEpoch: 2 }) },
          }),
        ),
    ],
    [
      "an old password that was changed meanwhile",
      "invalid_credentials",
      () =>
        changePassword(
          7,
          { old_password: oldPassword, new_password: newPassword },
          dependencies({
            accounts: { findWithPassword: async () => account, changePassword: async () => false },
          }),
        ),
    ],
    [
      "a disabled account",
      "forbidden",
      () =>
        issueToken(
          { username: "amina", password: oldPassword },
          from,
          dependencies({ accounts: { findWithPassword: async () => ({ ...account, disabled: true }) } }),
        ),
    ],
    [
      "a token that a parallel call replaced",
      "unauthenticated",
      () =>
        refreshToken(
          caller,
          dependencies({
            revokedTokens: { revoke: () => Promise.reject(new AppError("unauthenticated")) },
          }),
        ),
    ],
    ["a blank sector", "bad_request", () => updateProfile(7, { sector: ["health", "  "] }, dependencies({}))],
    [
      "an unknown type of organisation",
      "bad_request",
      () => updateProfile(7, { organization_type: "Club" }, dependencies({})),
    ],
  ])("%s: %s", async (_case, code, run) => {
    await expect(run()).rejects.toMatchObject({ code });
  });
});

describe("A login", () => {
  it("marks its address as known, for either name of the owner", async () => {
    const rememberAddress = vi.fn(async (_names: readonly string[], _address: string) => undefined);
    const guard = dependencies({}).passwordGuard;
    await issueToken(
      { username: "amina", password: oldPassword },
      from,
      dependencies({
        accounts: { findWithPassword: async () => account },
        passwordGuard: { ...guard, rememberAddress },
      }),
    );
    expect(rememberAddress).toHaveBeenCalledExactlyOnceWith(["amina", "amina@example.com"], address);
  });
});

describe("An account whose deletion has broken off", () => {
  it("refuses the login, and finishes the deletion with the right password", async () => {
    const closing = { ...account, deletion_began: "2026-11-20T10:00:00.000Z" };
    const eraseAccount = vi.fn(async (_account: StoredAccount, _signal: AbortSignal) => undefined);
    const signIn = (password: string) =>
      issueToken({ username: "amina", password }, from, {
        ...dependencies({ accounts: { findWithPassword: async () => closing } }),
        eraseAccount,
      });
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
});

describe("The guard of passwords while its store fails", () => {
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

  it("does not reveal the result of a password that it could not count, right or wrong", async () => {
    const guard = createPasswordGuard({ ...working, addWrong: down, clearAfterRight: down }, addresses);
    for (const open of [async () => "open", async () => undefined]) {
      await expect(guard.attempt(signIn, open)).rejects.toThrow("The table is not there.");
      await expect(guard.confirm(7, open)).rejects.toThrow("The table is not there.");
    }
  });
});

describe("A new password from a mailed link", () => {
  it("ends the wait of the username and of the address", async () => {
    const forgive = vi.fn(async (_names: readonly string[], _address: string) => undefined);
    await resetPassword(
      { token: "secret", new_password: newPassword },
      address,
      dependencies({
        accounts: { find: async () => account },
        links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), resetPassword: async () => true },
        passwordGuard: { ...noGuard, forgive },
        mailQueue: { send: async () => undefined },
      }),
    );
    expect(forgive).toHaveBeenCalledExactlyOnceWith(["amina", "amina@example.com"], address);
  });

  it.each([
    [
      false,
      {
        kind: "first-proof",
        userId: 7,
        ended: { password: true, secondFactor: false, keys: 1, identities: 1 },
      },
    ],
    [true, { kind: "password-reset", userId: 7, keys: [{ name: "kiosk", prefix: "lai_8fQ2" }] }],
  ])(
    "ends what was created before the address was verified, and a mail says so (verified: %s)",
    async (email_verified, mail) => {
      const removeEnded = vi.fn(async (_userId: number, _epoch: number) => undefined);
      const revoke = vi.fn(async (_userId: number, _key: string) => true);
      const write = vi.fn(async (_secret: string, _changes: readonly ItemUpdate[]) => true);
      const sendMail = vi.fn(async (_request: object) => undefined);
      const needed = dependencies({
        accounts: { find: async () => ({ ...account, email_verified }) },
        links: { find: async () => ({ userId: 7, tokenEpoch: 3 }), resetPassword: write },
        identities: {
          list: async () => [{ id: "one", issuer: "", email: undefined, joinedAt: "" }],
          removeEnded,
        },
        passwordGuard: { ...noGuard, forgive: async () => undefined },
        mailQueue: { send: sendMail },
      });
      const key = { id: "k1", name: "kiosk", prefix: "lai_8fQ2", createdAt: "2026-11-20T10:00:00.000Z" };
      const unset = { scopes: undefined, expiresAt: undefined, monthlyLimit: undefined };
      const list = async () => [{ ...key, ...unset, usedAt: undefined, usedThisMonth: 0 }];
      const reset = { token: "secret", new_password: newPassword };
      await resetPassword(reset, address, { ...needed, apiKeys: { list, revoke } });
      expect(sendMail).toHaveBeenCalledExactlyOnceWith(mail);
      const written = JSON.stringify(write.mock.calls);
      expect(written.includes("REMOVE api_keys")).toBe(!email_verified);
      expect(written.includes("CALLBACKS#7")).toBe(!email_verified);
      expect(removeEnded.mock.calls).toEqual(email_verified ? [] : [[7, 4]]);
      expect(revoke.mock.calls).toEqual(email_verified ? [] : [[7, "k1"]]);
    },
  );
});

describe("A token that would be one too many to replace", () => {
  it.each([3_600, undefined])("is refused, with the time of the next attempt: %s", async (endsIn) => {
    const revoke = async () => ({ kind: "too-many", endsIn }) as const;
    await expect(refreshToken(caller, dependencies({ revokedTokens: { revoke } }))).rejects.toMatchObject({
      status: 429,
      code: "rate_limited",
      retryAfterSeconds: endsIn,
      message: expect.stringContaining("replaced 200 tokens"),
    });
  });
});

describe("A verification mail", () => {
  it("is not requested again once the address is verified", async () => {
    const verified = { ...account, email_verified: true };
    const outcome = await resendVerification(7, dependencies({ accounts: { find: async () => verified } }));
    expect(outcome).toMatchObject({ success: true, message: expect.stringContaining("already") });
  });
});

describe("A profile", () => {
  it("lacks what has no value, and an organisation called Unknown", async () => {
    const status = (changes: object) =>
      getProfileStatus(7, dependencies({ accounts: { find: async () => ({ ...account, ...changes }) } }));
    const missing_fields = ["full_name", "organization", "organization_type", "sector"];
    expect(await status({})).toEqual({ is_complete: false, missing_fields });
    const complete = {
      full_name: "Amina",
      organization: "Makerere University",
      organization_type: "Research",
      sector: ["health"],
    };
    expect(await status(complete)).toEqual({ is_complete: true, missing_fields: [] });
    expect(await status({ ...complete, sector: [] })).toEqual({
      is_complete: false,
      missing_fields: ["sector"],
    });
  });
});

describe("The guard of passwords", () => {
  const guardWith = (waits: { readonly before?: number; readonly after?: number }) =>
    createPasswordGuard(
      {
        waitOf: async () => waits.before ?? 0,
        addWrong: async () => ({ wait: waits.after ?? 0, failures: 1 }),
        clearAfterRight: async () => waits.after ?? 0,
        forget: unasked("Forgiveness"),
      },
      { isKnown: async () => false, remember: unasked("An address") },
    );
  const amina = { name: "amina", sourceAddress: address };

  it("opens at once when there is no wait, and not while there is one", async () => {
    expect(await guardWith({}).attempt(amina, async () => "opened")).toBe("opened");
    const open = vi.fn(async () => "opened");
    await expect(guardWith({ before: 1 }).attempt(amina, open)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterSeconds: 1,
    });
    expect(open).not.toHaveBeenCalled();
  });

  it.each(["opened", undefined])(
    "refuses passwords during a wait that started meanwhile: %s",
    async (opened) => {
      await expect(guardWith({ after: 1_001 }).attempt(amina, async () => opened)).rejects.toMatchObject({
        retryAfterSeconds: 2,
      });
    },
  );
});
