import type { ComponentChildren } from "preact";
import type * as z from "zod";
import { organizationTypes } from "../../../shared/accounts/profile/manage-profile.ts";
import type { JoinedIdentity } from "../../../shared/accounts/repositories/identities-repository.ts";
import { transcriptionLanguages } from "../../../shared/platform/catalogue/languages.ts";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import type { Session } from "../sessions/sessions-repository.ts";
import { fill } from "../texts/languages.ts";
import { Badge, Facts, Notice, PageHead, Secret, TabBar } from "../view/components.tsx";
import { momentOf } from "../view/dates.ts";
import { Field, Form, NewPasswordField, optionsOf, PasswordField, Select } from "../view/forms.tsx";
import { browserName } from "./browser-name.ts";
import { Confirmed } from "./confirmed.tsx";
import { type AccountSection, type accountPage, accountSections } from "./pages.ts";

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
  /** The webhook secret, when its owner has requested it. */
  readonly secret?: string | undefined;
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
      <ul class="listed">
        {sessions.map(({ id, userAgent, createdAt, seenAt }) => (
          <li key={id}>
            <h3>
              {browserName(userAgent)} {id === session.id && <Badge kind="good">{words.thisSession}</Badge>}
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
    <section class="card" aria-labelledby="identities">
      <h2 id="identities">{words.identities}</h2>
      <p>{words.identitiesText}</p>
      {identities.map(({ id, issuer, email }) => (
        <div class="provider" key={id}>
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
    </section>
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

const Webhooks = (visit: Shown) => {
  const words = visit.texts.tokens;
  return (
    <section class="card" aria-labelledby="webhooks">
      <h2 id="webhooks">{words.webhooks}</h2>
      <p>{words.webhooksText}</p>
      {visit.secret === undefined ? (
        <Form to={to} submit={words.showSecret} look="secondary" {...sentTo("show-secret", visit).form} />
      ) : (
        <Secret label={words.secret} value={visit.secret} />
      )}
      <Confirmed
        to={to}
        action="replace-secret"
        label={words.replaceSecret}
        text={words.replaceSecretText}
        sent={visit}
      />
    </section>
  );
};

/** The section whose form has this action. */
const sectionOf: Readonly<Record<string, AccountSection>> = {
  "change-password": "security",
  "set-password": "security",
  "log-out-everywhere": "security",
  unlink: "security",
  "show-secret": "webhooks",
  "replace-secret": "webhooks",
  "delete-account": "data",
};

const Section = ({ title, id, children }: { title: string; id: string; children: ComponentChildren }) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

const Content = ({ section, visit }: { readonly section: AccountSection; readonly visit: Shown }) => {
  const words = visit.texts.account;
  switch (section) {
    case "profile":
      return (
        <>
          <Section title={visit.texts.overview.email} id="email">
            <Email {...visit} />
          </Section>
          <Section title={words.profile} id="profile">
            <Profile {...visit} />
          </Section>
        </>
      );
    case "security":
      return (
        <>
          <Section title={words.password} id="password-section">
            <Password {...visit} />
          </Section>
          <Section title={words.sessions} id="sessions">
            <Sessions {...visit} />
          </Section>
          <Identities {...visit} />
        </>
      );
    case "webhooks":
      return <Webhooks {...visit} />;
    case "data":
      return (
        <Section title={words.delete} id="delete">
          <Deletion {...visit} />
        </Section>
      );
  }
};

const Outcomes = ({ account, texts, query, providers }: Shown) => {
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
    "secret-replaced": texts.tokens.secretReplaced,
  };
  return (
    <>
      {query.done && <Notice title={outcomes[query.done]} />}
      {joined && <Notice title={fill(texts.identity.joined, { provider: joined.name })} />}
    </>
  );
};

/** The settings of an account, in four pages. */
export const AccountSettings = (visit: Shown) => {
  const { texts, query, url, values } = visit;
  const words = texts.account;
  const section =
    sectionOf[values["action"] ?? ""] ?? query.section ?? (query.joined ? "security" : "profile");
  return (
    <>
      <PageHead title={texts.navigation.account} />
      <TabBar
        label={words.sections.label}
        tabs={accountSections.map((each) => ({
          href: each === "profile" ? url(to) : `${url(to)}?section=${each}`,
          label: words.sections[each],
          isCurrent: each === section,
        }))}
      />
      <Outcomes {...visit} />
      <Content section={section} visit={visit} />
    </>
  );
};
