import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { Connection } from "../../../shared/accounts/repositories/links-repository.ts";
import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { CodeField, Form, PasswordField } from "../../../shared/pages/view/forms.tsx";
import { Outcome } from "../../../shared/pages/view/outcome.tsx";
import type { OpenIdProvider } from "./open-id-provider.ts";
import { connectByLinkPage, connectPage } from "./pages.ts";

type ConnectRequest = Visit & {
  readonly connects: Connection;
  /** The account that the person must prove. */
  readonly of: StoredAccount;
  /** Other providers that the account can be entered with. */
  readonly others: readonly Pick<OpenIdProvider, "letter" | "name">[];
};

const to = connectPage.path;

/** Proves the account with its password. */
const Password = (visit: ConnectRequest) => {
  const { texts, connects } = visit;
  const { form, field } = sentTo("password", visit);
  return (
    <Form to={to} submit={fill(texts.identity.joinTitle, { provider: connects.provider })} {...form}>
      <PasswordField {...field("password")} label={texts.account.password} />
    </Form>
  );
};

/** The ways to prove the account: its password, another of its providers, or a mailed link. */
const Proofs = (visit: ConnectRequest) => {
  const { texts, url, connects, of, others } = visit;
  return (
    <>
      <p class="about">{fill(texts.connect.prove, { provider: connects.provider })}</p>
      {of.has_password && <Password {...visit} />}
      {others.map(({ letter, name }) => (
        <a
          key={letter}
          class="button secondary full"
          href={url(`/console/log-in/${letter}?${new URLSearchParams({ fresh: "yes", next: to })}`)}
        >
          {fill(texts.logIn.through, { provider: name })}
        </a>
      ))}
      <p class="or">{texts.logIn.or}</p>
      <h2>{texts.connect.byMail}</h2>
      <p class="about">{fill(texts.connect.byMailText, { email: of.email })}</p>
      <Form to={to} submit={texts.forgot.button} look="secondary" {...sentTo("mail", visit).form} />
    </>
  );
};

export const Connect = (visit: ConnectRequest) => {
  const { texts, connects, of, account, session } = visit;
  const facts = { provider: connects.provider, email: of.email, username: of.username };
  return (
    <div class="card">
      <h1>{texts.connect.title}</h1>
      <p class="about">{fill(texts.connect.text, facts)}</p>
      {account?.id === of.id && session ? (
        <Form
          to={to}
          submit={fill(texts.identity.joinTitle, { provider: connects.provider })}
          {...sentTo("signed-in", visit).form}
        >
          {proofField({ ...visit, account, session }, "signed-in")}
        </Form>
      ) : (
        <Proofs {...visit} />
      )}
    </div>
  );
};

export const ConnectMailSent = ({
  texts: { forgot, connect, identity },
  url,
  of,
}: Pick<Visit, "texts" | "url"> & Pick<ConnectRequest, "of">) => (
  <Outcome
    icon="mail"
    title={forgot.sentTitle}
    action={{ href: url("/console/log-in"), words: identity.toLogIn }}
  >
    {fill(connect.sent, { email: of.email })}
  </Outcome>
);

/** The page behind the mailed link. */
export const ConnectByLink = ({
  texts,
  problems,
  connects,
  of,
  token,
}: Pick<ConnectRequest, "texts" | "problems" | "connects" | "of"> & { readonly token: string }) => {
  const { provider, identity } = connects;
  const facts = { provider, email: identity.email ?? of.email, username: of.username };
  return (
    <div class="card">
      <h1>{fill(texts.identity.joinTitle, { provider })}</h1>
      <p class="about">{fill(texts.connect.linkText, facts)}</p>
      <Form
        to={connectByLinkPage.path}
        submit={fill(texts.identity.joinTitle, { provider })}
        refusal={problems.form}
        problems={problems.fields}
      >
        <input type="hidden" name="token" value={token} />
        {of.has_second_factor && (
          <CodeField
            name="code"
            label={texts.secondFactor.code}
            hint={texts.secondFactor.anyCodeHint}
            problem={problems.fields["code"]}
          />
        )}
      </Form>
    </div>
  );
};
