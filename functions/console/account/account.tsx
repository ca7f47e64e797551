import type { ComponentChildren } from "preact";
import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { Notice, PageHead, TabBar } from "../../../shared/pages/view/components.tsx";
import { Form } from "../../../shared/pages/view/forms.tsx";
import { Export } from "./account-export.tsx";
import { type AccountView, accountPath } from "./account-view.ts";
import { NewTerms } from "./new-terms.tsx";
import { type AccountSection, accountSections } from "./pages.ts";
import { Email, Profile } from "./profile.tsx";
import { Identities, Password, SecondFactorStatus, Sessions } from "./security.tsx";
import { Webhooks } from "./webhooks.tsx";

const Deletion = (visit: AccountView) => {
  const words = visit.texts.account;
  const { isThis, form } = sentTo("delete-account", visit);
  return (
    <>
      <p>{words.deleteText}</p>
      <details open={isThis} class="revoke">
        <summary>{words.deleteOpen}</summary>
        <Form to={accountPath} submit={words.deleteButton} look="danger" {...form}>
          {proofField(visit, "delete-account")}
        </Form>
      </details>
    </>
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
  "export-account": "export",
  "export-link": "export",
  "test-webhook": "webhooks",
  "resend-webhook": "webhooks",
  "delete-account": "data",
};

/** The section that a visit shows. */
export const sectionIn = ({ query, values }: Pick<AccountView, "query" | "values">): AccountSection =>
  sectionOf[values["action"] ?? ""] ?? query.section ?? (query.joined ? "security" : "profile");

const Section = ({ title, id, children }: { title: string; id: string; children: ComponentChildren }) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);

const Content = ({ section, visit }: { readonly section: AccountSection; readonly visit: AccountView }) => {
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
          <Section title={visit.texts.secondFactor.title} id="second-factor">
            <SecondFactorStatus {...visit} />
          </Section>
          <Section title={words.sessions} id="sessions">
            <Sessions {...visit} />
          </Section>
          <Identities {...visit} />
        </>
      );
    case "webhooks":
      return <Webhooks {...visit} />;
    case "export":
      return (
        <Section title={words.export} id="export">
          <Export {...visit} />
        </Section>
      );
    case "data":
      return (
        <Section title={words.delete} id="delete">
          <Deletion {...visit} />
        </Section>
      );
  }
};

const Outcomes = ({ account, texts, query, providers }: AccountView) => {
  const words = texts.account;
  const joined = providers.find(({ letter }) => letter === query.joined);
  const fieldNames = {
    full_name: words.fullName,
    organization_type: words.organizationType,
  };
  const emptied = query.kept.map((name) => fieldNames[name]);
  const outcomes = {
    saved: emptied.length > 0 ? fill(words.savedExceptRequired, { fields: emptied.join(", ") }) : words.saved,
    sent: fill(texts.overview.sent, { email: account.email }),
    "password-changed": words.passwordChanged,
    "password-set": words.passwordSet,
    unlinked: words.unlinked,
    "secret-replaced": texts.tokens.secretReplaced,
    "terms-accepted": words.termsAccepted,
    "export-requested": words.exportRequested,
    confirmed: texts.proof.confirmed,
    "second-factor-off": texts.secondFactor.turnedOff,
    resent: texts.webhooks.resent,
    tested: texts.webhooks.tested,
  };
  return (
    <>
      {query.done && <Notice title={outcomes[query.done]} />}
      {joined && <Notice title={fill(texts.identity.joined, { provider: joined.name })} />}
    </>
  );
};

/** The settings of an account, in four pages. */
export const AccountSettings = (visit: AccountView) => {
  const { texts, query, url, values } = visit;
  const words = texts.account;
  const section = sectionIn({ query, values });
  return (
    <>
      <PageHead title={texts.navigation.account} />
      <TabBar
        label={words.sections.label}
        tabs={accountSections.map((each) => ({
          href: each === "profile" ? url(accountPath) : `${url(accountPath)}?section=${each}`,
          label: words.sections[each],
          isCurrent: each === section,
        }))}
      />
      <Outcomes {...visit} />
      <NewTerms {...visit} />
      <Content section={section} visit={visit} />
    </>
  );
};
