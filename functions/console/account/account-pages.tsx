import type * as z from "zod";
import { dayOfDate } from "../../../shared/accounts/limits/windows.ts";
import {
  type CreatedKey,
  createKey,
  listKeys,
  revokeKey,
  revokeKeys,
} from "../../../shared/accounts/profile/manage-keys.ts";
import { updateProfile } from "../../../shared/accounts/profile/manage-profile.ts";
import type { ApiKeysRepository } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import { changePassword, setFirstPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import {
  type DeletionDependencies,
  deleteWithPassword,
} from "../../../shared/accounts/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { issueTokenTo } from "../../../shared/accounts/sign-in/issue-token.ts";
import { resendVerification } from "../../../shared/accounts/sign-in/verify-email.ts";
import { findUsage, type UsageDependencies, usageTable } from "../../../shared/accounts/usage/find-usage.ts";
import { maxUsageDays } from "../../../shared/accounts/usage/usage.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { CallbackSecrets } from "../../../shared/recordings/callbacks/callback-secrets.ts";
import { type BoundPage, page } from "../server/page.ts";
import { redirect, sentFile, shown } from "../server/responses.ts";
import type { Visit } from "../server/visit.ts";
import type { SessionsRepository } from "../sessions/sessions-repository.ts";
import { AccountSettings, type LinkableProvider } from "./account.tsx";
import { Overview } from "./overview.tsx";
import { accountPage, endOfDay, overviewPage, requiredOnceSet, tokensPage, usagePage } from "./pages.ts";
import { type ShownOnce, TokensAndKeys } from "./tokens.tsx";
import { UsageOfDays, type UsageRange } from "./usage.tsx";

/** What these pages touch. */
export interface AccountPagesDependencies
  extends Pick<
      SignInDependencies,
      "accounts" | "mailQueue" | "passwordGuard" | "tokens" | "tokenLifetimeSeconds"
    >,
    DeletionDependencies,
    UsageDependencies {
  readonly apiKeys: ApiKeysRepository;
  readonly callbackSecrets: Pick<CallbackSecrets, "current" | "replace">;
  readonly sessions: SessionsRepository;
  readonly identities: Pick<IdentitiesRepository, "list" | "part">;
  readonly openIdProviders: readonly LinkableProvider[];
}

type SignedInVisit = Visit<unknown, "signed-in">;

type TokensForm = z.output<NonNullable<typeof tokensPage.form>>;
type KeyForm = Extract<TokensForm, { readonly action: "make-key" }>;
type TokenForm = Extract<TokensForm, { readonly action: "make-token" }>;

const ownerIn = ({ session: { userId, tokenEpoch } }: SignedInVisit) => ({ userId, tokenEpoch });

const overview = (dependencies: AccountPagesDependencies): BoundPage =>
  page(overviewPage, {
    show: async (visit) =>
      shown({
        content: <Overview {...visit} usage={await findUsage(visit.account.id, {}, dependencies)} />,
      }),
    submit: async ({ account }) => {
      await resendVerification(account.id, dependencies);
      return redirect("/console?done=sent");
    },
  });

const tokens = ({ apiKeys, callbackSecrets, ...dependencies }: AccountPagesDependencies): BoundPage => {
  const { sessions } = dependencies;
  const keysOf = async ({ account }: SignedInVisit) => (await listKeys(account.id, { apiKeys })).keys;
  const make = (visit: SignedInVisit, form: KeyForm): Promise<CreatedKey> =>
    createKey(
      { userId: visit.account.id, token: visit.session },
      {
        name: form.name,
        scopes: form.scopes.length > 0 ? form.scopes : null,
        expires_at: form.last_day === undefined ? null : endOfDay(form.last_day),
        monthly_limit: form.monthly_limit ?? null,
      },
      { apiKeys },
    );
  const makeOnce = async (visit: SignedInVisit, form: KeyForm | TokenForm): Promise<ShownOnce> => {
    try {
      if (form.action === "make-key") return { createdKey: await make(visit, form) };
      const { access_token: token, expires_in: seconds } = await issueTokenTo(ownerIn(visit), dependencies);
      return { createdToken: { token, seconds } };
    } catch (error) {
      await sessions.releaseForm(visit.session, form.forms_used);
      throw error;
    }
  };
  return page(tokensPage, {
    show: async (visit) => shown({ content: <TokensAndKeys {...visit} keys={await keysOf(visit)} /> }),
    submit: async ({ form, ...visit }) => {
      const { id } = visit.account;
      if (form.action === "revoke-all-keys") {
        await revokeKeys(id, { apiKeys });
        return redirect("/console/tokens?done=revoked-all");
      }
      if (form.action === "revoke-key") {
        try {
          await revokeKey(id, form.key, { apiKeys });
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "not_found") throw error;
          return redirect("/console/tokens?done=already-revoked");
        }
        return redirect("/console/tokens?done=revoked");
      }
      if (form.action === "replace-secret") {
        await callbackSecrets.replace(id);
        return redirect("/console/tokens?done=secret-replaced");
      }
      const showAlone = async (more: ShownOnce, formsUsed: number) =>
        shown({
          content: (
            <TokensAndKeys
              {...{ ...visit, values: {}, lists: {}, query: {} }}
              {...more}
              session={{ ...visit.session, formsUsed }}
              keys={await keysOf(visit)}
            />
          ),
        });
      // What follows is shown by this answer alone: an address that led to it would be kept by browsers and logs.
      const { session } = visit;
      if (form.action === "show-secret") {
        return showAlone({ secret: await callbackSecrets.current(id) }, session.formsUsed);
      }
      // Whoever reloads such an answer sends its form again.
      if (!(await sessions.useForm(session, form.forms_used))) {
        return showAlone({ isSentAlready: true }, session.formsUsed);
      }
      return showAlone(await makeOnce(visit, form), form.forms_used + 1);
    },
  });
};

/** The days of the address, when there can be such. */
const rangeIn = ({ from, to }: UsageRange): UsageRange => {
  const last = to === undefined ? Math.floor(Date.now() / 86_400_000) : dayOfDate(to);
  const days = from === undefined ? 1 : last - dayOfDate(from) + 1;
  if (days < 1) return { from, to, problem: "order" };
  return days > maxUsageDays ? { from, to, problem: "tooManyDays" } : { from, to };
};

const usage = ({ apiKeys, ...dependencies }: AccountPagesDependencies): BoundPage =>
  page(usagePage, {
    show: async (visit) => {
      const { account, query } = visit;
      const requested = rangeIn(query);
      const range = requested.problem ? {} : { from: requested.from, to: requested.to };
      const found = await findUsage(account.id, range, dependencies);
      if (query.format === "csv") {
        const { name, csv } = usageTable(found);
        return sentFile({
          contentType: "text/csv; charset=utf-8",
          body: csv,
          headers: { "Content-Disposition": `attachment; filename="${name}"` },
        });
      }
      const { keys } = await listKeys(account.id, { apiKeys });
      const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
      return shown({
        content: <UsageOfDays {...visit} usage={found} requested={requested} keyNames={keyNames} />,
      });
    },
  });

const settings = (dependencies: AccountPagesDependencies): BoundPage => {
  const { accounts, sessions, identities, openIdProviders } = dependencies;
  /** A new password has ended every session, this one too: its owner has just shown who they are. */
  const begin = async (visit: SignedInVisit): Promise<readonly string[]> => {
    const account = await accounts.find({ id: visit.account.id });
    if (!account) throw new AppError("unauthenticated");
    return [await visit.beginSession(account)];
  };
  return page(accountPage, {
    show: async (visit) =>
      shown({
        content: (
          <AccountSettings
            {...visit}
            sessions={await sessions.list(ownerIn(visit))}
            identities={await identities.list(visit.account.id)}
            providers={openIdProviders}
          />
        ),
      }),
    submit: async ({ form, ...visit }) => {
      const { account, request } = visit;
      switch (form.action) {
        case "save-profile": {
          const { action: _action, sector, ...profile } = form;
          const sectors = sector?.split(",").filter((entry) => entry.trim() !== "") ?? [];
          // An account that names no organisation has this one.
          const organization = profile.organization ?? "Unknown";
          await updateProfile(account.id, { ...profile, organization, sector: sectors }, dependencies);
          const emptied = requiredOnceSet.filter((name) => account[name] && profile[name] === undefined);
          return redirect(
            `/console/account?done=saved${emptied.length > 0 ? `&kept=${emptied.join(",")}` : ""}`,
          );
        }
        case "change-password":
          await changePassword(account.id, form, dependencies);
          return redirect("/console/account?done=password-changed", { cookies: await begin(visit) });
        case "set-password":
          await setFirstPassword(account, form.first_password, dependencies);
          return redirect("/console/account?done=password-set", { cookies: await begin(visit) });
        case "send-verification":
          await resendVerification(account.id, dependencies);
          return redirect("/console/account?done=sent");
        case "log-out-everywhere":
          await sessions.endAll(ownerIn(visit));
          return redirect("/console/log-in?after=log-out", { cookies: [await visit.endSession()] });
        case "unlink":
          if ((await identities.part(account.id, form.identity)) === "last") {
            throw new AppError("bad_request", { message: visit.texts.account.lastWayIn });
          }
          return redirect("/console/account?done=unlinked");
        case "delete-account":
          await deleteWithPassword(account.id, form.password, request.signal, dependencies);
          return redirect("/console/log-in?after=deleted", { cookies: [await visit.endSession()] });
      }
    },
  });
};

/** The pages of those who are signed in: where their account stands, its keys, its usage, its settings. */
export const accountPages = (dependencies: AccountPagesDependencies): BoundPage[] => [
  overview(dependencies),
  tokens(dependencies),
  usage(dependencies),
  settings(dependencies),
];
