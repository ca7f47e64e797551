import type * as z from "zod";
import {
  type ExportDependencies,
  findExport,
  requestExport,
} from "../../../shared/accounts/export/request-export.ts";
import { listKeys, revokeKey, revokeKeys } from "../../../shared/accounts/profile/manage-keys.ts";
import { updateProfile } from "../../../shared/accounts/profile/manage-profile.ts";
import type { ApiKeysRepository } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import { changePassword, setFirstPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import {
  type DeletionDependencies,
  deleteConfirmed,
} from "../../../shared/accounts/sign-in/delete-account.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { acceptTerms } from "../../../shared/accounts/sign-in/register.ts";
import { resendVerification } from "../../../shared/accounts/sign-in/verify-email.ts";
import { findUsage } from "../../../shared/accounts/usage/find-usage.ts";
import { confirmVisit, proofIn } from "../../../shared/pages/proof/confirm.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { type PageResponse, redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { SessionsRepository } from "../../../shared/pages/sessions/sessions-repository.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import type { CallbackSecrets } from "../../../shared/recordings/callbacks/callback-secrets.ts";
import {
  type CallbackManagement,
  listCallbacks,
  resendCallback,
  sendTestCallback,
} from "../../../shared/recordings/jobs/manage-callbacks.ts";
import { requirePresentTerms } from "../entry/require-present-terms.ts";
import { providerNameOf } from "../log-in/enter-with-identity.ts";
import { AccountSettings, sectionIn } from "./account.tsx";
import type { AccountView, LinkableProvider } from "./account-view.ts";
import { createOnce, report } from "./create-once.ts";
import { Overview } from "./overview.tsx";
import { accountPage, candidateFields, overviewPage, requiredOnceSet, tokensPage } from "./pages.ts";
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
  return redirect(next, { cookies: [await visit.beginSession(account, visit.session.start)] });
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
  { action: _action, sector, keywords = [], ...profile }: ProfileForm,
  dependencies: AccountPagesDependencies,
): Promise<PageResponse<never>> => {
  const sectors = sector?.split(",").filter((entry) => entry.trim() !== "") ?? [];
  // An account without an organization is stored with this one.
  const organization = profile.organization ?? "Unknown";
  const languages = {
    default_language: profile.default_language ?? ("" as const),
    default_languages: candidateFields.flatMap((name) => profile[name] ?? []),
  };
  await updateProfile(
    account.id,
    { ...profile, ...languages, organization, sector: sectors, keywords },
    dependencies,
  );
  const emptied = requiredOnceSet.filter((name) => account[name] && profile[name] === undefined);
  return redirect(`/console/account?done=saved${emptied.length > 0 ? `&kept=${emptied.join(",")}` : ""}`);
};

const leave = async ({ endSession }: SignedInVisit, after: string): Promise<PageResponse<never>> =>
  redirect(`/console/log-in?after=${after}`, { cookies: [await endSession()] });

/** Removes an identity, and reports it with a mail. @throws AppError `bad_request` for the last way to log in. */
const unlink = async (
  visit: SignedInVisit,
  id: string,
  dependencies: AccountPagesDependencies,
): Promise<void> => {
  const { identities } = dependencies;
  const removed = (await identities.list(visit.account.id)).find((identity) => identity.id === id);
  const parting = await identities.part(visit.account.id, id);
  if (parting === "last") throw new AppError("bad_request", { message: visit.texts.account.lastWayIn });
  if (parting === "unknown" || !removed) return;
  await report(visit, "identity-removed", dependencies, providerNameOf(removed.issuer, dependencies));
};

/** What the response to a form shows, and no other page. */
type Revealed = Pick<AccountView, "exportUrl" | "secret">;

const settings = (dependencies: AccountPagesDependencies): BoundPage => {
  const { callbackSecrets, sessions, identities, openIdProviders } = dependencies;
  const show = async (visit: Visit<AccountQuery, "signed-in">, revealed: Revealed = {}) => {
    const [listed, joined, deliveries] = await Promise.all([
      sessions.list(ownerIn(visit)),
      identities.list(visit.account.id),
      sectionIn(visit) === "webhooks" ? listCallbacks(visit.account.id, dependencies) : undefined,
    ]);
    const lists = { sessions: listed, identities: joined, providers: openIdProviders, deliveries };
    const { termsVersion } = dependencies;
    const isExport = sectionIn(visit) === "export";
    const lastExport = isExport ? await findExport(visit.account.id, dependencies) : undefined;
    return shown({
      content: <AccountSettings {...visit} {...lists} {...revealed} {...{ termsVersion, lastExport }} />,
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
          await confirmVisit(visit, form, dependencies);
          await setFirstPassword(account, form.first_password, dependencies);
          return startAgain(visit, "/console/account?section=security&done=password-set", dependencies);
        case "send-verification":
          await resendVerification(account.id, dependencies);
          return redirect("/console/account?done=sent");
        case "log-out-everywhere":
          await dependencies.accounts.revokeTokens(ownerIn(visit));
          return leave(visit, "log-out");
        case "unlink":
          await confirmVisit(visit, form, dependencies);
          await unlink(visit, form.identity, dependencies);
          return redirect("/console/account?section=security&done=unlinked");
        case "replace-secret":
          await confirmVisit(visit, form, dependencies);
          await callbackSecrets.replace(account.id);
          await report(visit, "webhook-secret-replaced", dependencies);
          return redirect("/console/account?section=webhooks&done=secret-replaced");
        case "show-secret":
          await confirmVisit(visit, form, dependencies);
          await report(visit, "webhook-secret-shown", dependencies);
          return show(visit, { secret: await callbackSecrets.current(account.id) });
        case "export-link": {
          await confirmVisit(visit, form, dependencies);
          await report(visit, "export-link", dependencies);
          const last = await findExport(account.id, dependencies);
          return show(visit, { exportUrl: last?.url ?? undefined });
        }
        case "export-account":
          await requestExport(account.id, proofIn(visit, form), dependencies);
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
          await deleteConfirmed(account.id, proofIn(visit, form), request.signal, dependencies);
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
