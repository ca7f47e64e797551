import { confirmPath } from "../server/links.ts";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import { CodeField, PasswordField } from "../view/forms.tsx";
import { proofToShow } from "./confirm.ts";

/**
 * What `confirmVisit` requires: a field named `password` for the password or a code, or the way to a recent login.
 *
 * @param action of the form.
 * @param others.id of the field, as pages may show several forms with one.
 * @param others.back the page to come back to after a login; by default this one.
 */
export const proofField = (
  visit: Visit<unknown, "signed-in">,
  action: string,
  { id = `${action}-password`, back = visit.here }: { readonly id?: string; readonly back?: string } = {},
) => {
  const { texts, url } = visit;
  const field = { ...sentTo(action, visit).field("password"), id };
  switch (proofToShow(visit)) {
    case "code":
      return <CodeField {...field} label={texts.secondFactor.code} hint={texts.secondFactor.anyCodeHint} />;
    case "password":
      return <PasswordField {...field} label={texts.account.currentPassword} />;
    case "recent-login":
      return (
        <p>
          {texts.proof.first} <a href={url(confirmPath(back))}>{texts.proof.title}</a>
        </p>
      );
    case "shown":
      return null;
  }
};
