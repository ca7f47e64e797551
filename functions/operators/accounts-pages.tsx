import type * as z from "zod";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import type { MailQueue } from "../../shared/accounts/mail/mail-queue.ts";
import type { WithheldMail } from "../../shared/accounts/mail/withheld-mail.ts";
import {
  type FoundAccounts,
  listAccounts,
  searchAccounts,
} from "../../shared/accounts/operators/find-accounts.ts";
import { accountActs, type OperatorDependencies } from "../../shared/accounts/operators/operate-accounts.ts";
import { listKeys } from "../../shared/accounts/profile/manage-keys.ts";
import type { AccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import type { ApiKeysRepository } from "../../shared/accounts/repositories/api-keys-repository.ts";
import type { ConfirmDependencies } from "../../shared/accounts/sign-in/confirm-act.ts";
import { decideTierRequest } from "../../shared/accounts/tiers/decide-tier-request.ts";
import type { TierRequests } from "../../shared/accounts/tiers/tier-requests.ts";
import { findUsage, type UsageDependencies } from "../../shared/accounts/usage/find-usage.ts";
import { confirmVisit } from "../../shared/pages/proof/confirm.ts";
import { type BoundPage, page } from "../../shared/pages/server/page.ts";
import { type PageResponse, redirect, shown } from "../../shared/pages/server/responses.ts";
import type { Visit } from "../../shared/pages/server/visit.ts";
import type { SessionsRepository } from "../../shared/pages/sessions/sessions-repository.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { AccountDetails } from "./account-details.tsx";
import { AccountsList } from "./accounts-list.tsx";
import { adminAccountPath } from "./admin-view.tsx";
import { lastRequest } from "./last-seen.ts";
import { accountsPage, adminAccountPage, readAccountId } from "./pages.ts";

/** What the pages of accounts use. */
export interface AccountsDependencies
  extends ConfirmDependencies,
    Omit<OperatorDependencies, "apiKeys" | "table" | "withheldMail">,
    UsageDependencies {
  readonly accounts: AccountsRepository;
  readonly apiKeys: ApiKeysRepository;
  readonly sessions: Pick<SessionsRepository, "list">;
  readonly table: Table;
  readonly withheldMail: WithheldMail;
  readonly tierRequests: TierRequests;
  readonly mailQueue: MailQueue;
}

const accountsPerPage = 25;

const find = (
  { q, from }: z.output<NonNullable<typeof accountsPage.query>>,
  dependencies: AccountsDependencies,
): Promise<FoundAccounts> => {
  if (q !== undefined) return searchAccounts(q, { limit: accountsPerPage, position: from }, dependencies);
  return listAccounts(accountsPerPage, readAccountId(from), dependencies);
};

const list = (dependencies: AccountsDependencies): BoundPage =>
  page(accountsPage, {
    show: async (visit) =>
      shown({ content: <AccountsList {...visit} found={await find(visit.query, dependencies)} /> }),
  });

/** @throws AppError `not_found`. */
const requireAccount = async (
  id: string | undefined,
  { accounts }: Pick<AccountsDependencies, "accounts">,
): Promise<StoredAccount> => {
  const userId = readAccountId(id);
  const account = userId === undefined ? undefined : await accounts.find({ id: userId });
  if (!account) throw new AppError("not_found");
  return account;
};

const readLastSeen = async (
  { id: userId, token_epoch: tokenEpoch }: StoredAccount,
  { table, sessions }: AccountsDependencies,
): Promise<number | undefined> => {
  const [request, listed] = await Promise.all([
    lastRequest(table, userId),
    sessions.list({ userId, tokenEpoch }),
  ]);
  return listed.reduce((latest, { seenAt }) => Math.max(latest, seenAt * 1_000), request) || undefined;
};

const readDetails = async (shownAccount: StoredAccount, dependencies: AccountsDependencies) => {
  const { id, email } = shownAccount;
  const [lastSeen, withheld, usage, { keys }, tierRequest] = await Promise.all([
    readLastSeen(shownAccount, dependencies),
    dependencies.withheldMail.find(email),
    findUsage(id, {}, dependencies),
    listKeys(id, dependencies),
    dependencies.tierRequests.find(id),
  ]);
  return { shownAccount, lastSeen, withheld, usage, keys, tierRequest };
};

type AccountVisit = Visit<unknown, "operators"> & {
  readonly form: z.output<NonNullable<typeof adminAccountPage.form>>;
};

/** No operator locks themselves out by mistake. */
const requireOther = ({ account, texts }: AccountVisit, { id }: StoredAccount): void => {
  if (account.id === id) throw new AppError("bad_request", { message: texts.admin.yourself });
};

const submit = async (
  visit: AccountVisit,
  dependencies: AccountsDependencies,
): Promise<PageResponse<never>> => {
  const { account: operator, form, path, request, texts } = visit;
  const found = await requireAccount(path["id"], dependencies);
  requireOther(visit, found);
  const acting = { accountId: operator.id, sourceAddress: request.sourceAddress };
  const acts = accountActs(acting, dependencies);
  const after = (done: string, exists = true): PageResponse<never> => {
    if (!exists) throw new AppError("bad_request", { message: texts.admin.gone });
    return redirect(`${adminAccountPath(found.id)}?done=${done}`);
  };
  switch (form.action) {
    case "change-tier":
      await confirmVisit(visit, form, dependencies);
      return after("tier", await acts.changeTier(found, form.type));
    case "decide":
      await confirmVisit(visit, form, dependencies);
      return after((await decideTierRequest(acting, found, form, dependencies)) ? "decided" : "not-open");
    case "disable":
      return after("disabled", await acts.setDisabled(found, true));
    case "enable":
      return after("enabled", await acts.setDisabled(found, false));
    case "allow-mail":
      await acts.allowMail(found);
      return after("mail");
    case "revoke-keys":
      await acts.revokeKeys(found);
      return after("keys");
    case "delete":
      if (form.typed_username.toLowerCase() !== found.username.toLowerCase()) {
        throw new AppError("bad_request", { message: texts.admin.wrongUsername, param: "typed_username" });
      }
      await confirmVisit(visit, form, dependencies);
      await acts.delete(found, request.signal);
      return redirect("/console/admin?done=deleted");
  }
};

const details = (dependencies: AccountsDependencies): BoundPage =>
  page(adminAccountPage, {
    show: async (visit) => {
      const found = await requireAccount(visit.path["id"], dependencies);
      return shown({
        title: found.username,
        content: <AccountDetails {...visit} {...(await readDetails(found, dependencies))} />,
      });
    },
    submit: (visit) => submit(visit, dependencies),
  });

/** The search of accounts, and the page of each. */
export const accountsPages = (dependencies: AccountsDependencies): BoundPage[] => [
  list(dependencies),
  details(dependencies),
];
