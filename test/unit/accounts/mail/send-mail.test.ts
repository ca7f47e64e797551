import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { MailToSend } from "../../../../functions/mail/mail-limits.ts";
import { sendMail } from "../../../../functions/mail/send-mail.ts";
import type { Mail } from "../../../../functions/mail/write-mail.ts";
import type { MailRequest } from "../../../../shared/accounts/mail/mail-request.ts";
import { securityEvents } from "../../../../shared/accounts/mail/mail-request.ts";
import type { Withheld } from "../../../../shared/accounts/mail/withheld-mail.ts";
import type { AccountReference } from "../../../../shared/accounts/repositories/accounts-repository.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";

const account = {
  id: 7,
  username: "amina",
  email: "amina@example.com",
  organization: "Unknown",
  account_type: "Free",
  oauth_type: "Credentials",
  has_password: true,
  has_second_factor: false,
  email_verified: false,
  disabled: false,
  token_epoch: 0,
  created_at: "2026-11-20T10:00:00.000Z",
} as const;

type Found = Omit<typeof account, "username" | "oauth_type" | "has_password" | "email_verified"> & {
  readonly has_password: boolean;
  readonly username: string;
  readonly oauth_type: "Credentials" | "IdentityProviderA" | "IdentityProviderB";
  readonly email_verified: boolean;
};

const unasked = () => Promise.reject(new Error("Sending a mail changes nothing."));

/** Everything the use case touches, with this account in the table, if any. */
const setup = (found: Found | undefined) => {
  const find = vi.fn(async (_reference: AccountReference) => found);
  const create = vi.fn(async () => "a secret/+");
  const deliver = vi.fn(async (_mail: Mail) => undefined);
  const accounts = {
    find,
    findWithPassword: unasked,
    create: unasked,
    updateProfile: unasked,
    acceptTerms: unasked,
    setLanguages: unasked,
    setKeywords: unasked,
    setAccountType: unasked,
    setEmailVerified: unasked,
    setDisabled: unasked,
    removeSecondFactor: unasked,
    revokeTokens: unasked,
    changePassword: unasked,
  };
  const findWithheld = vi.fn(async (_email: string): Promise<Withheld | undefined> => undefined);
  const admit = vi.fn(async (_mail: MailToSend) => true);
  const send = (request: MailRequest) =>
    sendMail(request, "the-message", {
      accounts,
      links: { create },
      limits: { admit },
      withheldMail: { find: findWithheld },
      deliver,
      baseUrl: "https://api.example.com/v1",
      findKeyName: async () => "kiosk",
    });
  return { find, create, findWithheld, admit, deliver, send };
};

const verification: MailRequest = { kind: "verify-email", userId: 7 };
const reset: MailRequest = { kind: "reset-password", email: "Amina@example.com" };

describe("A mail with a link", () => {
  it("that verifies an address goes to its account", async () => {
    const { find, create, deliver, send } = setup(account);
    await send(verification);
    expect(find).toHaveBeenCalledExactlyOnceWith({ id: 7 });
    expect(create).toHaveBeenCalledExactlyOnceWith({ userId: 7, tokenEpoch: 0 }, "verify-email");
    const link = "https://api.example.com/v1/auth/verify-email?token=a%20secret%2F%2B";
    expect(deliver).toHaveBeenCalledExactlyOnceWith({
      to: "amina@example.com",
      subject: "Verify your email address",
      text: expect.stringContaining(`\n\n${link}\n\n`),
      html: expect.stringContaining(`<a href="${link}">${link}</a>`),
    });
    const [mail] = deliver.mock.calls[0] ?? [];
    expect(mail?.text).toContain("Hello amina,");
    expect(mail?.text).toContain("for 24 hours");
  });

  it("that resets a password goes to the account's own address, however it was written", async () => {
    const { find, create, deliver, send } = setup({ ...account, email_verified: true });
    await send(reset);
    expect(find).toHaveBeenCalledExactlyOnceWith({ email: "Amina@example.com" });
    expect(create).toHaveBeenCalledExactlyOnceWith({ userId: 7, tokenEpoch: 0 }, "reset-password");
    expect(deliver).toHaveBeenCalledExactlyOnceWith({
      to: "amina@example.com",
      subject: "Reset your password",
      text: expect.stringContaining("https://api.example.com/v1/reset-password?token=a%20secret%2F%2B"),
      html: expect.stringContaining("once, for 30 minutes"),
    });
  });

  it.each([
    ["to verify an address, for an account that is gone", verification, undefined],
    ["to verify an address that is verified", verification, { ...account, email_verified: true }],
    ["to reset a password, for an unknown address", reset, undefined],
  ])("%s is not made and not sent", async (_case, request, found) => {
    const { create, deliver, send } = setup(found);
    await send(request);
    expect(create).not.toHaveBeenCalled();
    expect(deliver).not.toHaveBeenCalled();
  });

  it("is neither written nor sent when its recipient had too many, without an error", async () => {
    const { create, admit, deliver, send } = setup(account);
    admit.mockResolvedValueOnce(false);
    await expect(send(reset)).resolves.toBeUndefined();
    expect(admit).toHaveBeenCalledExactlyOnceWith({
      id: "the-message",
      kind: "reset-password",
      email: "amina@example.com",
    });
    expect(create).not.toHaveBeenCalled();
    expect(deliver).not.toHaveBeenCalled();
  });

  it.each(["bounce", "complaint"] as const)(
    "is neither written, sent nor counted when its address is blocked, after a %s",
    async (reason) => {
      const info = vi.spyOn(logger, "info").mockReturnValue();
      onTestFinished(() => info.mockRestore());
      const { create, findWithheld, admit, deliver, send } = setup(account);
      findWithheld.mockResolvedValueOnce({ reason, since: "2026-11-20T10:00:00.000Z" });
      await send(reset);
      expect(findWithheld).toHaveBeenCalledExactlyOnceWith("amina@example.com");
      expect(info.mock.calls).toEqual([["mail.withheld", { kind: "reset-password", reason }]]);
      for (const step of [create, admit, deliver]) expect(step).not.toHaveBeenCalled();
    },
  );

  it.each(["create", "deliver"] as const)("is not said to be sent when it fails: %s", async (step) => {
    const failure = new Error("It failed.");
    const { [step]: failing, send } = setup(account);
    failing.mockRejectedValueOnce(failure);
    await expect(send(verification)).rejects.toBe(failure);
  });

  it("shows a name in HTML as it is written, and makes no markup of it", async () => {
    const { deliver, send } = setup({ ...account, username: `<b>&"` });
    await send(verification);
    const [mail] = deliver.mock.calls[0] ?? [];
    expect(mail?.html).toContain("Hello &lt;b&gt;&amp;&quot;,");
    expect(mail?.text).toContain(`Hello <b>&",`);
  });
});

describe("A mail about what has happened to an account", () => {
  const ended = { password: true, keys: 2, identities: 0 };

  it("says what ended with the first proof of its address, also when the recipient had many mails", async () => {
    const { create, admit, deliver, send } = setup({ ...account, email_verified: true });
    await send({ kind: "first-proof", userId: 7, ended });
    expect(admit).not.toHaveBeenCalled();
    expect(create).not.toHaveBeenCalled();
    const [mail] = deliver.mock.calls[0] ?? [];
    expect(mail).toMatchObject({ to: "amina@example.com", subject: "Your email address is verified" });
    expect(mail?.text).toContain(
      "\n- the password from before\n- all logins and access tokens\n- 2 API keys\n- the webhook secret",
    );
    expect(mail?.html).toContain("<br>- 2 API keys<br>");
  });

  it("lists the keys and identities that outlive a new password, with a link that ends them", async () => {
    const { create, deliver, send } = setup({ ...account, email_verified: true, token_epoch: 0 });
    const keys = [{ name: "<b>kiosk</b>", prefix: "lai_8fQ2mZ0a" }];
    const identities = [{ issuer: "https://id.example.com", email: "thief@example.com" }];
    await send({ kind: "password-reset", userId: 7, keys, identities });
    expect(create).toHaveBeenCalledExactlyOnceWith({ userId: 7, tokenEpoch: 0 }, "revoke-keys");
    const [mail] = deliver.mock.calls[0] ?? [];
    expect(mail?.text).toContain("These API keys still work:\n- <b>kiosk</b> (lai_8fQ2mZ0a…)\n");
    expect(mail?.text).toContain(
      "These accounts can still log in to yours:\n- thief@example.com at https://id.example.com\n",
    );
    expect(mail?.text).toContain("/console/revoke-keys?token=a%20secret%2F%2B");
    expect(mail?.html).toContain("- &lt;b&gt;kiosk&lt;/b&gt; (lai_8fQ2mZ0a…)");
  });

  it("asks its owner before a login at a provider is added, at most once a minute", async () => {
    const { create, admit, deliver, send } = setup({ ...account, email_verified: true });
    const identity = { issuer: "https://id.example.com", subject: "7", email: "amina@example.com" };
    const connects = { provider: "Example ID", identity };
    await send({ kind: "connect-identity", userId: 7, connects });
    expect(admit).toHaveBeenCalledOnce();
    expect(create).toHaveBeenCalledExactlyOnceWith(
      { userId: 7, tokenEpoch: account.token_epoch },
      "connect-identity",
      connects,
    );
    const [mail] = deliver.mock.calls[0] ?? [];
    expect(mail).toMatchObject({ to: "amina@example.com", subject: "Log in with Example ID?" });
    expect(mail?.text).toContain("Someone logged in at Example ID with your email address");
    expect(mail?.text).toContain("/console/connect/link?token=a%20secret%2F%2B");
  });

  it("reports what was done in the console, each with what to do if it was another person", async () => {
    for (const event of securityEvents) {
      const { create, admit, deliver, send } = setup({ ...account, email_verified: true });
      await send({ kind: "security-notice", userId: 7, event, detail: "kiosk in Gulu" });
      expect(admit).not.toHaveBeenCalled();
      const [mail] = deliver.mock.calls[0] ?? [];
      expect(mail?.text).toContain("If it was not you, ");
      const isRemovable = event === "key-created" || event === "identity-added";
      expect(create).toHaveBeenCalledTimes(isRemovable ? 1 : 0);
      expect(mail?.text.includes("/console/revoke-keys?token=")).toBe(isRemovable);
      if (isRemovable || event === "identity-removed") expect(mail?.text).toContain("kiosk in Gulu");
    }
  });

  it("confirms an owner at most once a minute, with a link", async () => {
    const { create, admit, deliver, send } = setup({ ...account, email_verified: true });
    await send({ kind: "confirm-owner", userId: 7 });
    expect(admit).toHaveBeenCalledOnce();
    expect(create).toHaveBeenCalledExactlyOnceWith(
      { userId: 7, tokenEpoch: account.token_epoch },
      "confirm-owner",
    );
    const { text = "" } = deliver.mock.calls[0]?.[0] ?? {};
    expect(text).toContain("/console/account/confirm/link?token=");
    expect(text).toContain("Someone who is logged in wants to change your account.");
  });

  it.each([
    [0, "It was the last one."],
    [2, "You have 2 left."],
  ])(
    "says after a recovery code how many are left, and how to create new ones: %d",
    async (codesLeft, left) => {
      const { deliver, send } = setup({ ...account, email_verified: true });
      await send({ kind: "recovery-code-used", userId: 7, codesLeft });
      const { text } = deliver.mock.calls[0]?.[0] ?? {};
      for (const words of [left, "You can create new ones", "If it was not you, change your password"])
        expect(text).toContain(words);
    },
  );

  it("has no link when the account has no keys", async () => {
    const { create, deliver, send } = setup({ ...account, email_verified: true });
    await send({ kind: "password-reset", userId: 7, keys: [], identities: [] });
    expect(create).not.toHaveBeenCalled();
    expect(deliver.mock.calls[0]?.[0].text).not.toContain("http");
  });

  it("goes to the address of an account that its owner did not create, without the account", async () => {
    const { find, deliver, send } = setup(undefined);
    await send({ kind: "disowned", email: "amina@example.com", erasedOn: "2026-11-30" });
    expect(find).not.toHaveBeenCalled();
    const [mail] = deliver.mock.calls[0] ?? [];
    expect(mail?.to).toBe("amina@example.com");
    expect(mail?.text).toMatch(/^Hello,\n/);
    expect(mail?.text).toContain("deleted on 2026-11-30");
  });
});
