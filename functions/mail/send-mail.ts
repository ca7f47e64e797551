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
      subject: "Verify your email address",
      intro: "To verify your email address, open this link and press the button:",
      end: "The link works for 24 hours. If you did not create an account, ignore this email.",
    },
    "reset-password": {
      path: "/reset-password",
      subject: "Reset your password",
      intro: "We received a request to reset your password. To choose a new one, open this link:",
      end: "The link works once, for 30 minutes. If you did not request it, ignore this email: your password stays the same.",
    },
  };

/**
 * Writes a mail with a one-time link, as text and HTML.
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

/** What sending mails needs. */
export interface MailDependencies {
  readonly accounts: AccountsRepository;
  readonly links: Pick<LinksRepository, "create">;
  readonly limits: MailLimits;
  readonly withheldMail: Pick<WithheldMail, "find">;
  readonly deliver: (mail: Mail) => Promise<void>;
  readonly baseUrl: string;
}

/**
 * Sends a requested mail with a new link. Sends nothing for an unknown address, a verified one or an account without a
 * password, nor when the recipient has had too many mails or is blocked.
 *
 * @param messageId the id of the queue's message.
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
