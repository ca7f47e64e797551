import type { StoredAccount } from "../../accounts/access/account.ts";
import {
  type ConfirmDependencies,
  confirmAct,
  type GivenProof,
  isRecentLogin,
  requiredProof,
} from "../../accounts/sign-in/confirm-act.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Visit } from "../server/visit.ts";

type Confirming = Pick<Visit<unknown, "signed-in">, "account" | "session">;

/** What a form has to require: a code, the password, a recent login, or nothing as there is one. */
export const proofToShow = ({ account, session }: Confirming) => {
  const proof = requiredProof(account);
  return proof === "recent-login" && isRecentLogin(session.start.provedAt) ? "shown" : proof;
};

/**
 * The proof in a form and its session, for a use case that requires it.
 *
 * @throws AppError `forbidden`, in the words of the page, without a login that would have to be recent.
 */
export const proofIn = (
  visit: Confirming & Pick<Visit, "texts">,
  { password }: Pick<GivenProof, "password">,
): GivenProof => {
  if (proofToShow(visit) === "recent-login") {
    throw new AppError("forbidden", { message: visit.texts.proof.first });
  }
  return { password, provedAt: visit.session.start.provedAt };
};

/**
 * Requires proof that the person at the browser is the owner: a browser that was left open, and a stolen cookie, have a session too.
 *
 * @param form with what `proofField` shows.
 * @throws AppError as {@link proofIn} and {@link confirmAct}.
 */
export const confirmVisit = async (
  visit: Confirming & Pick<Visit, "texts">,
  form: Pick<GivenProof, "password">,
  dependencies: ConfirmDependencies,
): Promise<StoredAccount> => confirmAct(visit.account.id, proofIn(visit, form), dependencies);
