import type { AccountsRepository } from "../../shared/accounts/accounts-repository.ts";
import type { LinksRepository } from "../../shared/accounts/links-repository.ts";
import type { MailRequest } from "../../shared/mail/mail-request.ts";
import { type Mail, writeMail } from "./write-mail.ts";

/** Everything the use case touches. */
export interface MailDependencies {
  readonly accounts: AccountsRepository;
  readonly links: LinksRepository;
  readonly deliver: (mail: Mail) => Promise<void>;
  readonly baseUrl: string;
}

/**
 * Sends the mail that was asked for, with a link made for it; nothing when nobody is entitled to it: an unknown
 * address, a verified one, an account that signs in through an external provider.
 */
export const sendMail = async (
  request: MailRequest,
  { accounts, links, deliver, baseUrl }: MailDependencies,
): Promise<void> => {
  const account =
    request.kind === "verify-email"
      ? await accounts.findById(request.userId)
      : await accounts.findByEmail(request.email);
  if (!account) return;
  if (request.kind === "verify-email" && account.email_verified) return;
  if (request.kind === "reset-password" && account.oauth_type !== "Credentials") return;

  const secret = await links.create(account.id, request.kind);
  await deliver(writeMail(request.kind, account, secret, baseUrl));
};
