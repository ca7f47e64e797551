import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import { escapeHtml } from "../../shared/http/html.ts";
import { confirmationMail, type MailWording, removal, securityNotices } from "./security-notices.ts";

/** A mail ready to be sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const countOf = (count: number, one: string, several: string): string[] =>
  count === 0 ? [] : [`- ${count === 1 ? one : `${count} ${several}`}`];

const listEnded = ({
  password,
  secondFactor = false,
  keys,
  identities,
}: Extract<MailRequest, { kind: "first-proof" }>["ended"]): string =>
  [
    ...(password ? ["- the password from before"] : []),
    ...(secondFactor ? ["- the second factor from before"] : []),
    "- all logins and access tokens",
    ...countOf(keys, "an API key", "API keys"),
    ...countOf(identities, "a login through an identity provider", "logins through identity providers"),
    "- the webhook secret, and the callbacks of earlier jobs",
  ].join("\n");

const passwordReset = ({
  keys,
  identities,
}: Extract<MailRequest, { kind: "password-reset" }>): MailWording => {
  const subject = "Your password was changed";
  const intro = [
    "Your password was changed with a link that we sent to this address. All sessions and access tokens have ended.",
  ];
  if (keys.length === 0 && identities.length === 0) return { subject, intro, end: [] };
  const listed = [
    ["These API keys still work:", keys.map(({ name, prefix }) => `- ${name} (${prefix}…)`)],
    [
      "These accounts can still log in to yours:",
      identities.map(({ issuer, email }) => `- ${email === undefined ? issuer : `${email} at ${issuer}`}`),
    ],
  ] as const;
  const stays = listed.flatMap(([title, rows]) => (rows.length > 0 ? [[title, ...rows].join("\n")] : []));
  return {
    subject,
    intro: [...intro, ...stays, "To revoke keys or remove logins that you do not know, open this link:"],
    ...removal,
  };
};

const changeIfNotYou =
  "If it was not you, change your password at once, and log out everywhere on the page of your account.";

const recoveryCodeUsed = ({
  codesLeft,
}: Extract<MailRequest, { kind: "recovery-code-used" }>): MailWording => ({
  subject: "A recovery code was used",
  intro: [
    "Someone confirmed who they are with one of the recovery codes of your account. It does not work again.",
    codesLeft === 0 ? "It was the last one." : `You have ${codesLeft} left.`,
  ],
  end: [
    "You can create new ones on the page of your account, under Security, and set up a new phone there.",
    changeIfNotYou,
  ],
});

const tierDecided = ({ decision, note }: Extract<MailRequest, { kind: "tier-decided" }>): MailWording => ({
  subject: decision === "accepted" ? "Your account has higher limits" : "Your request for higher limits",
  intro: [
    decision === "accepted"
      ? "We have accepted your request: your plan is now Premium."
      : "We have read your request for a higher plan, and cannot accept it now.",
    ...(note === "" ? [] : [note]),
    "You find your plan and its limits here:",
  ],
  link: { path: "/console/usage" },
  end: [],
});

const monthUsed = (
  { percent, used, limit, until, keyId }: Extract<MailRequest, { kind: "month-used" }>,
  keyName: string | undefined,
): MailWording => {
  const what =
    keyId === undefined
      ? "Your account"
      : `The key ${keyName === undefined ? "" : `“${keyName}” `}of your account`;
  const number = new Intl.NumberFormat("en");
  return {
    subject: percent === 100 ? "The requests of this month are used up" : "80% of this month is used",
    intro: [
      `${what} has used ${number.format(used)} of its ${number.format(limit)} requests of this month.`,
      percent === 100
        ? `More requests are refused until ${until} (UTC).`
        : `At the limit, requests are refused until ${until} (UTC).`,
      keyId === undefined
        ? "This page shows your usage, and how to get higher limits:"
        : "You have set this limit yourself. This page shows your keys:",
    ],
    link: { path: keyId === undefined ? "/console/usage" : "/console/tokens" },
    end: [],
  };
};

const routesEnd = ({ sunset, routes }: Extract<MailRequest, { kind: "routes-end" }>): MailWording => ({
  subject: `Routes that you call end on ${sunset}`,
  intro: [
    `Version 1 of the API ends on ${sunset}. In the last 30 days your account has called these of its routes:`,
    routes.map((route) => `- ${route}`).join("\n"),
    "From that day on they may stop working. This guide shows how to replace each:",
  ],
  link: { path: "/docs/guides/from-v1" },
  end: ["Nothing else changes: your account, keys and limits stay the same."],
});

/** The wording of a requested mail. @param keyName of the key that the mail is about, unless it was revoked. */
export const wordingOf = (request: MailRequest, keyName?: string): MailWording => {
  switch (request.kind) {
    case "verify-email":
      return {
        subject: "Verify your email address",
        intro: ["To verify your email address, open this link and press the button:"],
        link: { purpose: "verify-email", path: "/auth/verify-email" },
        end: ["The link works for 24 hours. If you did not create this account, say so on the same page."],
      };
    case "reset-password":
      return {
        subject: "Reset your password",
        intro: ["We received a request to reset your password. To choose a new one, open this link:"],
        link: { purpose: "reset-password", path: "/reset-password" },
        end: [
          "The link works once, for 30 minutes. If you did not request it, ignore this email: your password stays the same.",
        ],
      };
    case "first-proof":
      return {
        subject: "Your email address is verified",
        intro: [
          "You have shown that this email address belongs to you. Someone else may have created the account, so all access from before has ended:",
          listEnded(request.ended),
        ],
        end: ["If you used the keys in a program, create new ones."],
      };
    case "password-reset":
      return passwordReset(request);
    case "connect-identity":
      return {
        subject: `Log in with ${request.connects.provider}?`,
        intro: [
          `Someone logged in at ${request.connects.provider} with your email address, and wants to log in here with that. If it was you, open this link and press the button:`,
        ],
        link: { purpose: "connect-identity", path: "/console/connect/link" },
        end: [
          "The link works once, for 30 minutes. If it was not you, ignore this email: your account stays as it is.",
        ],
      };
    case "confirm-owner":
      return confirmationMail;
    case "security-notice":
      return securityNotices[request.event](request.detail ?? "");
    case "second-factor-on":
      return {
        subject: "A second factor is set up",
        intro: [
          "All other sessions, and all access tokens, have ended. Your API keys still work.",
          "From now on, your account needs a code of your authenticator app to log in. Keep the recovery codes where you find them without your phone.",
        ],
        end: [changeIfNotYou],
      };
    case "second-factor-off":
      return {
        subject: "Your second factor is turned off",
        intro: ["From now on, your account needs no code to log in. The recovery codes have ended too."],
        end: [changeIfNotYou],
      };
    case "second-factor-removed":
      return {
        subject: "Your second factor was removed",
        intro: [
          "An operator of this service has removed the second factor of your account, because someone has asked us to. All sessions and access tokens have ended; your API keys still work. From now on, your account needs no code to log in. The recovery codes have ended too.",
          "You can set up a new one on the page of your account, under Security.",
        ],
        end: [changeIfNotYou],
      };
    case "recovery-codes-replaced":
      return {
        subject: "Your recovery codes were replaced",
        intro: ["Your account has new recovery codes. The earlier ones no longer work."],
        end: [changeIfNotYou],
      };
    case "recovery-code-used":
      return recoveryCodeUsed(request);
    case "tier-decided":
      return tierDecided(request);
    case "month-used":
      return monthUsed(request, keyName);
    case "routes-end":
      return routesEnd(request);
    case "disowned":
      return {
        subject: "The account with your email address is disabled",
        intro: [
          "You reported that you did not create the account with this email address. It is disabled, and the address is free for a new account.",
        ],
        end: [`The rest of the account will be deleted on ${request.erasedOn}.`],
      };
  }
};

const paragraph = (text: string): string => `<p>${escapeHtml(text).replaceAll("\n", "<br>")}</p>`;

/**
 * Writes a mail as text and HTML.
 *
 * @param link the address of the mail's link, if it has one.
 */
export const writeMail = (
  { subject, intro, end }: MailWording,
  recipient: { readonly email: string; readonly username?: string },
  link?: string,
): Mail => {
  const start = [recipient.username === undefined ? "Hello," : `Hello ${recipient.username},`, ...intro];
  const links = link === undefined ? [] : [link];
  const linksHtml = links.map(escapeHtml).map((address) => `<p><a href="${address}">${address}</a></p>`);
  return {
    to: recipient.email,
    subject,
    text: `${[...start, ...links, ...end].join("\n\n")}\n`,
    html: [...start.map(paragraph), ...linksHtml, ...end.map(paragraph)].join(""),
  };
};
