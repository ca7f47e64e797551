import type { Visit } from "../server/visit.ts";

type Confirming = Pick<Visit<unknown, "signed-in">, "account" | "texts">;

/** Whether an account can confirm dangerous acts. Others set a password, or a second factor, first. */
export const canConfirm = ({ account }: Pick<Confirming, "account">): boolean =>
  account.has_password || account.has_second_factor;

/**
 * Label and hint of the field that confirms a dangerous act, a `PasswordField` named `password`: `confirmIdentity` takes the
 * password of the account, or a code of its second factor.
 */
export const confirmWords = ({ account, texts }: Confirming): { label: string; hint?: string } => {
  if (!account.has_second_factor) return { label: texts.account.currentPassword };
  return account.has_password
    ? { label: texts.account.confirmLabel, hint: texts.account.confirmHint }
    : { label: texts.secondFactor.code, hint: texts.secondFactor.anyCodeHint };
};
