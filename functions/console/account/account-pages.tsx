import type * as z from "zod";
import {
  type ExportDependencies,
  findExport,
  requestExport,
} from "../../../shared/accounts/export/request-export.ts";
import { createKey, listKeys, revokeKey, revokeKeys } from "../../../shared/accounts/profile/manage-keys.ts";
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
import { acceptTerms } from "../../../shared/accounts/sign-in/register.ts";
import { resendVerification } from "../../../shared/accounts/sign-in/verify-email.ts";
import { findUsage } from "../../../shared/accounts/usage/find-usage.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { CallbackSecrets } from "../../../shared/recordings/callbacks/callback-secrets.ts";
import {
  type CallbackManagement,
  listCallbacks,
  resendCallback,
  sendTestCallback,
} from "../../../shared/recordings/jobs/manage-callbacks.ts";
import { type BoundPage, page } from "../server/page.ts";
import { requirePresentTerms } from "../server/require-present-terms.ts";
import { type PageResponse, redirect, shown } from "../server/responses.ts";
import type { Visit } from "../server/visit.ts";
import type { SessionsRepository } from "../sessions/sessions-repository.ts";
import { AccountSettings, sectionIn } from "./account.tsx";
import type { LinkableProvider } from "./account-view.ts";
import { Overview } from "./overview.tsx";
import { accountPage, endOfDay, overviewPage, requiredOnceSet, tokensPage } from "./pages.ts";
import { type ShownOnce, TokensAndKeys } from "./tokens.tsx";
import { type UsagePageDependencies, usageOfAccount } from "./usage-page.tsx";

/** What these pages use. */
export interface AccountPagesDependencies
  extends Pick<
      SignInDependencies,
      "accounts" | "mailQueue" | "passwordGuard" | "tokens" | "tokenLifetimeSeconds" | "termsVersion"
    >,
    DeletionDependencies,
    ExportDependencies,
    UsagePageDependencies,
    Omit<CallbackManagement, "callbackSecrets"> {
  readonly apiKeys: ApiKeysRepository;
  readonly callbackSecrets: Pick<CallbackSecrets, "current" | "replace">;
  readonly sessions: SessionsRepository;
  readonly identities: Pick<IdentitiesRepository, "list" | "part">;
  readonly openIdProviders: readonly LinkableProvider[];
}

type SignedInVisit = Visit<unknown, "signed-in">;

type TokensQuery = z.output<NonNullable<typeof tokensPage.query>>;
type TokensForm = z.output<NonNullable<typeof tokensPage.form>>;
type KeyForm = Extract<TokensForm, { readonly action: "make-key" }>;
type TokenForm = Extract<TokensForm, { readonly action: "make-token" }>;
type AccountQuery = z.output<NonNullable<typeof accountPage.query>>;
type ProfileForm = Extract<
  z.output<NonNullable<typeof accountPage.form>>,
  { readonly action: "save-profile" }
>;

const ownerIn = ({ session: { userId, tokenEpoch } }: SignedInVisit) => ({ userId, tokenEpoch });

const keysOf = async ({ account }: SignedInVisit, { apiKeys }: AccountPagesDependencies) =>
  (await listKeys(account.id, { apiKeys })).keys;

const overview = (dependencies: AccountPagesDependencies): BoundPage =>
  page(overviewPage, {
    show: async (visit) =>
      shown({
        content: (
          <Overview
            {...visit}
            usage={await findUsage(visit.account.id, {}, dependencies)}
            keyCount={(await keysOf(visit, dependencies)).length}
            termsVersion={dependencies.termsVersion}
          />
        ),
      }),
    submit: async ({ account }) => {
      await resendVerification(account.id, dependencies);
      return redirect("/console?done=sent");
    },
  });

/** Creates a key or a token. If that fails, its form can be sent again; reloading the response sends it too. */
const createOnce = async (
  visit: SignedInVisit,
  form: KeyForm | TokenForm,
  { apiKeys, sessions, ...dependencies }: AccountPagesDependencies,
): Promise<ShownOnce> => {
  try {
    if (form.action === "make-token") {
      const { access_token: token, expires_in: seconds } = await issueTokenTo(ownerIn(visit), dependencies);
      return { createdToken: { token, seconds } };
    }
    const request = {
      name: form.name,
      scopes: form.scopes.length > 0 ? form.scopes : null,
      expires_at: form.last_day === undefined ? null : endOfDay(form.last_day),
      monthly_limit: form.monthly_limit ?? null,
      requests_per_minute: form.requests_per_minute ?? null,
    };
    return {
      createdKey: await createKey({ userId: visit.account.id, token: visit.session }, request, { apiKeys }),
    };
  } catch (error) {
    await sessions.releaseForm(visit.session, form.forms_used);
    throw error;
  }
};

/** Revokes a key. @returns the outcome for the page. */
const revoke = async (
  userId: number,
  key: string,
  { apiKeys }: AccountPagesDependencies,
): Promise<"revoked" | "already-revoked"> => {
  try {
    await revokeKey(userId, key, { apiKeys });
    return "revoked";
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return "already-revoked";
    throw error;
  }
};

/** A new password, and the end of all access tokens, end all sessions. The person who wanted it gets a new one. */
const startAgain = async (
  visit: SignedInVisit,
  next: string,
  { accounts }: AccountPagesDependencies,
): Promise<PageResponse<never>> => {
  const account = await accounts.find({ id: visit.account.id });
  if (!account) throw new AppError("unauthenticated");
  return redirect(next, { cookies: [await visit.beginSession(account)] });
};

const revokeTokens = async (
  visit: SignedInVisit,
  dependencies: AccountPagesDependencies,
): Promise<PageResponse<never>> => {
  await dependencies.accounts.revokeTokens(ownerIn(visit));
  return startAgain(visit, "/console/tokens?done=tokens-revoked", dependencies);
};

const tokens = (dependencies: AccountPagesDependencies): BoundPage => {
  const { apiKeys, sessions } = dependencies;
  /** Shows secrets in the response itself: browsers and logs would remember an address that led to them. */
  const showOnce = async (visit: Visit<TokensQuery, "signed-in">, more: ShownOnce, formsUsed: number) =>
    shown({
      content: (
        <TokensAndKeys
          {...{ ...visit, values: {}, lists: {}, query: {} }}
          {...more}
          session={{ ...visit.session, formsUsed }}
          keys={await keysOf(visit, dependencies)}
        />
      ),
    });
  return page(tokensPage, {
    show: async (visit) =>
      shown({ content: <TokensAndKeys {...visit} keys={await keysOf(visit, dependencies)} /> }),
    submit: async ({ form, ...visit }) => {
      const { session, account } = visit;
      switch (form.action) {
        case "revoke-all-keys":
          await revokeKeys(account.id, { apiKeys });
          return redirect("/console/tokens?done=revoked-all");
        case "revoke-key":
          return redirect(`/console/tokens?done=${await revoke(account.id, form.key, dependencies)}`);
        case "revoke-all-tokens":
          return revokeTokens(visit, dependencies);
        default:
          return (await sessions.useForm(session, form.forms_used))
            ? showOnce(visit, await createOnce(visit, form, dependencies), form.forms_used + 1)
            : showOnce(visit, { isSentAlready: true }, session.formsUsed);
      }
    },
  });
};

const saveProfile = async (
  { account }: SignedInVisit,
  { action: _action, sector, ...profile }: ProfileForm,
  dependencies: AccountPagesDependencies,
): Promise<PageResponse<never>> => {
  const sectors = sector?.split(",").filter((entry) => entry.trim() !== "") ?? [];
  // An account without an organization is stored with this one.
  const organization = profile.organization ?? "Unknown";
  await updateProfile(account.id, { ...profile, organization, sector: sectors }, dependencies);
  const emptied = requiredOnceSet.filter((name) => account[name] && profile[name] === undefined);
  return redirect(`/console/account?done=saved${emptied.length > 0 ? `&kept=${emptied.join(",")}` : ""}`);
};

const leave = async ({ endSession }: SignedInVisit, after: string): Promise<PageResponse<never>> =>
  redirect(`/console/log-in?after=${after}`, { cookies: [await endSession()] });

const settings = (dependencies: AccountPagesDependencies): BoundPage => {
  const { callbackSecrets, sessions, identities, openIdProviders } = dependencies;
  const show = async (visit: Visit<AccountQuery, "signed-in">, secret?: string) => {
    const [listed, joined, deliveries] = await Promise.all([
      sessions.list(ownerIn(visit)),
      identities.list(visit.account.id),
      sectionIn(visit) === "webhooks" ? listCallbacks(visit.account.id, dependencies) : undefined,
    ]);
    const lists = { sessions: listed, identities: joined, providers: openIdProviders, deliveries };
    const { termsVersion } = dependencies;
    const isExport = visit.query.section === "export" || visit.values["action"] === "export-account";
    const lastExport = isExport ? await findExport(visit.account.id, dependencies) : undefined;
    return shown({
      content: <AccountSettings {...visit} {...lists} {...{ secret, termsVersion, lastExport }} />,
    });
  };
  return page(accountPage, {
    show: (visit) => show(visit),
    submit: async ({ form, ...visit }) => {
      const { account, request } = visit;
      switch (form.action) {
        case "save-profile":
          return saveProfile(visit, form, dependencies);
        case "change-password":
          await changePassword(account.id, form, dependencies);
          return startAgain(visit, "/console/account?section=security&done=password-changed", dependencies);
        case "set-password":
          await setFirstPassword(account, form.first_password, dependencies);
          return startAgain(visit, "/console/account?section=security&done=password-set", dependencies);
        case "send-verification":
          await resendVerification(account.id, dependencies);
          return redirect("/console/account?done=sent");
        case "log-out-everywhere":
          await dependencies.accounts.revokeTokens(ownerIn(visit));
          return leave(visit, "log-out");
        case "unlink":
          if ((await identities.part(account.id, form.identity)) === "last") {
            throw new AppError("bad_request", { message: visit.texts.account.lastWayIn });
          }
          return redirect("/console/account?section=security&done=unlinked");
        case "replace-secret":
          await callbackSecrets.replace(account.id);
          return redirect("/console/account?section=webhooks&done=secret-replaced");
        case "show-secret":
          return show(visit, await callbackSecrets.current(account.id));
        case "export-account":
          await requestExport(account.id, form.password, dependencies);
          return redirect("/console/account?section=export&done=export-requested");
        case "accept-terms":
          requirePresentTerms(form.version, dependencies.termsVersion, visit.texts);
          await acceptTerms(account.id, form.version, dependencies);
          return redirect("/console/account?done=terms-accepted");
        case "test-webhook":
          await sendTestCallback(account.id, form.url, dependencies);
          return redirect("/console/account?section=webhooks&done=tested");
        case "resend-webhook":
          await resendCallback({ userId: account.id, jobId: form.job }, dependencies);
          return redirect("/console/account?section=webhooks&done=resent");
        case "delete-account":
          await deleteWithPassword(account.id, form.password, request.signal, dependencies);
          return leave(visit, "deleted");
      }
    },
  });
};

/** The pages of a signed-in account: overview, keys, usage and settings. */
export const accountPages = (dependencies: AccountPagesDependencies): BoundPage[] => [
  overview(dependencies),
  tokens(dependencies),
  usageOfAccount(dependencies),
  settings(dependencies),
];
