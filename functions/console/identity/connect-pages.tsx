import type * as z from "zod";
import type { AccountAtEpoch, StoredAccount } from "../../../shared/accounts/access/account.ts";
import type { AccountsRepository } from "../../../shared/accounts/repositories/accounts-repository.ts";
import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import type { Connection, LinksRepository } from "../../../shared/accounts/repositories/links-repository.ts";
import { signInWithCode } from "../../../shared/accounts/sign-in/check-code.ts";
import type { ConfirmDependencies } from "../../../shared/accounts/sign-in/confirm-act.ts";
import { confirmOwner } from "../../../shared/accounts/sign-in/confirm-password.ts";
import { confirmVisit } from "../../../shared/pages/proof/confirm.ts";
import { cookiesAt } from "../../../shared/pages/server/cookies.ts";
import { readNext } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { type PageResponse, redirect, shown } from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { withPassword } from "../../../shared/pages/sessions/sessions-repository.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { behindLink } from "../entry/link-pages.tsx";
import { type EnterDependencies, enter } from "../log-in/enter.ts";
import { isClosed, joinIdentity } from "../log-in/enter-with-identity.ts";
import type { UnprovedLogIn, UnprovedLogIns } from "../log-in/log-in-attempts.ts";
import { Connect, ConnectByLink, ConnectMailSent } from "./connect-views.tsx";
import { IdentityRefused } from "./identity-views.tsx";
import type { OpenIdProvider } from "./open-id-provider.ts";
import { connectByLinkPage, connectPage } from "./pages.ts";

/** What these pages use. */
export interface ConnectPagesDependencies extends EnterDependencies, ConfirmDependencies {
  readonly accounts: Pick<AccountsRepository, "find" | "findWithPassword">;
  readonly identities: Pick<IdentitiesRepository, "find" | "join" | "list">;
  readonly links: Pick<LinksRepository, "find" | "remove">;
  readonly openIdProviders: readonly OpenIdProvider[];
  readonly unprovedLogIns: UnprovedLogIns;
}

interface Unproved {
  readonly logIn: UnprovedLogIn;
  readonly account: StoredAccount;
  readonly connects: Connection;
}

/** The login of this browser that waits for its account to be proved. */
const findUnproved = async (
  { request }: Visit,
  { baseUrl, unprovedLogIns, accounts, openIdProviders }: ConnectPagesDependencies,
): Promise<Unproved | undefined> => {
  const sealed = cookiesAt(baseUrl).read(request.headers["cookie"], "connection");
  const logIn = sealed === undefined ? undefined : await unprovedLogIns.open(sealed);
  const account = logIn && (await accounts.find({ id: logIn.userId }));
  const provider = openIdProviders.find(({ letter }) => letter === logIn?.provider);
  if (!account || !provider || isClosed(account) || account.token_epoch !== logIn.tokenEpoch)
    return undefined;
  return { logIn, account, connects: { provider: provider.name, identity: logIn.identity } };
};

/** Shows that the login cannot be continued. @param provider unknown if the browser has no login in progress. */
const refuse = (
  { texts, url }: Visit,
  problem: "expired" | "otherAccount",
  provider?: string,
): PageResponse<never> => {
  const title = provider === undefined ? texts.navigation.logIn : fill(texts.logIn.through, { provider });
  const back = { to: "/console/log-in", isAccount: false };
  return shown({
    content: <IdentityRefused {...{ texts, url, title, problem, back }} provider={provider ?? ""} />,
    status: problem === "expired" ? 400 : 409,
    title,
  });
};

type ConnectForm = z.output<NonNullable<typeof connectPage.form>>;

/** Whose account it is, shown by its session or its password. @throws AppError for a wrong password, or without a session. */
const proveOwner = async (
  { account: signedIn, session, form, request, texts }: Visit & { readonly form: ConnectForm },
  { account }: Unproved,
  dependencies: ConnectPagesDependencies,
): Promise<AccountAtEpoch> => {
  if (form.action === "password") {
    await confirmOwner(account, form.password, request.sourceAddress, dependencies);
    return { userId: account.id, tokenEpoch: account.token_epoch };
  }
  if (!session || signedIn?.id !== account.id || form.action !== "signed-in") throw new AppError("forbidden");
  await confirmVisit({ account: signedIn, session, texts }, form, dependencies);
  return session;
};

const show = async (visit: Visit, dependencies: ConnectPagesDependencies): Promise<PageResponse<never>> => {
  const unproved = await findUnproved(visit, dependencies);
  if (!unproved) return refuse(visit, "expired");
  const { account, connects } = unproved;
  const joined = await dependencies.identities.list(account.id);
  const others = dependencies.openIdProviders.filter(({ issuer }) =>
    joined.some((identity) => identity.issuer === issuer),
  );
  return shown({ content: <Connect {...visit} {...{ connects, others }} of={account} /> });
};

const connect = (dependencies: ConnectPagesDependencies): BoundPage =>
  page(connectPage, {
    show: (visit) => show(visit, dependencies),
    submit: async ({ form, ...visit }) => {
      const unproved = await findUnproved(visit, dependencies);
      if (!unproved) return refuse(visit, "expired");
      const { account, connects, logIn } = unproved;
      const { texts, url } = visit;
      if (form.action === "mail") {
        await dependencies.mailQueue.send({ kind: "connect-identity", userId: account.id, connects });
        const content = <ConnectMailSent {...{ texts, url }} of={account} />;
        return shown({ content, title: texts.forgot.sentTitle });
      }
      const owner = await proveOwner({ ...visit, form }, unproved, dependencies);
      const cookies = [cookiesAt(dependencies.baseUrl).write("connection", "", 0)];
      const isSignedIn = visit.account?.id === account.id;
      const entering = { next: logIn.next, cookies, start: withPassword };
      // The password alone changes nothing: the page for the code adds the identity.
      if (account.has_second_factor && !isSignedIn)
        return enter(visit, account, { ...entering, identity: connects.identity }, dependencies);
      const joined = await joinIdentity(connects.identity, owner, dependencies);
      if (joined === "ended") return refuse(visit, "expired", connects.provider);
      if (joined === "other-account") return refuse(visit, "otherAccount", connects.provider);
      return isSignedIn
        ? redirect(readNext(logIn.next) ?? "/console", { cookies })
        : enter(visit, account, entering, dependencies);
    },
  });

/** What a mailed link adds, and to which account. @throws AppError `invalid_link`. */
const findLink = async (token: string, { links, accounts }: ConnectPagesDependencies) => {
  const link = await links.find(token, "connect-identity");
  const account = link && (await accounts.find({ id: link.userId }));
  if (!link?.connects || !account || account.token_epoch !== link.tokenEpoch)
    throw new AppError("invalid_link");
  return { owner: link, account, connects: link.connects };
};

/** The reader of the mails of an account may add a login to it. That begins no session here: the new login does. */
const connectByLink = (dependencies: ConnectPagesDependencies): BoundPage =>
  page(connectByLinkPage, {
    show: (visit) =>
      behindLink(visit, "/console/log-in", async (token) => {
        const { account, connects } = await findLink(token, dependencies);
        return shown({
          content: <ConnectByLink {...visit} connects={connects} of={account} token={token} />,
          title: fill(visit.texts.identity.joinTitle, { provider: connects.provider }),
        });
      }),
    submit: async ({ form, ...visit }) => {
      const { owner, account, connects } = await findLink(form.token, dependencies);
      // Reading the mails is as good as the password, which it can reset, but not as good as a code.
      if (account.has_second_factor) {
        const given = { code: form.code ?? "", param: "code" } as const;
        await signInWithCode(account, given, visit.request.sourceAddress, dependencies);
      }
      const joined = await joinIdentity(connects.identity, owner, dependencies);
      if (joined === "ended") throw new AppError("invalid_link");
      if (joined === "other-account") return refuse(visit, "otherAccount", connects.provider);
      await dependencies.links.remove(form.token);
      return redirect("/console/log-in?after=connected");
    },
  });

/** The pages on which the owner of a verified address proves the account, when a login at a provider has the same address. */
export const connectPages = (dependencies: ConnectPagesDependencies): BoundPage[] => [
  connect(dependencies),
  connectByLink(dependencies),
];
