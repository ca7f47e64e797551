import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import type { WithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { LinkPurpose, LinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { escapeHtml } from "../../shared/http/html.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import type { MailLimits } from "./mail-limits.ts";

/** A mail ready to be sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const wording: Readonly<Record<LinkPurpose, { path: string; subject: string; intro: string; end: string }>> =
  {
    "verify-email": {
      path: "/auth/verify-email",
      subject: "Verify your e-mail address",
      intro: "Please follow this link, and press the button there, to verify your e-mail address:",
      end: "The link works for 24 hours. If you did not create an account, ignore this mail.",
    },
    "reset-password": {
      path: "/reset-password",
      subject: "Reset your password",
      intro: "Somebody, probably you, asked for a new password. Follow this link to choose one:",
      end: "The link works once, for 30 minutes. If you did not ask for it, ignore this mail: your password stays.",
    },
  };

/**
 * The mail that carries a one-time link, as text and as HTML.
 *
 * @param baseUrl the service's public address, without a slash at the end.
 */
export const writeMail = (
  purpose: LinkPurpose,
  recipient: { readonly email: string; readonly username: string },
  secret: string,
  baseUrl: string,
): Mail => {
  const { path, subject, intro, end } = wording[purpose];
  const link = `${baseUrl}${path}?token=${encodeURIComponent(secret)}`;
  const greeting = `Hello ${recipient.username},`;
  const [greetingHtml, introHtml, linkHtml, endHtml] = [greeting, intro, link, end].map(escapeHtml);
  return {
    to: recipient.email,
    subject,
    text: `${greeting}\n\n${intro}\n\n${link}\n\n${end}\n`,
    html: `<p>${greetingHtml}</p><p>${introHtml}</p><p><a href="${linkHtml}">${linkHtml}</a></p><p>${endHtml}</p>`,
  };
};

/** Everything the use case touches. */
export interface MailDependencies {
  readonly accounts: AccountsRepository;
  readonly links: Pick<LinksRepository, "create">;
  readonly limits: MailLimits;
  readonly withheldMail: Pick<WithheldMail, "find">;
  readonly deliver: (mail: Mail) => Promise<void>;
  readonly baseUrl: string;
}

/**
 * Sends the mail that was asked for, with a link made for it; nothing when nobody is entitled to it: an unknown
 * address, a verified one, an account that has no password; nor when its recipient had too many, or
 * gets none any more.
 *
 * @param messageId the queue's name for the message that asks for it.
 */
export const sendMail = async (
  request: MailRequest,
  messageId: string,
  { accounts, links, limits, withheldMail, deliver, baseUrl }: MailDependencies,
): Promise<void> => {
  const account = await accounts.find(
    request.kind === "verify-email" ? { id: request.userId } : { email: request.email },
  );
  if (!account) return;
  if (request.kind === "verify-email" && account.email_verified) return;
  if (request.kind === "reset-password" && !account.has_password) return;

  const withheld = await withheldMail.find(account.email);
  if (withheld) {
    logger.info("mail.withheld", { kind: request.kind, reason: withheld.reason });
    return;
  }
  if (!(await limits.admit({ id: messageId, kind: request.kind, email: account.email }))) {
    logger.info("mail.withheld", { kind: request.kind, reason: "limit" });
    return;
  }
  const secret = await links.create({ userId: account.id, tokenEpoch: account.token_epoch }, request.kind);
  await deliver(writeMail(request.kind, account, secret, baseUrl));
};
