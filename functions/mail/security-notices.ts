import type { SecurityEvent } from "../../shared/accounts/mail/mail-request.ts";
import type { LinkPurpose } from "../../shared/accounts/repositories/links-repository.ts";

/** What a mail says. A text may have several lines. */
export interface MailWording {
  readonly subject: string;
  readonly intro: readonly string[];
  /** The link after the introduction, and its page. Without a purpose it has no secret. */
  readonly link?: { readonly purpose?: LinkPurpose; readonly path: string };
  readonly end: readonly string[];
}

/** The page on which the reader of the mails revokes keys and removes logins, without a login. */
export const removal = {
  link: { purpose: "revoke-keys", path: "/console/revoke-keys" },
  end: ["The link works for 24 hours. After that, use the pages of your keys and of your account."],
} as const;

const toLogOut =
  "If it was not you, log out everywhere on the page of your account, under Security. That ends all sessions and access tokens.";

const toRemove =
  "If it was not you, open this link to revoke your keys and remove logins, then log out everywhere:";

/** What each mail about the security of an account says. @param detail the name of the key or provider. */
export const securityNotices = {
  "password-set": () => ({
    subject: "A password was set",
    intro: ["Your account had no password, and one was set. It opens your account from now on."],
    end: [
      "If it was not you, choose another one at once: with “Forgot password?” on the login page. That ends all sessions and access tokens.",
    ],
  }),
  "identity-added": (detail) => ({
    subject: `You can log in with ${detail}`,
    intro: [`A login with ${detail} was added: it opens your account.`, toRemove],
    ...removal,
  }),
  "identity-removed": (detail) => ({
    subject: `The login with ${detail} was removed`,
    intro: [`${detail} no longer opens your account.`],
    end: [toLogOut],
  }),
  "key-created": (detail) => ({
    subject: "A new API key was created",
    intro: [`The API key “${detail}” was created in the console.`, toRemove],
    ...removal,
  }),
  "token-created": () => ({
    subject: "An access token was created",
    intro: ["An access token was created in the console. It can do everything that you can."],
    end: [toLogOut],
  }),
  "export-link": () => ({
    subject: "Your data can be downloaded",
    intro: ["A link to download the export of your account was shown in the console."],
    end: [toLogOut],
  }),
  "webhook-secret-shown": () => ({
    subject: "Your webhook secret was shown",
    intro: ["Your webhook secret was shown in the console."],
    end: [`${toLogOut} Then replace the secret.`],
  }),
  "webhook-secret-replaced": () => ({
    subject: "Your webhook secret was replaced",
    intro: ["Your webhook secret was replaced. We also sign with the old one for one more day."],
    end: [toLogOut],
  }),
} as const satisfies Readonly<Record<SecurityEvent, (detail: string) => MailWording>>;

/** The mail with which an owner confirms an act. */
export const confirmationMail: MailWording = {
  subject: "Confirm that it is you",
  intro: [
    "Someone who is logged in wants to change your account. If it was you, open this link in the same browser and press the button:",
  ],
  link: { purpose: "confirm-owner", path: "/console/account/confirm/link" },
  end: [
    "The link works once, for 30 minutes. If it was not you, do not open it, and log out everywhere on the page of your account.",
  ],
};
