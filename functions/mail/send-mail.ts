import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import type { MailRequest } from "../../shared/accounts/mail/mail-request.ts";
import type { WithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { LinksRepository } from "../../shared/accounts/repositories/links-repository.ts";
import { logger } from "../../shared/platform/telemetry/logger.ts";
import type { MailLimits } from "./mail-limits.ts";
import { type Mail, wordingOf, writeMail } from "./write-mail.ts";

/** What sending mails needs. */
export interface MailDependencies {
  readonly accounts: AccountsRepository;
  readonly links: Pick<LinksRepository, "create">;
  readonly limits: MailLimits;
  readonly withheldMail: Pick<WithheldMail, "find">;
  readonly deliver: (mail: Mail) => Promise<void>;
  readonly baseUrl: string;
  readonly findKeyName: (userId: number, keyId: string) => Promise<string | undefined>;
}

const findAccount = (
  request: Exclude<MailRequest, { kind: "disowned" }>,
  { accounts }: MailDependencies,
): Promise<StoredAccount | undefined> =>
  accounts.find("userId" in request ? { id: request.userId } : { email: request.email });

/** Mails that other people can request are limited. The others tell an owner what has just happened to the account. */
const isLimited = ({ kind }: MailRequest): boolean =>
  ["verify-email", "reset-password", "connect-identity", "confirm-owner"].includes(kind);

/**
 * Sends a requested mail, with a new link if it has one. Sends nothing for an unknown address, or to verify a verified one,
 * nor when the recipient has had too many mails or is blocked.
 *
 * @param messageId the id of the queue's message.
 */
export const sendMail = async (
  request: MailRequest,
  messageId: string,
  dependencies: MailDependencies,
): Promise<void> => {
  const { links, limits, withheldMail, deliver, baseUrl, findKeyName } = dependencies;
  const { kind } = request;
  const account = kind === "disowned" ? undefined : await findAccount(request, dependencies);
  const recipient = kind === "disowned" ? { email: request.email } : account;
  if (!recipient) return;
  const { email } = recipient;
  if (kind === "verify-email" && account?.email_verified) return;

  const withheld = await withheldMail.find(email);
  if (withheld) {
    logger.info("mail.withheld", { kind, reason: withheld.reason });
    return;
  }
  if (isLimited(request) && !(await limits.admit({ id: messageId, kind, email }))) {
    logger.info("mail.withheld", { kind, reason: "limit" });
    return;
  }
  const keyId = kind === "month-used" ? request.keyId : undefined;
  const keyName = account && keyId !== undefined ? await findKeyName(account.id, keyId) : undefined;
  const wording = wordingOf(request, keyName);
  if (!account || !wording.link) {
    await deliver(writeMail(wording, recipient));
    return;
  }
  const { purpose, path } = wording.link;
  if (purpose === undefined) {
    await deliver(writeMail(wording, recipient, `${baseUrl}${path}`));
    return;
  }
  const owner = { userId: account.id, tokenEpoch: account.token_epoch };
  const secret = await (request.kind === "connect-identity"
    ? links.create(owner, purpose, request.connects)
    : links.create(owner, purpose));
  await deliver(writeMail(wording, recipient, `${baseUrl}${path}?token=${encodeURIComponent(secret)}`));
};
