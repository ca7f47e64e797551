import { AppError } from "../../shared/errors/app-error.ts";
import type { AuthDependencies } from "./dependencies.ts";
import type { ActionOutcome } from "./fields.ts";

/**
 * Uses up a verification link and marks the address as verified.
 *
 * @throws AppError `invalid_link`.
 */
export const verifyEmail = async (
  secret: string,
  { links }: Pick<AuthDependencies, "links">,
): Promise<ActionOutcome> => {
  const owner = await links.find(secret, "verify-email");
  if (!owner || !(await links.verifyEmail(secret, owner.userId))) throw new AppError("invalid_link");
  return { success: true, error: null, message: "The e-mail address is verified." };
};

/** Asks for another verification mail, unless the address is verified already. */
export const resendVerification = async (
  userId: number,
  { accounts, mailQueue }: Pick<AuthDependencies, "accounts" | "mailQueue">,
): Promise<ActionOutcome> => {
  const account = await accounts.find({ id: userId });
  if (account?.email_verified) {
    return { success: true, error: null, message: "The e-mail address is verified already." };
  }
  await mailQueue.send({ kind: "verify-email", userId });
  return { success: true, error: null, message: "A verification mail is on its way." };
};

/** Whether a client would rather have a page than JSON: browsers name `text/html`, scripts do not. */
export const prefersHtml = (accept: string | undefined): boolean => /\btext\/html\b/i.test(accept ?? "");

/** The small page a person sees after following the verification link. It takes no input, so nothing is escaped. */
export const verificationPage = (title: string, message: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>
</head>
<body>
<h1>${title}</h1>
<p>${message}</p>
</body>
</html>
`;
