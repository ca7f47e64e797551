import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { ApiKey } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { Facts } from "../view/components.tsx";
import { dayOf } from "../view/dates.ts";
import { Form, NewPasswordField, PasswordField } from "../view/forms.tsx";
import { FormRefused } from "./entry-views.tsx";

type LinkPage = Visit & { readonly token: string };

const LinkToken = ({ token }: Pick<LinkPage, "token">) => <input type="hidden" name="token" value={token} />;

export const ResetPassword = ({ texts, problems, token }: LinkPage) => (
  <>
    <h1>{texts.reset.title}</h1>
    <p>{texts.reset.text}</p>
    <FormRefused problems={problems} />
    <Form to="/reset-password" submit={texts.reset.button} problems={problems.fields}>
      <LinkToken token={token} />
      <NewPasswordField
        name="new_password"
        label={texts.account.newPassword}
        problem={problems.fields["new_password"]}
      />
    </Form>
  </>
);

/** The keys that outlive a reset of the password. */
export const RevokeKeys = ({
  texts,
  language,
  url,
  problems,
  token,
  keys,
}: LinkPage & { readonly keys: readonly ApiKey[] }) => (
  <>
    <h1>{texts.reset.keysTitle}</h1>
    <p>{texts.reset.keysText}</p>
    <FormRefused problems={problems} />
    <Facts
      facts={keys.map(({ id, name, prefix, createdAt }) => [
        name,
        <span key={id}>
          <code>{prefix}…</code> {texts.tokens.createdOn} {dayOf(createdAt, language)}
        </span>,
      ])}
    />
    <Form to="/console/revoke-keys" submit={texts.tokens.revokeAll} look="danger">
      <LinkToken token={token} />
    </Form>
    <p>
      <a href={url("/console/log-in")}>{texts.navigation.logIn}</a>
    </p>
  </>
);

const to = "/console/verify-email";

/** Verifies the address for a person who proves to use the account. */
const Verification = (visit: LinkPage & { readonly of: StoredAccount; readonly logIn: string }) => {
  const { texts, url, token, of, account, logIn } = visit;
  const words = texts.verify;
  if (account?.id === of.id) {
    return (
      <>
        <p>{words.text}</p>
        <Form to={to} submit={words.button} {...sentTo("verify", visit).form}>
          <LinkToken token={token} />
        </Form>
      </>
    );
  }
  if (!of.has_password) {
    return (
      <>
        <p>{fill(words.logInText, { username: of.username })}</p>
        <p>
          <a class="button" href={url(logIn)}>
            {texts.navigation.logIn}
          </a>
        </p>
      </>
    );
  }
  const { form, field } = sentTo("verify-with-password", visit);
  return (
    <>
      <p>{fill(words.passwordText, { username: of.username })}</p>
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
  return (
    <>
      <h1>{words.title}</h1>
      <Verification {...visit} />
      {account?.id !== of.id && (
        <>
          <h2>{words.notMine}</h2>
          <p>{words.notMineText}</p>
          <Form to={to} submit={words.notMine} look="danger" {...sentTo("disown", visit).form}>
            <LinkToken token={token} />
          </Form>
        </>
      )}
    </>
  );
};

export const EmailVerified = ({ texts: { home, verify }, url }: Pick<Visit, "texts" | "url">) => (
  <>
    <h1>{verify.doneTitle}</h1>
    <p>{verify.done}</p>
    <p>
      <a href={url("/console")}>{home.toConsole}</a>
    </p>
  </>
);

export const AccountDisowned = ({ texts: { verify } }: Pick<Visit, "texts">) => (
  <>
    <h1>{verify.disownedTitle}</h1>
    <p>{verify.disowned}</p>
  </>
);

/** @param again the page that sends another link. */
export const BrokenLink = ({
  texts: { reset },
  url,
  again,
}: Pick<Visit, "texts" | "url"> & { readonly again: string }) => (
  <>
    <h1>{reset.brokenTitle}</h1>
    <p>{reset.broken}</p>
    <p>
      <a href={url(again)}>{reset.again}</a>
    </p>
  </>
);
