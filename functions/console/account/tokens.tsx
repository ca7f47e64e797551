import type * as z from "zod";
import { scopes } from "../../../shared/accounts/access/api-keys.ts";
import {
  type CreatedKey,
  type ListedKeys,
  maxKeyNameLength,
} from "../../../shared/accounts/profile/manage-keys.ts";
import { daySeconds } from "../../../shared/platform/durations.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { sentTo } from "../server/sent-form.ts";
import type { Visit } from "../server/visit.ts";
import { fill } from "../texts/languages.ts";
import { CodeBlock } from "../view/code.tsx";
import { EmptyState, Facts, Notice, Secret } from "../view/components.tsx";
import { dayOf, numbersIn } from "../view/dates.ts";
import { Choices, Field, Form } from "../view/forms.tsx";
import type { tokensPage } from "./pages.ts";

const to = "/console/tokens";

/** What is shown once, in the response to a form. */
export interface ShownOnce {
  readonly createdKey?: CreatedKey;
  readonly createdToken?: { readonly token: string; readonly seconds: number | undefined };
  /** The webhook secret. */
  readonly secret?: string;
  /** The form was sent before, so nothing was created. */
  readonly isSentAlready?: boolean;
}

type Shown = Visit<z.output<NonNullable<typeof tokensPage.query>>, "signed-in"> & {
  readonly keys: ListedKeys["keys"];
} & ShownOnce;

/** A request that is easy to understand. */
export const FirstCall = ({ baseUrl, label }: { readonly baseUrl: string; readonly label: string }) => (
  <CodeBlock
    label={label}
    code={`TOKEN=…\n${
      codeSamples({
        method: "POST",
        url: `${baseUrl}/tasks/translate`,
        needsToken: true,
        body: {
          kind: "json",
          value: { source_language: "eng", target_language: "lug", text: "How are you?" },
        },
      }).curl
    }`}
  />
);

const CreatedKeyNotice = ({
  texts: { tokens: words },
  baseUrl,
  createdKey,
  createdToken,
  isSentAlready,
}: Shown) => (
  <>
    {isSentAlready && <Notice title={words.sentAlready} />}
    {createdKey && (
      <Notice title={fill(words.created, { name: createdKey.name })}>
        <p>{words.once}</p>
        <Secret label={words.key} value={createdKey.key} />
        <FirstCall baseUrl={baseUrl} label={words.firstCall} />
      </Notice>
    )}
    {createdToken && (
      <Notice title={words.tokenCreated}>
        <p>
          {words.once}{" "}
          {createdToken.seconds === undefined
            ? words.tokenLastsForever
            : fill(words.tokenLasts, { days: Math.round(createdToken.seconds / daySeconds) })}
        </p>
        <Secret label={words.token} value={createdToken.token} />
        <FirstCall baseUrl={baseUrl} label={words.firstCall} />
      </Notice>
    )}
  </>
);

type ListedKey = ListedKeys["keys"][number];

const factsOf = (shown: ListedKey, { texts, language }: Shown): (readonly [string, string])[] => {
  const words = texts.tokens;
  const number = numbersIn(language);
  const { expires_at: end, monthly_limit: limit, last_used_at: lastUsed } = shown;
  const used = number.format(shown.used_this_month);
  const isExpired = end !== null && Date.parse(end) <= Date.now();
  const hasAll = shown.scopes.length === scopes.length;
  const expiry = end === null ? words.never : dayOf(end, language);
  return [
    [words.scopes, hasAll ? words.all : shown.scopes.map((scope) => words.scopeNames[scope]).join(", ")],
    [words.createdOn, dayOf(shown.created_at, language)],
    [words.expiresOn, isExpired ? `${expiry}, ${words.expired}` : expiry],
    [words.lastUsed, lastUsed === null ? words.neverUsed : dayOf(lastUsed, language)],
    [words.usedThisMonth, limit === null ? used : fill(words.usedOf, { used, limit: number.format(limit) })],
  ];
};

/** A form that cannot be undone, with what it does. */
const Confirmed = ({
  action,
  label,
  text,
  ...visit
}: Shown & { readonly action: string; readonly label: string; readonly text: string }) => {
  const { isThis, form } = sentTo(action, visit);
  return (
    <details open={isThis}>
      <summary>{label}</summary>
      <p>{text}</p>
      <Form to={to} submit={label} look="danger" {...form} />
    </details>
  );
};

const Key = ({ visit, shown }: { readonly visit: Shown; readonly shown: ListedKey }) => {
  const words = visit.texts.tokens;
  const { id, name, prefix } = shown;
  const isThis = visit.values["key"] === id;
  return (
    <li class="card">
      <h3>{name}</h3>
      <p>
        <code>{prefix}…</code>
      </p>
      <Facts facts={factsOf(shown, visit)} />
      <details open={isThis}>
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
    </li>
  );
};

const Keys = (visit: Shown) => {
  const { keys, baseUrl, texts } = visit;
  const words = texts.tokens;
  return (
    <>
      <h2>{words.yourKeys}</h2>
      {keys.length === 0 ? (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
          <FirstCall baseUrl={baseUrl} label="curl" />
        </EmptyState>
      ) : (
        <ul class="cards">
          {keys.map((shown) => (
            <Key key={shown.id} visit={visit} shown={shown} />
          ))}
        </ul>
      )}
      {keys.length > 1 && (
        <Confirmed action="revoke-all-keys" label={words.revokeAll} text={words.revokeAllText} {...visit} />
      )}
    </>
  );
};

/** Prevents a reload from creating something twice: the session counts these forms. */
const SentOnce = ({ session }: Shown) => <input type="hidden" name="forms_used" value={session.formsUsed} />;

const CallbackSecret = (visit: Shown) => {
  const words = visit.texts.tokens;
  return (
    <>
      <h2>{words.webhooks}</h2>
      <p>{words.webhooksText}</p>
      {visit.secret === undefined ? (
        <Form to={to} submit={words.showSecret} look="secondary" {...sentTo("show-secret", visit).form} />
      ) : (
        <Secret label={words.secret} value={visit.secret} />
      )}
      <Confirmed
        action="replace-secret"
        label={words.replaceSecret}
        text={words.replaceSecretText}
        {...visit}
      />
    </>
  );
};

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
    </Form>
  );
};

/** The page of keys, access tokens and the webhook secret. */
export const TokensAndKeys = (visit: Shown) => {
  const { texts, query, createdKey } = visit;
  const words = texts.tokens;
  const outcomes = {
    revoked: words.revoked,
    "already-revoked": words.alreadyRevoked,
    "revoked-all": words.revokedAll,
    "tokens-revoked": words.tokensRevoked,
    "secret-replaced": words.secretReplaced,
  };
  return (
    <>
      <h1>{words.title}</h1>
      {query.done && <Notice title={outcomes[query.done]} />}
      <CreatedKeyNotice {...visit} />
      <p>{words.intro}</p>
      <Keys {...visit} />
      {!createdKey && (
        <>
          <h2>{words.create}</h2>
          <MakeKey {...visit} />
        </>
      )}
      <h2>{words.token}</h2>
      <p>{words.tokenText}</p>
      <Form to={to} submit={words.createToken} look="secondary" {...sentTo("make-token", visit).form}>
        <SentOnce {...visit} />
      </Form>
      <Confirmed
        action="revoke-all-tokens"
        label={words.revokeTokens}
        text={words.revokeTokensText}
        {...visit}
      />
      <CallbackSecret {...visit} />
    </>
  );
};
