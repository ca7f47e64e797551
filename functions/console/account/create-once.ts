import type * as z from "zod";
import { requestNotice } from "../../../shared/accounts/mail/mail-queue.ts";
import type { SecurityEvent } from "../../../shared/accounts/mail/mail-request.ts";
import { createKey } from "../../../shared/accounts/profile/manage-keys.ts";
import type { ApiKeysRepository } from "../../../shared/accounts/repositories/api-keys-repository.ts";
import type { ConfirmDependencies } from "../../../shared/accounts/sign-in/confirm-act.ts";
import type { SignInDependencies } from "../../../shared/accounts/sign-in/dependencies.ts";
import { issueTokenTo } from "../../../shared/accounts/sign-in/issue-token.ts";
import { confirmVisit } from "../../../shared/pages/proof/confirm.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import type { SessionsRepository } from "../../../shared/pages/sessions/sessions-repository.ts";
import { endOfDay, type tokensPage } from "./pages.ts";
import type { ShownOnce } from "./tokens.tsx";

/** What creating a key or a token needs. */
export interface CreateOnceDependencies
  extends ConfirmDependencies,
    Pick<SignInDependencies, "tokens" | "tokenLifetimeSeconds"> {
  readonly apiKeys: ApiKeysRepository;
  readonly sessions: Pick<SessionsRepository, "releaseForm">;
}

type SignedInVisit = Visit<unknown, "signed-in">;
type TokensForm = z.output<NonNullable<typeof tokensPage.form>>;
type OnceForm = Extract<TokensForm, { readonly action: "make-key" | "make-token" }>;

/** Reports with a mail what another person could have done with the session. */
export const report = (
  { account }: SignedInVisit,
  event: SecurityEvent,
  dependencies: Pick<SignInDependencies, "mailQueue">,
  detail?: string,
): Promise<void> => {
  const named = detail === undefined ? {} : { detail };
  return requestNotice({ kind: "security-notice", userId: account.id, event, ...named }, dependencies);
};

/** Creates a key or a token. If that fails, its form can be sent again; reloading the response sends it too. */
export const createOnce = async (
  visit: SignedInVisit,
  form: OnceForm,
  dependencies: CreateOnceDependencies,
): Promise<ShownOnce> => {
  const { apiKeys, sessions } = dependencies;
  try {
    await confirmVisit(visit, form, dependencies);
    if (form.action === "make-token") {
      const { access_token: token, expires_in: seconds } = await issueTokenTo(visit.session, dependencies);
      await report(visit, "token-created", dependencies);
      return { createdToken: { token, seconds } };
    }
    const request = {
      name: form.name,
      scopes: form.scopes.length > 0 ? form.scopes : null,
      expires_at: form.last_day === undefined ? null : endOfDay(form.last_day),
      monthly_limit: form.monthly_limit ?? null,
      requests_per_minute: form.requests_per_minute ?? null,
    };
    const owner = { userId: visit.account.id, token: visit.session };
    const createdKey = await createKey(owner, request, { apiKeys });
    await report(visit, "key-created", dependencies, createdKey.name);
    return { createdKey };
  } catch (error) {
    await sessions.releaseForm(visit.session, form.forms_used);
    throw error;
  }
};
