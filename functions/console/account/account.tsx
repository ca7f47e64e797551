import type * as z from "zod";
import { organizationTypes } from "../../../shared/accounts/profile/manage-profile.ts";
import type { JoinedIdentity } from "../../../shared/accounts/repositories/identities-repository.ts";
import { transcriptionLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import type { Session } from "../sessions/sessions-repository.ts";
import { fill } from "../texts/languages.ts";
import { Facts, Notice } from "../view/components.tsx";
import { momentOf } from "../view/dates.ts";
import { Field, Form, NewPasswordField, optionsOf, PasswordField, Select } from "../view/forms.tsx";
import { browserName } from "./browser-name.ts";
import type { accountPage } from "./pages.ts";

const to = "/console/account";

export interface LinkableProvider {
  readonly letter: string;
  readonly name: string;
  readonly issuer: string;
}

type Shown = Visit<z.output<NonNullable<typeof accountPage.query>>, "signed-in"> & {
  readonly sessions: readonly Session[];
  readonly identities: readonly JoinedIdentity[];
  readonly providers: readonly LinkableProvider[];
};

const Email = (visit: Shown) => {
  const { account, texts } = visit;
  const words = texts.overview;
  return (
    <>
      <Facts
        facts={[
          [texts.account.username, account.username],
          [words.email, account.email],
          [words.emailStatus, account.email_verified ? words.verified : words.notVerified],
        ]}
      />
      {!account.email_verified && (
        <Form
          to={to}
          submit={words.sendAgain}
          look="secondary"
          {...sentTo("send-verification", visit).form}
        />
      )}
    </>
  );
};

const Profile = (visit: Shown) => {
  const { account, texts } = visit;
  const words = texts.account;
  const { form, field } = sentTo("save-profile", visit);
  const optional = (name: string, known?: string | null) => ({ ...field(name, known), isOptional: true });
  const none = { value: "", label: words.notChosen };
  const types = organizationTypes.map((value) => ({ value, label: words.organizationTypes[value] }));
  return (
    <Form to={to} submit={words.save} {...form}>
      <Field {...optional("full_name", account.full_name)} label={words.fullName} autocomplete="name" />
      <Field
        {...optional("organization", account.organization === "Unknown" ? null : account.organization)}
        label={words.organization}
        autocomplete="organization"
      />
      <Select
        {...optional("organization_type", account.organization_type)}
        label={words.organizationType}
        options={[none, ...types]}
      />
      <Field
        {...optional("sector", account.sector?.join(", "))}
        label={words.sector}
        hint={words.sectorHint}
      />
      <Select
        {...optional("default_language", account.default_language)}
        label={words.defaultLanguage}
        hint={words.defaultLanguageHint}
        options={[none, ...optionsOf(transcriptionLanguages)]}
      />
    </Form>
  );
};

const Password = (visit: Shown) => {
  const { account, texts, identities, providers } = visit;
  const words = texts.account;
  if (!account.has_password) {
    const provider = providers.find(({ issuer }) => issuer === identities[0]?.issuer)?.name;
    const { form, field } = sentTo("set-password", visit);
    return (
      <>
        <p>{fill(words.firstPasswordText, { provider: provider ?? identities[0]?.issuer ?? "" })}</p>
        <Form to={to} submit={words.setPassword} {...form}>
          <NewPasswordField {...field("first_password")} label={words.newPassword} />
        </Form>
      </>
    );
  }
  const { form, field } = sentTo("change-password", visit);
  return (
    <>
      <p>{words.passwordText}</p>
      <Form to={to} submit={words.changePassword} {...form}>
        <PasswordField {...field("old_password")} label={words.currentPassword} />
        <NewPasswordField {...field("new_password")} label={words.newPassword} />
      </Form>
    </>
  );
};

const Sessions = (visit: Shown) => {
  const { texts, language, sessions, session } = visit;
  const words = texts.account;
  return (
    <>
      <p>{words.sessionsText}</p>
      <ul class="cards">
        {sessions.map(({ id, userAgent, createdAt, seenAt }) => (
          <li class="card" key={id}>
            <h3>
              {browserName(userAgent)} {id === session.id && <span class="hint">{words.thisSession}</span>}
            </h3>
            <Facts
              facts={[
                [words.started, momentOf(createdAt * 1_000, language)],
                [words.lastSeen, momentOf(seenAt * 1_000, language)],
              ]}
            />
          </li>
        ))}
      </ul>
      <p>{words.logOutText}</p>
      <Form
        to={to}
        submit={words.logOutEverywhere}
        look="secondary"
        {...sentTo("log-out-everywhere", visit).form}
      />
    </>
  );
};

const Identities = (visit: Shown) => {
  const { account, texts, identities, providers } = visit;
  const words = texts.account;
  if (identities.length === 0 && providers.length === 0) return null;
  const isLastWay = !account.has_password && identities.length === 1;
  const nameOf = (issuer: string) => providers.find((provider) => provider.issuer === issuer)?.name ?? issuer;
  const joinable = providers.filter(({ issuer }) => !identities.some((joined) => joined.issuer === issuer));
  return (
    <>
      <h2>{words.identities}</h2>
      <p>{words.identitiesText}</p>
      {identities.map(({ id, issuer, email }) => (
        <div class="card" key={id}>
          <h3>{nameOf(issuer)}</h3>
          {email !== undefined && <p>{email}</p>}
          {isLastWay ? (
            <p class="hint">{words.lastWayIn}</p>
          ) : (
            <Form
              to={to}
              submit={fill(words.unlink, { provider: nameOf(issuer) })}
              look="secondary"
              {...(visit.values["identity"] === id ? sentTo("unlink", visit).form : { action: "unlink" })}
            >
              <input type="hidden" name="identity" value={id} />
            </Form>
          )}
        </div>
      ))}
      {joinable.map(({ letter, name }) => (
        <Form
          key={letter}
          to={`/console/account/identities/${letter}`}
          submit={fill(texts.identity.joinTitle, { provider: name })}
          look="secondary"
        />
      ))}
    </>
  );
};

const Deletion = (visit: Shown) => {
  const { account, texts } = visit;
  const words = texts.account;
  const { isThis, form, field } = sentTo("delete-account", visit);
  return (
    <>
      <p>{words.deleteText}</p>
      {account.has_password ? (
        <details open={isThis}>
          <summary>{words.deleteOpen}</summary>
          <Form to={to} submit={words.deleteButton} look="danger" {...form}>
            <PasswordField {...field("password")} label={words.currentPassword} />
          </Form>
        </details>
      ) : (
        <p>{words.deleteNeedsPassword}</p>
      )}
    </>
  );
};

/** The settings of an account. */
export const AccountSettings = (visit: Shown) => {
  const { account, texts, query, providers } = visit;
  const words = texts.account;
  const joined = providers.find(({ letter }) => letter === query.joined);
  const fieldNames = {
    full_name: words.fullName,
    organization_type: words.organizationType,
    default_language: words.defaultLanguage,
  };
  const emptied = query.kept.map((name) => fieldNames[name]);
  const outcomes = {
    saved: emptied.length > 0 ? fill(words.savedExceptRequired, { fields: emptied.join(", ") }) : words.saved,
    sent: fill(texts.overview.sent, { email: account.email }),
    "password-changed": words.passwordChanged,
    "password-set": words.passwordSet,
    unlinked: words.unlinked,
  };
  return (
    <>
      <h1>{texts.navigation.account}</h1>
      {query.done && <Notice title={outcomes[query.done]} />}
      {joined && <Notice title={fill(texts.identity.joined, { provider: joined.name })} />}
      <Email {...visit} />
      <h2>{words.profile}</h2>
      <Profile {...visit} />
      <h2>{words.password}</h2>
      <Password {...visit} />
      <h2>{words.sessions}</h2>
      <Sessions {...visit} />
      <Identities {...visit} />
      <h2>{words.delete}</h2>
      <Deletion {...visit} />
    </>
  );
};
