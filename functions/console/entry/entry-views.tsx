import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Notice } from "../../../shared/pages/view/components.tsx";
import {
  Field,
  Form,
  NewPasswordField,
  PasswordField,
  RequiredBox,
} from "../../../shared/pages/view/forms.tsx";
import { Outcome } from "../../../shared/pages/view/outcome.tsx";
import { Prose } from "../../../shared/pages/view/prose.tsx";
import { DailyRequests, type RequestsPerDay } from "./daily-requests.tsx";

import type { AfterWhat } from "./pages.ts";

/** An identity provider to log in with. */
export interface OfferedProvider {
  readonly name: string;
  /** The page that redirects there, such as `/console/log-in/a`. */
  readonly path: string;
}

type PageRequest = Pick<Visit, "texts" | "url" | "values" | "problems">;
type Entered = PageRequest & {
  readonly next: string | undefined;
  readonly providers: readonly OfferedProvider[];
};

/** Adds the page to continue with to an address. */
const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?${new URLSearchParams({ next })}`;

const Next = ({ next }: Pick<Entered, "next">) =>
  next === undefined ? null : <input type="hidden" name="next" value={next} />;

export const FormRefused = ({ problems }: Pick<Visit, "problems">) =>
  problems.form === undefined ? null : <Notice kind="bad" title={problems.form} isFocused />;

/** @param words a sentence with `{provider}`. */
const Providers = ({
  providers,
  words,
  texts,
  url,
  next,
}: Pick<Entered, "providers" | "texts" | "url" | "next"> & { readonly words: string }) =>
  providers.length === 0 ? null : (
    <>
      <p class="or">{texts.logIn.or}</p>
      <div class="stack">
        {providers.map(({ name, path }) => (
          <a key={path} class="button secondary full" href={url(withNext(path, next))}>
            {fill(words, { provider: name })}
          </a>
        ))}
      </div>
    </>
  );

type SignUpRequest = Entered & { readonly perDay: RequestsPerDay; readonly termsVersion: string };

const SignUpForm = ({ texts, values, problems, next, termsVersion }: SignUpRequest) => {
  const { signUp, account, navigation } = texts;
  const field = (name: string) => ({ name, value: values[name], problem: problems.fields[name] });
  return (
    <Form to="/console/sign-up" submit={signUp.button} problems={problems.fields}>
      <Next next={next} />
      <Field
        {...field("username")}
        label={account.username}
        hint={signUp.usernameHint}
        autocomplete="username"
      />
      <Field
        {...field("email")}
        label={account.email}
        hint={signUp.emailHint}
        type="email"
        autocomplete="email"
      />
      <NewPasswordField {...field("password")} label={account.password} />
      <Field {...field("organization")} label={account.organization} autocomplete="organization" isOptional />
      <RequiredBox
        name="accepted_terms"
        value={termsVersion}
        label={navigation.terms}
        isChecked={values["accepted_terms"] === termsVersion}
        problem={problems.fields["accepted_terms"]}
      >
        <Prose text={signUp.acceptTerms} opensTab />
      </RequiredBox>
    </Form>
  );
};

export const SignUp = (requested: SignUpRequest) => {
  const { texts, url, problems, next } = requested;
  const { signUp, navigation } = texts;
  return (
    <>
      <div class="card">
        <h1>{signUp.title}</h1>
        <FormRefused problems={problems} />
        <DailyRequests {...requested.perDay} />
        <SignUpForm {...requested} />
        <Providers {...requested} words={signUp.through} />
      </div>
      <p class="beneath">
        {signUp.hasAccount} <a href={url(withNext("/console/log-in", next))}>{navigation.logIn}</a>
      </p>
    </>
  );
};

const outcomesIn = ({ account, logIn, tokens, connect }: Visit["texts"]): Record<AfterWhat, string> => ({
  deleted: account.deleted,
  "log-out": logIn.loggedOut,
  reset: logIn.changed,
  proved: logIn.proved,
  "keys-revoked": tokens.revokedAll,
  connected: connect.done,
  "too-late": logIn.tooLate,
});

const LogInForm = ({ texts, url, values, problems, next }: Entered) => {
  const { logIn, account, navigation } = texts;
  const field = (name: string) => ({ name, value: values[name], problem: problems.fields[name] });
  return (
    <Form to="/console/log-in" submit={navigation.logIn} problems={problems.fields}>
      <Next next={next} />
      <Field {...field("username")} label={logIn.name} autocomplete="username" />
      <PasswordField {...field("password")} label={account.password} />
      <p class="forgot">
        <a href={url("/console/forgot-password")}>{logIn.forgot}</a>
      </p>
    </Form>
  );
};

export const LogIn = (
  requested: Entered & { readonly query: { readonly after?: AfterWhat | undefined } },
) => {
  const { texts, url, problems, next, query } = requested;
  const { logIn, navigation } = texts;
  // What was refused just now is news; what happened before is not.
  const isFirst = problems.form === undefined && Object.keys(problems.fields).length === 0;
  return (
    <>
      <div class="card">
        <h1>{navigation.logIn}</h1>
        {isFirst && query.after && (
          <Notice>
            <p>{outcomesIn(texts)[query.after]}</p>
          </Notice>
        )}
        {isFirst && next !== undefined && <p class="about">{logIn.toContinue}</p>}
        <FormRefused problems={problems} />
        <LogInForm {...requested} />
        <Providers {...requested} words={logIn.through} />
      </div>
      <p class="beneath">
        {logIn.noAccount} <a href={url(withNext("/console/sign-up", next))}>{texts.signUp.title}</a>
      </p>
    </>
  );
};

export const ForgotPassword = ({
  texts: { account, forgot, identity, logIn },
  url,
  values,
  problems,
}: PageRequest) => (
  <>
    <div class="card">
      <h1>{logIn.forgot}</h1>
      <FormRefused problems={problems} />
      <p class="about">{forgot.text}</p>
      <Form to="/console/forgot-password" submit={forgot.button} problems={problems.fields}>
        <Field
          name="email"
          label={account.email}
          type="email"
          autocomplete="email"
          value={values["email"]}
          problem={problems.fields["email"]}
        />
      </Form>
    </div>
    <p class="beneath">
      <a href={url("/console/log-in")}>{identity.toLogIn}</a>
    </p>
  </>
);

/** The same whether the account exists or not. */
export const LinkSent = ({ texts: { forgot, identity }, url }: Pick<Visit, "texts" | "url">) => (
  <>
    <Outcome
      icon="mail"
      title={forgot.sentTitle}
      action={{ href: url("/console/log-in"), words: identity.toLogIn }}
    >
      {forgot.sent}
    </Outcome>
    <p class="beneath">
      {forgot.spam} <a href={url("/console/forgot-password")}>{forgot.again}</a>
    </p>
  </>
);
