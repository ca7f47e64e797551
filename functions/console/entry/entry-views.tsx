import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { Notice } from "../view/components.tsx";
import { Field, Form, NewPasswordField, PasswordField } from "../view/forms.tsx";
import type { OfferedProvider } from "./entry-pages.tsx";
import type { AfterWhat } from "./pages.ts";

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

const Providers = ({ providers, texts, url, next }: Entered) =>
  providers.length === 0 ? null : (
    <section>
      <p class="soft">{texts.logIn.or}</p>
      {providers.map(({ name, path }) => (
        <p key={path}>
          <a class="button secondary" href={url(withNext(path, next))}>
            {fill(texts.logIn.through, { provider: name })}
          </a>
        </p>
      ))}
    </section>
  );

export const SignUp = (requested: Entered) => {
  const { texts, url, values, problems, next } = requested;
  const { signUp, account, navigation } = texts;
  const field = (name: string) => ({ name, value: values[name], problem: problems.fields[name] });
  return (
    <>
      <h1>{signUp.title}</h1>
      <FormRefused problems={problems} />
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
        <Field
          {...field("organization")}
          label={account.organization}
          autocomplete="organization"
          isOptional
        />
      </Form>
      <Providers {...requested} />
      <p>
        {signUp.hasAccount} <a href={url(withNext("/console/log-in", next))}>{navigation.logIn}</a>
      </p>
    </>
  );
};

export const LogIn = (
  requested: Entered & { readonly query: { readonly after?: AfterWhat | undefined } },
) => {
  const { texts, url, values, problems, next, query } = requested;
  const { logIn, account, navigation } = texts;
  const outcomes = {
    deleted: account.deleted,
    "log-out": logIn.loggedOut,
    reset: logIn.changed,
    proved: logIn.proved,
    "keys-revoked": texts.tokens.revokedAll,
    connected: texts.connect.done,
  };
  const field = (name: string) => ({ name, value: values[name], problem: problems.fields[name] });
  return (
    <>
      <h1>{navigation.logIn}</h1>
      {query.after && <Notice title={outcomes[query.after]} />}
      {next !== undefined && <p>{logIn.toContinue}</p>}
      <FormRefused problems={problems} />
      <Form to="/console/log-in" submit={navigation.logIn} problems={problems.fields}>
        <Next next={next} />
        <Field {...field("username")} label={logIn.name} autocomplete="username" />
        <PasswordField {...field("password")} label={account.password} />
      </Form>
      <p>
        <a href={url("/console/forgot-password")}>{logIn.forgot}</a>
      </p>
      <Providers {...requested} />
      <p>
        {logIn.noAccount} <a href={url(withNext("/console/sign-up", next))}>{texts.signUp.title}</a>
      </p>
    </>
  );
};

export const ForgotPassword = ({ texts: { account, forgot, logIn }, values, problems }: PageRequest) => (
  <>
    <h1>{logIn.forgot}</h1>
    <p>{forgot.text}</p>
    <FormRefused problems={problems} />
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
  </>
);

/** The same whether the account exists or not. */
export const LinkSent = ({ texts: { forgot } }: Pick<Visit, "texts">) => (
  <>
    <h1>{forgot.sentTitle}</h1>
    <p>{forgot.sent}</p>
  </>
);
