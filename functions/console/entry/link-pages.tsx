import type * as z from "zod";
import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { AccountPolicies } from "../../../shared/accounts/limits/policies.ts";
import type { ApiKeysRepository } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import { type ResetDependencies, resetPassword } from "../../../shared/accounts/sign-in/change-password.ts";
import {
  accountOfLink,
  checkResetLink,
  verifyEmail,
  verifyEmailWithPassword,
} from "../../../shared/accounts/sign-in/verify-email.ts";
import { logInPath } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { type PageResponse, redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { disownAccount } from "./disown-account.ts";
import {
  AccountDisowned,
  BrokenLink,
  EmailVerified,
  ResetPassword,
  RevokeKeys,
  VerifyEmail,
} from "./link-views.tsx";
import { forgotPasswordPage, resetPasswordPage, revokeKeysPage, verifyEmailPage } from "./pages.ts";

/** What the pages behind emailed links use. */
export interface LinkPagesDependencies extends ResetDependencies {
  readonly apiKeys: Pick<ApiKeysRepository, "list" | "revoke" | "revokeAll">;
  readonly identities: Pick<IdentitiesRepository, "list" | "part" | "removeEnded">;
  readonly openIdProviders: readonly { readonly issuer: string; readonly name: string }[];
  /** The limits of accounts as this stage has them. */
  readonly policyOf: AccountPolicies;
}

type LinkVisit = Visit<{ readonly token?: string | undefined }>;

/**
 * The page behind an emailed link, or the page for a link that does not work.
 *
 * @param again the page that sends another link.
 */
export const behindLink = async (
  visit: LinkVisit,
  again: string,
  show: (token: string) => Promise<PageResponse<never>>,
): Promise<PageResponse<never>> => {
  const { texts, url } = visit;
  const broken = shown({
    content: <BrokenLink {...{ texts, url, again }} />,
    title: texts.reset.brokenTitle,
    status: 400,
  });
  const token = visit.values["token"] ?? visit.query.token;
  if (token === undefined) return broken;
  try {
    return await show(token);
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_link") return broken;
    throw error;
  }
};

/** Where a reset leads: to the keys and identities that still work, or to the login. */
const afterReset = async (
  { userId, kind }: Awaited<ReturnType<typeof resetPassword>>,
  { accounts, apiKeys, identities, links }: LinkPagesDependencies,
): Promise<string> => {
  if (kind === "proved") return "/console/log-in?after=proved";
  const [account, keys, joined] = await Promise.all([
    accounts.find({ id: userId }),
    apiKeys.list(userId),
    identities.list(userId),
  ]);
  if (!account || keys.length + joined.length === 0) return "/console/log-in?after=reset";
  const token = await links.create({ userId, tokenEpoch: account.token_epoch }, "revoke-keys");
  return `${revokeKeysPage.path}?${new URLSearchParams({ token })}`;
};

const reset = (dependencies: LinkPagesDependencies): BoundPage =>
  page(resetPasswordPage, {
    show: (visit) =>
      behindLink(visit, forgotPasswordPage.path, async (token) => {
        await checkResetLink(token, dependencies);
        return shown({ content: <ResetPassword {...visit} token={token} /> });
      }),
    submit: async ({ form, request, endSession }) => {
      const done = await resetPassword(form, request.sourceAddress, dependencies);
      return redirect(await afterReset(done, dependencies), { cookies: [await endSession()] });
    },
  });

const revoke = (dependencies: LinkPagesDependencies): BoundPage => {
  const { apiKeys, identities, openIdProviders } = dependencies;
  return page(revokeKeysPage, {
    show: (visit) =>
      behindLink(visit, "/console/tokens", async (token) => {
        const { id } = await accountOfLink(token, "revoke-keys", dependencies);
        const [keys, joined] = await Promise.all([apiKeys.list(id), identities.list(id)]);
        const named = joined.map(({ issuer, ...identity }) => ({
          ...identity,
          provider: openIdProviders.find((provider) => provider.issuer === issuer)?.name ?? issuer,
        }));
        return shown({ content: <RevokeKeys {...visit} token={token} keys={keys} identities={named} /> });
      }),
    submit: async ({ form, texts }) => {
      const { id } = await accountOfLink(form.token, "revoke-keys", dependencies);
      if (form.action === "remove") {
        if ((await identities.part(id, form.identity)) === "last")
          throw new AppError("bad_request", { message: texts.reset.lastWayIn });
        return redirect(`${revokeKeysPage.path}?${new URLSearchParams({ token: form.token })}`);
      }
      await apiKeys.revokeAll(id);
      await dependencies.links.remove(form.token);
      return redirect("/console/log-in?after=keys-revoked");
    },
  });
};

type VerifyForm = z.output<NonNullable<typeof verifyEmailPage.form>>;

/**
 * Verifies the address for a person who is logged in to its account, or has its password.
 *
 * @throws AppError `forbidden` for others who are logged in.
 */
const verifyAs = async (
  form: Exclude<VerifyForm, { readonly action: "disown" }>,
  { account: signedIn, request }: Visit,
  dependencies: LinkPagesDependencies,
): Promise<StoredAccount> => {
  const account = await accountOfLink(form.token, "verify-email", dependencies);
  if (form.action === "verify-with-password") {
    await verifyEmailWithPassword(form, request.sourceAddress, dependencies);
    return account;
  }
  if (signedIn?.id !== account.id) throw new AppError("forbidden");
  await verifyEmail(form.token, dependencies);
  return account;
};

/** Says that the address is verified, and what the account can do now. */
const showVerified = (
  { texts, language, url }: Visit,
  { account_type }: StoredAccount,
  { policyOf }: LinkPagesDependencies,
): PageResponse<never> => {
  // A stage can give the whole quota from the start: then nothing has changed.
  const { onceVerified } = policyOf({ account_type, email_verified: false });
  const perDay = onceVerified?.perDay;
  return shown({
    content: <EmailVerified {...{ texts, language, url, perDay }} />,
    title: texts.verify.doneTitle,
  });
};

const verify = (dependencies: LinkPagesDependencies): BoundPage =>
  page(verifyEmailPage, {
    show: (visit) =>
      behindLink(visit, "/console", async (token) => {
        const account = await accountOfLink(token, "verify-email", dependencies);
        if (account.email_verified) return showVerified(visit, account, dependencies);
        const next = logInPath(`${verifyEmailPage.path}?${new URLSearchParams({ token })}`);
        return shown({ content: <VerifyEmail {...visit} token={token} of={account} logIn={next} /> });
      }),
    submit: async ({ form, ...visit }) => {
      if (form.action !== "disown")
        return showVerified(visit, await verifyAs(form, visit, dependencies), dependencies);
      await disownAccount(form.token, dependencies);
      const { texts, url } = visit;
      return shown({ content: <AccountDisowned {...{ texts, url }} />, title: texts.verify.disownedTitle });
    },
  });

/** The pages behind emailed links. Opening one changes nothing. */
export const linkPages = (dependencies: LinkPagesDependencies): BoundPage[] => [
  reset(dependencies),
  revoke(dependencies),
  verify(dependencies),
];
