import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { confirmByLinkPage, confirmPage } from "./pages.ts";

type View = Visit<unknown, "signed-in">;

/** A provider that says when a person has logged in there. */
export interface ConfirmingProvider {
  readonly letter: string;
  readonly name: string;
}

/** The ways to show a recent login. @param next the page to continue with. */
export const Confirm = ({
  account,
  texts,
  url,
  problems,
  providers,
  next,
}: View & { readonly providers: readonly ConfirmingProvider[]; readonly next: string }) => {
  const { proof: words, logIn, forgot } = texts;
  return (
    <div class="card">
      <h1>{words.title}</h1>
      <p class="about">{words.text}</p>
      {providers.map(({ letter, name }) => (
        <a
          key={letter}
          class="button full"
          href={url(`/console/log-in/${letter}?${new URLSearchParams({ fresh: "yes", next })}`)}
        >
          {fill(words.again, { provider: name })}
        </a>
      ))}
      {account.email_verified ? (
        <>
          {providers.length > 0 && <p class="or">{logIn.or}</p>}
          <p class="about">{fill(texts.connect.byMailText, { email: account.email })}</p>
          <Form to={confirmPage.path} submit={forgot.button} look="secondary" refusal={problems.form} />
        </>
      ) : (
        <p class="about">{fill(words.verifyFirst, { email: account.email })}</p>
      )}
      <a class="button quiet full" href={url(next)}>
        {words.back}
      </a>
    </div>
  );
};

export const ConfirmByLink = ({ texts, account, token }: View & { readonly token: string }) => (
  <div class="card">
    <h1>{texts.proof.title}</h1>
    <p class="about">{fill(texts.proof.linkText, { username: account.username })}</p>
    <Form to={confirmByLinkPage.path} submit={texts.proof.button}>
      <input type="hidden" name="token" value={token} />
    </Form>
  </div>
);
