import type * as z from "zod";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import { accountTypes } from "../../shared/accounts/access/account-access.ts";
import type { Withheld } from "../../shared/accounts/mail/withheld-mail.ts";
import type { ListedKeys } from "../../shared/accounts/profile/manage-keys.ts";
import type { TierRequest } from "../../shared/accounts/tiers/tier-requests.ts";
import type { Usage } from "../../shared/accounts/usage/usage.ts";
import { Confirmed } from "../../shared/pages/proof/confirmed.tsx";
import { proofField } from "../../shared/pages/proof/proof-field.tsx";
import { sentTo } from "../../shared/pages/server/sent-form.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { DataTable, Facts, Notice, Trail } from "../../shared/pages/view/components.tsx";
import { dayOf, momentOf } from "../../shared/pages/view/dates.ts";
import { Field, Form, Select } from "../../shared/pages/view/forms.tsx";
import { Meter } from "../../shared/pages/view/meter.tsx";
import { CharactersMeter, RecordingsMeter } from "../../shared/pages/view/month-meters.tsx";
import { AdminPage, adminAccountPath, StatusBadge } from "./admin-view.tsx";
import { DecideRequest } from "./decide-request.tsx";
import type { adminAccountPage } from "./pages.ts";

/** What the page of an account shows. */
export type DetailsView = Visit<z.output<NonNullable<typeof adminAccountPage.query>>, "operators"> & {
  readonly shownAccount: StoredAccount;
  /** Milliseconds of Unix time; `undefined` for an account that was never used. */
  readonly lastSeen: number | undefined;
  readonly withheld: Withheld | undefined;
  readonly usage: Usage | undefined;
  readonly keys: ListedKeys["keys"];
  readonly tierRequest: TierRequest | undefined;
};

const AccountFacts = ({ texts, language, shownAccount: shown, lastSeen, withheld }: DetailsView) => {
  const { admin: words, overview } = texts;
  const mail = withheld
    ? fill(words.mailWithheld, {
        day: dayOf(withheld.since, language),
        reason: words.reasons[withheld.reason],
      })
    : words.mailSent;
  return (
    <section class="card" aria-label={words.account}>
      <Facts
        facts={[
          [words.status, <StatusBadge key="status" account={shown} />],
          [words.number, String(shown.id)],
          [
            words.email,
            `${shown.email} (${shown.email_verified ? overview.verified : overview.notVerified})`,
          ],
          [words.tier, overview.plans[shown.account_type]],
          [texts.account.fullName, shown.full_name ?? "–"],
          [words.organization, shown.organization],
          [words.signsInWith, shown.oauth_type],
          [words.created, momentOf(shown.created_at, language)],
          [words.lastSeen, lastSeen === undefined ? words.never : momentOf(lastSeen, language)],
          [words.mail, mail],
        ]}
      />
    </section>
  );
};

const UsageOfMonth = ({ texts, usage }: DetailsView) => {
  if (!usage) return null;
  const { admin: words, usage: usageWords, overview } = texts;
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">{words.usageThisMonth}</h2>
      <div class="columns two">
        <Meter label={overview.today} used={usage.today.used} limit={usage.today.limit} />
        <Meter label={overview.thisMonth} used={usage.this_month.used} limit={usage.this_month.limit} />
        <RecordingsMeter usage={usage} label={usageWords.recordings} />
        <CharactersMeter usage={usage} label={usageWords.charactersThisMonth} />
      </div>
    </section>
  );
};

const Keys = ({ texts, language, keys }: DetailsView) => {
  const { admin: words, tokens } = texts;
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">{words.keys}</h2>
      {keys.length === 0 ? (
        <p class="soft">{words.noKeys}</p>
      ) : (
        <DataTable
          caption={words.keys}
          isCaptionShown={false}
          isStacked
          columns={[tokens.name, tokens.key, tokens.createdOn, tokens.lastUsed].map((label) => ({ label }))}
          rows={keys.map((key) => [
            key.name,
            <code key={key.id}>{key.prefix}…</code>,
            dayOf(key.created_at, language),
            key.last_used_at === null ? tokens.neverUsed : dayOf(key.last_used_at, language),
          ])}
        />
      )}
    </section>
  );
};

const Tier = (visit: DetailsView) => {
  const { texts, shownAccount: shown } = visit;
  const { admin: words, overview } = texts;
  const { form, field } = sentTo("change-tier", visit);
  return (
    <section aria-labelledby="tier">
      <h3 id="tier">{words.changeTier}</h3>
      <Form to={adminAccountPath(shown.id)} submit={words.changeTier} {...form}>
        <Select
          {...field("type", shown.account_type)}
          label={words.tier}
          options={accountTypes.map((value) => ({ value, label: overview.plans[value] }))}
        />
        {proofField(visit, "change-tier")}
      </Form>
    </section>
  );
};

const Deletion = (visit: DetailsView) => {
  const { texts, shownAccount: shown } = visit;
  const { admin: words } = texts;
  const { form, field } = sentTo("delete", visit);
  return (
    <section aria-labelledby="delete">
      <h3 id="delete">{words.delete}</h3>
      <p>{words.deleteText}</p>
      <Form to={adminAccountPath(shown.id)} submit={words.delete} look="danger" {...form}>
        <Field {...field("typed_username")} label={words.typedUsername} autocomplete="off" maxlength={64} />
        {proofField(visit, "delete")}
      </Form>
    </section>
  );
};

const Acts = (visit: DetailsView) => {
  const { texts, account, query, values, url, shownAccount: shown, withheld, keys, tierRequest } = visit;
  const { admin: words } = texts;
  if (account.id === shown.id) return <p>{words.yourself}</p>;
  const common = { to: adminAccountPath(shown.id), sent: visit };
  const open = values["action"] ?? query.act;
  const request = tierRequest?.status === "open" ? tierRequest : undefined;
  return (
    <>
      {shown.disabled ? (
        <Confirmed
          {...common}
          action="enable"
          label={words.enable}
          text={words.enableText}
          isDangerous={false}
        />
      ) : (
        <Confirmed {...common} action="disable" label={words.disable} text={words.disableText} />
      )}
      {withheld && (
        <Confirmed
          {...common}
          action="allow-mail"
          label={words.allowMail}
          text={words.allowMailText}
          isDangerous={false}
        />
      )}
      {keys.length > 0 && (
        <Confirmed {...common} action="revoke-keys" label={words.revokeKeys} text={words.revokeKeysText} />
      )}
      <p class="row">
        {request && (
          <a class="button secondary" href={`${url(common.to)}?act=decide#decide`}>
            {words.requestsPage.openRequest}
          </a>
        )}
        <a class="button secondary" href={`${url(common.to)}?act=change-tier#tier`}>
          {words.changeTier}
        </a>
        <a class="button secondary" href={`${url(common.to)}?act=delete#delete`}>
          {words.delete}
        </a>
      </p>
      {open === "decide" && request && <DecideRequest {...visit} tierRequest={request} />}
      {open === "change-tier" && <Tier {...visit} />}
      {open === "delete" && <Deletion {...visit} />}
    </>
  );
};

/** The page of one account: what it is, what it has used, and what an operator can do to it. */
export const AccountDetails = (visit: DetailsView) => {
  const { texts, query, shownAccount: shown } = visit;
  const { admin: words } = texts;
  return (
    <AdminPage
      tab="accounts"
      title={shown.username}
      trail={<Trail steps={[{ to: "/console/admin", label: words.accounts }]}>{shown.username}</Trail>}
    >
      {query.done && <Notice title={words.done[query.done]} />}
      <AccountFacts {...visit} />
      <UsageOfMonth {...visit} />
      <section class="card" aria-labelledby="acts">
        <h2 id="acts">{words.acts}</h2>
        <Acts {...visit} />
      </section>
      <Keys {...visit} />
    </AdminPage>
  );
};
