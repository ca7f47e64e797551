import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Notice } from "../../../shared/pages/view/components.tsx";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { Prose } from "../../../shared/pages/view/prose.tsx";
import { accountPath } from "./account-view.ts";

/** A form to accept the terms, while the owner of the account has not accepted the present ones. */
export const NewTerms = ({
  termsVersion,
  ...visit
}: Visit<unknown, "signed-in"> & { readonly termsVersion: string }) => {
  const { account, texts } = visit;
  const words = texts.account;
  if (account.accepted_terms?.version === termsVersion) return null;
  return (
    <Notice kind="warning" icon="document" title={words.termsTitle}>
      <p>
        <Prose text={fill(words.termsText, { version: termsVersion })} />
      </p>
      <Form
        to={accountPath}
        submit={words.acceptTerms}
        look="secondary"
        {...sentTo("accept-terms", visit).form}
      >
        <input type="hidden" name="version" value={termsVersion} />
      </Form>
    </Notice>
  );
};
