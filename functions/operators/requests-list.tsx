import type { TierRequest } from "../../shared/accounts/tiers/tier-requests.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import { fill } from "../../shared/pages/texts/languages.ts";
import { Badge, DataTable, EmptyState } from "../../shared/pages/view/components.tsx";
import { dayOf } from "../../shared/pages/view/dates.ts";
import { AccountLink, AdminPage, adminAccountPath } from "./admin-view.tsx";

const kinds = { open: { kind: "warning" }, accepted: { kind: "good" }, declined: {} } as const;

/** The last request of each account for a higher plan. */
export const RequestsList = ({
  texts,
  language,
  url,
  requests,
}: Visit<unknown, "operators"> & { readonly requests: readonly TierRequest[] }) => {
  const { admin: words, tier } = texts;
  const { requestsPage: page } = words;
  const names = new Map(requests.map(({ user_id: id, username }) => [id, username]));
  if (requests.length === 0) {
    return (
      <AdminPage tab="requests" intro={page.intro}>
        <EmptyState title={page.none}>
          <p>{page.noneText}</p>
        </EmptyState>
      </AdminPage>
    );
  }
  return (
    <AdminPage tab="requests" intro={page.intro}>
      <DataTable
        caption={words.requests}
        isStacked
        columns={[
          ...[words.whom, page.status, tier.purpose, tier.amount, page.sent].map((label) => ({ label })),
          { label: page.decide, isAction: true },
        ]}
        rows={requests.map(({ user_id: id, username, status, purpose, amount, created_at: sent }) => [
          <AccountLink key={id} id={id} names={names} />,
          <Badge key={id} {...kinds[status]}>
            {tier.states[status]}
          </Badge>,
          purpose,
          amount,
          dayOf(sent, language),
          status === "open" ? (
            <a
              key={id}
              href={`${url(adminAccountPath(id))}?act=decide#decide`}
              aria-label={fill(page.decideNamed, { name: username })}
            >
              {page.decide}
            </a>
          ) : (
            ""
          ),
        ])}
      />
    </AdminPage>
  );
};
