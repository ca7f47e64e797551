import type * as z from "zod";
import type { FoundAccounts } from "../../shared/accounts/operators/find-accounts.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { DataTable, EmptyState, Notice } from "../../shared/pages/view/components.tsx";
import { dayOf } from "../../shared/pages/view/dates.ts";
import { Field } from "../../shared/pages/view/forms.tsx";
import { AdminPage, adminAccountPath, More, StatusBadge } from "./admin-view.tsx";
import type { accountsPage } from "./pages.ts";

type Shown = Visit<z.output<NonNullable<typeof accountsPage.query>>, "operators"> & {
  readonly found: FoundAccounts;
};

const Search = ({ texts: { admin: words }, url, query }: Shown) => (
  <form method="get" action={url("/console/admin")} class="range">
    <Field name="q" label={words.search} value={query.q} autocomplete="off" maxlength={254} />
    <button type="submit" class="button secondary">
      {words.searchButton}
    </button>
  </form>
);

const Found = (visit: Shown) => {
  const { texts, language, query, url, found } = visit;
  const { admin: words, overview } = texts;
  if (found.accounts.length === 0) {
    return (
      <EmptyState title={words.noneFound}>
        <p>{words.noneFoundText}</p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      caption={query.q === undefined ? words.newest : fill(words.found, { text: query.q })}
      isStacked
      columns={[words.username, words.number, words.email, words.tier, words.status, words.created].map(
        (label) => ({ label }),
      )}
      rows={found.accounts.map((account) => [
        <a key={account.id} href={url(adminAccountPath(account.id))}>
          {account.username}
        </a>,
        String(account.id),
        <span key={account.id} class="breaks">
          {account.email}
          {!account.email_verified && <span class="soft small"> ({overview.notVerified})</span>}
        </span>,
        overview.plans[account.account_type],
        <StatusBadge key={account.id} account={account} />,
        dayOf(account.created_at, language),
      ])}
    />
  );
};

/** The search of accounts; without a text, the newest ones. */
export const AccountsList = (visit: Shown) => {
  const { texts, query, found } = visit;
  const { admin: words } = texts;
  return (
    <AdminPage tab="accounts" intro={words.searchHint}>
      {query.done && <Notice title={words.done[query.done]} />}
      <Search {...visit} />
      <Found {...visit} />
      {found.next !== undefined && (
        <More
          path="/console/admin"
          query={{ ...(query.q === undefined ? {} : { q: query.q }), from: found.next }}
        />
      )}
    </AdminPage>
  );
};
