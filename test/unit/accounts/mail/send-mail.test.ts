import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { MailToSend } from "../../../../functions/mail/mail-limits.ts";
import { type Mail, sendMail } from "../../../../functions/mail/send-mail.ts";
import type { MailRequest } from "../../../../shared/accounts/mail/mail-request.ts";
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
    setDefaultLanguage: unasked,
    setAccountType: unasked,
    setDisabled: unasked,
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
    ["to reset a password, for an account that has none", reset, { ...account, has_password: false }],
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

  it("to reset the password that an account of an identity provider has set is sent", async () => {
    const { deliver, send } = setup({ ...account, oauth_type: "IdentityProviderA" });
    await send(reset);
    expect(deliver).toHaveBeenCalledOnce();
  });

  it("to verify the address of an account of an identity provider is sent", async () => {
    const { deliver, send } = setup({ ...account, oauth_type: "IdentityProviderA", has_password: false });
    await send(verification);
    expect(deliver).toHaveBeenCalledOnce();
  });

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
