import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { ApiKey } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { dayOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { Form, NewPasswordField, PasswordField } from "../../../shared/pages/view/forms.tsx";
import { Outcome } from "../../../shared/pages/view/outcome.tsx";
import { FormRefused } from "./entry-views.tsx";

type LinkPage = Visit & { readonly token: string };

const LinkToken = ({ token }: Pick<LinkPage, "token">) => <input type="hidden" name="token" value={token} />;

export const ResetPassword = ({ texts, problems, token }: LinkPage) => (
  <div class="card">
    <h1>{texts.reset.title}</h1>
    <FormRefused problems={problems} />
    <p class="about">{texts.reset.text}</p>
    <Form to="/reset-password" submit={texts.reset.button} problems={problems.fields}>
      <LinkToken token={token} />
      <NewPasswordField
        name="new_password"
        label={texts.account.newPassword}
        problem={problems.fields["new_password"]}
      />
    </Form>
  </div>
);

/** An identity with which a person can log in to the account. */
interface NamedIdentity {
  readonly id: string;
  readonly provider: string;
  readonly email: string | undefined;
  readonly joinedAt: string;
}

const revokePath = "/console/revoke-keys";

const Keys = ({ texts, language, token, keys }: LinkPage & { readonly keys: readonly ApiKey[] }) => (
  <>
    <h2>{texts.tokens.yourKeys}</h2>
    <ul class="stack">
      {keys.map(({ id, name, prefix, createdAt }) => (
        <li key={id}>
          <strong>{name}</strong>
          <p class="small faint">
            <code>{prefix}…</code> {texts.tokens.createdOn} {dayOf(createdAt, language)}
          </p>
        </li>
      ))}
    </ul>
    <Form to={revokePath} action="revoke" submit={texts.tokens.revokeAll} look="danger">
      <LinkToken token={token} />
    </Form>
  </>
);

const Identities = ({
  texts,
  language,
  token,
  identities,
}: LinkPage & { readonly identities: readonly NamedIdentity[] }) => (
  <>
    <h2>{texts.account.identities}</h2>
    {identities.map(({ id, provider, email, joinedAt }) => (
      <div class="provider" key={id}>
        <h3>{provider}</h3>
        <p class="small faint">
          {email} {fill(texts.reset.added, { day: dayOf(joinedAt, language) })}
        </p>
        <Form to={revokePath} action="remove" submit={fill(texts.account.unlink, { provider })} look="danger">
          <LinkToken token={token} />
          <input type="hidden" name="identity" value={id} />
        </Form>
      </div>
    ))}
  </>
);

/** The keys and identities that outlive a reset of the password. */
export const RevokeKeys = (
  visit: LinkPage & { readonly keys: readonly ApiKey[]; readonly identities: readonly NamedIdentity[] },
) => {
  const { texts, url, problems, keys, identities } = visit;
  return (
    <div class="card">
      <h1>{texts.reset.keysTitle}</h1>
      <FormRefused problems={problems} />
      <p class="about">{texts.reset.keysText}</p>
      {keys.length > 0 && <Keys {...visit} />}
      {identities.length > 0 && <Identities {...visit} />}
      <a class="button secondary full" href={url("/console/log-in")}>
        {texts.reset.keepKeys}
      </a>
    </div>
  );
};

const to = "/console/verify-email";

/** Verifies the address for a person who proves to use the account. */
const Verification = (visit: LinkPage & { readonly of: StoredAccount; readonly logIn: string }) => {
  const { texts, url, token, of, account, logIn } = visit;
  const words = texts.verify;
  if (account?.id === of.id) {
    return (
      <>
        <p class="about">{words.text}</p>
        <Form to={to} submit={words.button} {...sentTo("verify", visit).form}>
          <LinkToken token={token} />
        </Form>
      </>
    );
  }
  if (!of.has_password) {
    return (
      <>
        <p class="about">{fill(words.logInText, { username: of.username })}</p>
        <a class="button full" href={url(logIn)}>
          {texts.navigation.logIn}
        </a>
      </>
    );
  }
  const { form, field } = sentTo("verify-with-password", visit);
  return (
    <>
      <p class="about">{fill(words.passwordText, { username: of.username })}</p>
      <Form to={to} submit={words.button} {...form}>
        <LinkToken token={token} />
        <PasswordField {...field("password")} label={texts.account.password} />
      </Form>
    </>
  );
};

export const VerifyEmail = (visit: LinkPage & { readonly of: StoredAccount; readonly logIn: string }) => {
  const { texts, token, of, account } = visit;
  const words = texts.verify;
  const disowns = sentTo("disown", visit);
  return (
    <div class="card">
      <h1>{words.title}</h1>
      <Verification {...visit} />
      {account?.id !== of.id && (
        <details class="otherwise" open={disowns.isThis}>
          <summary>{words.notMine}</summary>
          <p class="about">{words.notMineText}</p>
          <Form to={to} submit={words.disown} look="danger" {...disowns.form}>
            <LinkToken token={token} />
          </Form>
        </details>
      )}
    </div>
  );
};

export const EmailVerified = ({
  texts: { home, verify },
  language,
  url,
  perDay,
}: Pick<Visit, "texts" | "language" | "url"> & { readonly perDay: number | undefined }) => (
  <Outcome icon="success" title={verify.doneTitle} action={{ href: url("/console"), words: home.toConsole }}>
    {perDay === undefined
      ? verify.done
      : fill(verify.doneLimits, { perDay: numbersIn(language).format(perDay) })}
  </Outcome>
);

export const AccountDisowned = ({ texts: { errorPages, verify }, url }: Pick<Visit, "texts" | "url">) => (
  <Outcome icon="safe" title={verify.disownedTitle} action={{ href: url("/"), words: errorPages.home }}>
    {verify.disowned}
  </Outcome>
);

/** @param again the page that sends another link. */
export const BrokenLink = ({
  texts: { reset },
  url,
  again,
}: Pick<Visit, "texts" | "url"> & { readonly again: string }) => (
  <Outcome icon="problem" title={reset.brokenTitle} action={{ href: url(again), words: reset.again }}>
    {reset.broken}
  </Outcome>
);
