import { requestNotice } from "../../../shared/accounts/mail/mail-queue.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { accountOfLink } from "../../../shared/accounts/sign-in/verify-email.ts";
import { dayMilliseconds } from "../../../shared/platform/durations.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";

/** How long the rest of a disowned account stays, so that an operator can undo a mistake. */
const disownedMilliseconds = 7 * dayMilliseconds;

/**
 * Disables an account that was registered with the address of the person who reads the mail, and frees the address. The rest
 * is erased a week later. Works while the address is not verified.
 *
 * @throws AppError `invalid_link`, also when the address is verified.
 */
export const disownAccount = async (
  secret: string,
  { accounts, links, mailQueue }: Pick<SignInDependencies, "accounts" | "links" | "mailQueue">,
): Promise<void> => {
  const account = await accountOfLink(secret, "verify-email", { accounts, links });
  const eraseAt = new Date(Date.now() + disownedMilliseconds).toISOString();
  if (!(await links.disown(secret, account, eraseAt))) throw new AppError("invalid_link");
  await requestNotice(
    { kind: "disowned", email: account.email, erasedOn: eraseAt.slice(0, 10) },
    { mailQueue },
  );
};
