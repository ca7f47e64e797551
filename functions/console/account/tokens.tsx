import type { ComponentChildren } from "preact";
import type * as z from "zod";
import { scopes } from "../../../shared/accounts/access/api-keys.ts";
import {
  type CreatedKey,
  type ListedKeys,
  maxKeyNameLength,
} from "../../../shared/accounts/profile/manage-keys.ts";
import { Confirmed } from "../../../shared/pages/proof/confirmed.tsx";
import { proofField } from "../../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState, Notice, PageHead, Secret } from "../../../shared/pages/view/components.tsx";
import { dayOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { Choices, Field, Form } from "../../../shared/pages/view/forms.tsx";
import { daySeconds } from "../../../shared/platform/durations.ts";
import { FirstRequest } from "./first-request.tsx";
import type { tokensPage } from "./pages.ts";

const to = "/console/tokens";

/** What is shown once, in the response to a form. */
export interface ShownOnce {
  readonly createdKey?: CreatedKey;
  readonly createdToken?: { readonly token: string; readonly seconds: number | undefined };
  /** The form was sent before, so nothing was created. */
  readonly isSentAlready?: boolean;
}

type Shown = Visit<z.output<NonNullable<typeof tokensPage.query>>, "signed-in"> & {
  readonly keys: ListedKeys["keys"];
} & ShownOnce;

const Created = ({
  title,
  label,
  secret,
  baseUrl,
  children,
}: Pick<Shown, "baseUrl"> & {
  readonly title: string;
  readonly label: string;
  readonly secret: string;
  readonly children: ComponentChildren;
}) => (
  <section class="card created" role="status">
    <h2>{title}</h2>
    <p>{children}</p>
    <Secret label={label} value={secret} />
    <FirstRequest baseUrl={baseUrl} apiKey={secret} />
  </section>
);

const CreatedNow = ({
  texts: { tokens: words },
  baseUrl,
  createdKey,
  createdToken,
  isSentAlready,
}: Shown) => (
  <>
    {isSentAlready && <Notice title={words.sentAlready} />}
    {createdKey && (
      <Created
        title={fill(words.created, { name: createdKey.name })}
        label={words.key}
        secret={createdKey.key}
        baseUrl={baseUrl}
      >
        {words.once}
      </Created>
    )}
    {createdToken && (
      <Created title={words.tokenCreated} label={words.token} secret={createdToken.token} baseUrl={baseUrl}>
        {words.once}{" "}
        {createdToken.seconds === undefined
          ? words.tokenLastsForever
          : fill(words.tokenLasts, { days: Math.round(createdToken.seconds / daySeconds) })}
      </Created>
    )}
  </>
);

type ListedKey = ListedKeys["keys"][number];

/** What the columns of the table say of a key, after its name. */
const cellsOf = (shown: ListedKey, { texts, language }: Shown): readonly string[] => {
  const words = texts.tokens;
  const number = numbersIn(language);
  const { expires_at: end, monthly_limit: limit, last_used_at: lastUsed } = shown;
  const used = number.format(shown.used_this_month);
  const isExpired = end !== null && Date.parse(end) <= Date.now();
  const hasAll = shown.scopes.length === scopes.length;
  const expiry = end === null ? words.never : dayOf(end, language);
  return [
    hasAll ? words.all : shown.scopes.map((scope) => words.scopeNames[scope]).join(", "),
    isExpired ? `${expiry}, ${words.expired}` : expiry,
    lastUsed === null ? words.neverUsed : dayOf(lastUsed, language),
    limit === null ? used : fill(words.usedOf, { used, limit: number.format(limit) }),
  ];
};

const Revoke = ({ visit, shown }: { readonly visit: Shown; readonly shown: ListedKey }) => {
  const words = visit.texts.tokens;
  const { id, name } = shown;
  const isThis = visit.values["key"] === id;
  return (
    <details open={isThis} class="revoke">
      <summary aria-label={fill(words.revokeNamed, { name })}>{words.revoke}</summary>
      <p>{words.revokeText}</p>
      <Form
        to={to}
        action="revoke-key"
        submit={fill(words.revokeNamed, { name })}
        look="danger"
        refusal={isThis ? visit.problems.form : undefined}
      >
        <input type="hidden" name="key" value={id} />
      </Form>
    </details>
  );
};

const Keys = (visit: Shown) => {
  const { keys, texts } = visit;
  const words = texts.tokens;
  if (keys.length === 0) {
    return (
      <EmptyState title={words.none}>
        <p>{words.noneText}</p>
        <a class="button" href="#create">
          {words.createButton}
        </a>
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        caption={words.yourKeys}
        isStacked
        columns={[
          { label: words.name },
          ...[words.scopes, words.expiresOn, words.lastUsed, words.usedThisMonth].map((label) => ({ label })),
          { label: words.revoke },
        ]}
        rows={keys.map((shown) => [
          <>
            {shown.name}
            <br />
            <span class="soft small">
              <code>{shown.prefix}…</code> {words.createdOn} {dayOf(shown.created_at, visit.language)}
            </span>
          </>,
          ...cellsOf(shown, visit),
          <Revoke key={shown.id} visit={visit} shown={shown} />,
        ])}
      />
      {keys.length > 1 && (
        <Confirmed
          to={to}
          action="revoke-all-keys"
          label={words.revokeAll}
          text={words.revokeAllText}
          sent={visit}
        />
      )}
    </>
  );
};

/** Prevents a reload from creating something twice: the session counts these forms. */
const SentOnce = ({ session }: Shown) => <input type="hidden" name="forms_used" value={session.formsUsed} />;

const MakeKey = (visit: Shown) => {
  const { texts } = visit;
  const words = texts.tokens;
  const { form, field, list } = sentTo("make-key", visit);
  return (
    <Form to={to} submit={words.createButton} {...form}>
      <SentOnce {...visit} />
      <Field
        {...field("name")}
        label={words.name}
        hint={words.nameHint}
        autocomplete="off"
        maxlength={maxKeyNameLength}
      />
      <Choices
        {...field("scopes")}
        label={words.scopes}
        hint={words.scopesHint}
        options={scopes.map((value) => ({ value, label: words.scopeNames[value] }))}
        chosen={list("scopes")}
      />
      <Field {...field("last_day")} label={words.expires} hint={words.expiresHint} type="date" isOptional />
      <Field
        {...field("monthly_limit")}
        label={words.limit}
        hint={words.limitHint}
        inputmode="numeric"
        isOptional
      />
      <Field
        {...field("requests_per_minute")}
        label={words.minuteLimit}
        hint={words.minuteLimitHint}
        inputmode="numeric"
        isOptional
      />
      {proofField(visit, "make-key")}
    </Form>
  );
};

const AccessTokens = (visit: Shown) => {
  const words = visit.texts.tokens;
  return (
    <section class="card" aria-labelledby="tokens">
      <h2 id="tokens">{words.token}</h2>
      <p>{words.tokenText}</p>
      <Form to={to} submit={words.createToken} look="secondary" {...sentTo("make-token", visit).form}>
        <SentOnce {...visit} />
        {proofField(visit, "make-token")}
      </Form>
      <Confirmed
        to={to}
        action="revoke-all-tokens"
        label={words.revokeTokens}
        text={words.revokeTokensText}
        sent={visit}
      />
    </section>
  );
};

/** The page of keys and access tokens. */
export const TokensAndKeys = (visit: Shown) => {
  const { texts, query, createdKey } = visit;
  const words = texts.tokens;
  const outcomes = {
    revoked: words.revoked,
    "already-revoked": words.alreadyRevoked,
    "revoked-all": words.revokedAll,
    "tokens-revoked": words.tokensRevoked,
  };
  return (
    <>
      <PageHead title={words.title}>
        <p class="soft">{words.intro}</p>
      </PageHead>
      {query.done && <Notice title={outcomes[query.done]} />}
      <CreatedNow {...visit} />
      <Keys {...visit} />
      {!createdKey && (
        <section class="card" aria-labelledby="create">
          <h2 id="create">{words.create}</h2>
          <MakeKey {...visit} />
        </section>
      )}
      <AccessTokens {...visit} />
    </>
  );
};
