import type { IdentitiesRepository } from "../../../shared/accounts/repositories/identities-repository.ts";
import { isRecentLogin } from "../../../shared/accounts/sign-in/confirm-act.ts";
import { confirmVisit } from "../../../shared/pages/proof/confirm.ts";
import { cookiesAt } from "../../../shared/pages/server/cookies.ts";
import { confirmPath, logInPath, readNext } from "../../../shared/pages/server/links.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import {
  type PageResponse,
  redirect,
  redirectOutside,
  shown,
} from "../../../shared/pages/server/responses.ts";
import type { Visit } from "../../../shared/pages/server/visit.ts";
import { fill } from "../../../shared/pages/texts/languages.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { type EnterDependencies, enter } from "../log-in/enter.ts";
import {
  type Entrance,
  enterWithIdentity,
  type IdentityDependencies,
  identityOf,
  joinIdentity,
} from "../log-in/enter-with-identity.ts";
import { attemptSeconds, type LogInAttempt, type LogInAttempts } from "../log-in/log-in-attempts.ts";
import type { PersonAtProvider } from "../log-in/person.ts";
import { type ConnectPagesDependencies, connectPages } from "./connect-pages.tsx";
import { GoToProvider, type IdentityProblem, IdentityRefused, JoinProvider } from "./identity-views.tsx";
import { type OpenIdProvider, ProviderError } from "./open-id-provider.ts";
import { beginLogInPage, connectPage, endLogInPage, joinIdentityPage } from "./pages.ts";

/** What these pages use. */
export interface IdentityPagesDependencies
  extends IdentityDependencies,
    ConnectPagesDependencies,
    EnterDependencies {
  readonly accounts: IdentityDependencies["accounts"] & ConnectPagesDependencies["accounts"];
  readonly identities: IdentityDependencies["identities"] &
    ConnectPagesDependencies["identities"] &
    Pick<IdentitiesRepository, "noteReturned">;
  readonly logInAttempts: LogInAttempts;
}

const statusOf: Readonly<Record<IdentityProblem, number>> = {
  unavailable: 503,
  denied: 403,
  expired: 400,
  untrusted: 502,
  closed: 403,
  noAddress: 422,
  addressTaken: 409,
  otherAccount: 409,
  notYours: 403,
  undated: 502,
};

const problems = { closed: "closed", "no-address": "noAddress", "address-taken": "addressTaken" } as const;

const afterLogIn = "/console";
const accountPath = "/console/account";

/** What a login is for. */
type Purpose = Pick<LogInAttempt, "confirms" | "joinTo" | "next">;

/** Where a login started. */
const startOf = ({ next, joinTo, confirms }: Partial<Purpose>): string => {
  const page = readNext(next) ?? afterLogIn;
  if (joinTo) return accountPath;
  return confirms ? confirmPath(page) : logInPath(page);
};

/** A page with what went wrong and a way back to where the login started. */
const refuse = (
  { texts, url }: Visit,
  { name }: OpenIdProvider,
  problem: IdentityProblem,
  purpose: Partial<Purpose>,
): PageResponse<never> => {
  const { joinTo, confirms } = purpose;
  const isAccount = joinTo !== undefined || confirms !== undefined;
  const back = { to: startOf(purpose), isAccount };
  const title = fill(joinTo ? texts.identity.joinTitle : texts.logIn.through, { provider: name });
  return shown({
    content: <IdentityRefused {...{ texts, url, title, problem, back }} provider={name} />,
    status: statusOf[problem],
    title,
  });
};

/** The problem of a provider. @throws every other error. */
const problemOf = (error: unknown): IdentityProblem => {
  if (error instanceof ProviderError) return error.problem;
  throw error;
};

/**
 * A browser that opened `localhost` comes back to 127.0.0.1, which has other cookies, so it must start the login there.
 *
 * @returns the address to start from.
 */
const sameMachine = ({ request, baseUrl, here }: Visit): URL | undefined => {
  const called = URL.parse(`http://${request.headers["host"] ?? ""}`)?.hostname;
  return called === "localhost" && new URL(baseUrl).hostname === "127.0.0.1"
    ? new URL(`${baseUrl}${here}`)
    : undefined;
};

const providerOf = (
  { path }: Pick<Visit, "path">,
  { openIdProviders }: IdentityPagesDependencies,
): OpenIdProvider => {
  const provider = openIdProviders.find(({ letter }) => letter === path["provider"]);
  if (!provider) throw new AppError("not_found");
  return provider;
};

/** Starts a login. @returns the provider's address, and the cookie with which the browser comes back. */
const begin = async (
  provider: OpenIdProvider,
  purpose: Purpose,
  isFresh: boolean,
  { baseUrl, logInAttempts }: IdentityPagesDependencies,
) => {
  const { address, checks } = await provider.begin(isFresh);
  const sealed = await logInAttempts.seal({ provider: provider.letter, checks, ...purpose });
  return { address, cookies: [cookiesAt(baseUrl).write("login", sealed, attemptSeconds)] };
};

/** The login of this browser that the provider's response belongs to; each can be used once. */
const takeAttempt = async (
  { request, query }: Visit<Readonly<Record<string, string>>>,
  { letter }: OpenIdProvider,
  { baseUrl, logInAttempts, identities }: IdentityPagesDependencies,
): Promise<LogInAttempt | undefined> => {
  const sealed = cookiesAt(baseUrl).read(request.headers["cookie"], "login");
  const attempt = sealed === undefined ? undefined : await logInAttempts.open(sealed);
  if (!attempt || attempt.provider !== letter || attempt.checks.state !== query["state"]) return undefined;
  return (await identities.noteReturned(attempt.checks.state)) ? attempt : undefined;
};

const forgetAttempt = ({ baseUrl }: IdentityPagesDependencies): string =>
  cookiesAt(baseUrl).write("login", "", 0);

const join = async (
  visit: Visit,
  provider: OpenIdProvider,
  person: PersonAtProvider,
  attempt: LogInAttempt,
  dependencies: IdentityPagesDependencies,
): Promise<PageResponse<never>> => {
  const { account, session } = visit;
  const isSame = account?.id === attempt.joinTo?.userId && session?.id === attempt.joinTo?.session;
  if (!account || !session || !isSame) return refuse(visit, provider, "expired", attempt);
  const joined = await joinIdentity(identityOf(person), session, dependencies);
  if (joined === "ended") return refuse(visit, provider, "expired", attempt);
  if (joined === "other-account") return refuse(visit, provider, "otherAccount", attempt);
  return redirect(`${accountPath}?joined=${provider.letter}`, { cookies: [forgetAttempt(dependencies)] });
};

/** When the person logged in at the provider, if that was a moment ago. */
const provedAt = ({ loggedInAt }: PersonAtProvider): number | undefined =>
  isRecentLogin(loggedInAt) ? Math.min(loggedInAt ?? 0, Math.floor(Date.now() / 1_000)) : undefined;

/** Notes in the session, which gets a new cookie, that its owner has logged in again. */
const confirm = async (
  visit: Visit,
  provider: OpenIdProvider,
  person: PersonAtProvider,
  attempt: LogInAttempt,
  dependencies: IdentityPagesDependencies,
): Promise<PageResponse<never>> => {
  const { account, session } = visit;
  const isSame = account?.id === attempt.confirms?.userId && session?.id === attempt.confirms?.session;
  if (!account || !session || !isSame) return refuse(visit, provider, "expired", attempt);
  if ((await dependencies.identities.find(identityOf(person))) !== account.id)
    return refuse(visit, provider, "notYours", attempt);
  const proved = provedAt(person);
  if (proved === undefined) return refuse(visit, provider, "undated", attempt);
  const cookie = await visit.beginSession(account, { ...session.start, provedAt: proved });
  return redirect(readNext(attempt.next) ?? accountPath, { cookies: [cookie, forgetAttempt(dependencies)] });
};

const beginLogIn = (dependencies: IdentityPagesDependencies): BoundPage =>
  page(beginLogInPage, {
    show: async (visit) => {
      const provider = providerOf(visit, dependencies);
      const next = readNext(visit.query.next);
      const { account, session } = visit;
      const isFresh = visit.query.fresh !== undefined;
      if (account && !isFresh) return redirect(next ?? afterLogIn);
      const confirms = account && session && { userId: account.id, session: session.id };
      const elsewhere = sameMachine(visit);
      if (elsewhere) return redirectOutside(elsewhere);
      try {
        const { address, cookies } = await begin(provider, { next, confirms }, isFresh, dependencies);
        return redirectOutside(new URL(address), { cookies });
      } catch (error) {
        return refuse(visit, provider, problemOf(error), { next, confirms });
      }
    },
  });

/** Leads into the account, or to the page on which a person proves it. */
const follow = async (
  entrance: Entrance,
  visit: Visit,
  provider: OpenIdProvider,
  person: PersonAtProvider,
  { next }: LogInAttempt,
  dependencies: IdentityPagesDependencies,
): Promise<PageResponse<never>> => {
  const forget = forgetAttempt(dependencies);
  switch (entrance.kind) {
    case "refused":
      return refuse(visit, provider, problems[entrance.reason], { next });
    case "entered":
      return enter(
        visit,
        entrance.account,
        {
          next,
          cookies: [forget],
          start: { with: "provider", showedFactor: false, provedAt: provedAt(person) },
        },
        dependencies,
      );
    case "unproved": {
      const { id: userId, token_epoch: tokenEpoch } = entrance.account;
      const identity = identityOf(person);
      const unproved = { provider: provider.letter, identity, userId, tokenEpoch, next };
      const sealed = await dependencies.unprovedLogIns.seal(unproved);
      const waiting = cookiesAt(dependencies.baseUrl).write("connection", sealed, attemptSeconds);
      return redirect(connectPage.path, { cookies: [waiting, forget] });
    }
  }
};

const endLogIn = (dependencies: IdentityPagesDependencies): BoundPage =>
  page(endLogInPage, {
    show: async (visit) => {
      const provider = providerOf(visit, dependencies);
      const attempt = await takeAttempt(visit, provider, dependencies);
      if (!attempt) return refuse(visit, provider, "expired", {});
      const { signal } = visit.request;
      try {
        const person = await provider.finish(new URLSearchParams(visit.query), attempt.checks, signal);
        if (attempt.joinTo) return await join(visit, provider, person, attempt, dependencies);
        if (attempt.confirms) return await confirm(visit, provider, person, attempt, dependencies);
        const entrance = await enterWithIdentity(person, provider.letter, dependencies);
        return await follow(entrance, visit, provider, person, attempt, dependencies);
      } catch (error) {
        return refuse(visit, provider, problemOf(error), attempt);
      }
    },
  });

const beginJoin = (dependencies: IdentityPagesDependencies): BoundPage =>
  page(joinIdentityPage, {
    show: (visit) => {
      const { name } = providerOf(visit, dependencies);
      const title = fill(visit.texts.identity.joinTitle, { provider: name });
      return shown({ content: <JoinProvider {...visit} provider={name} />, title });
    },
    submit: async (visit) => {
      const provider = providerOf(visit, dependencies);
      const { texts, url, account, session } = visit;
      await confirmVisit(visit, visit.form, dependencies);
      const joinTo = { userId: account.id, session: session.id };
      try {
        const { address, cookies } = await begin(provider, { joinTo }, false, dependencies);
        return shown({
          content: <GoToProvider {...{ texts, url, address }} provider={provider.name} />,
          title: fill(texts.identity.joinTitle, { provider: provider.name }),
          cookies,
        });
      } catch (error) {
        return refuse(visit, provider, problemOf(error), { joinTo });
      }
    },
  });

/** Login through identity providers, and adding them to an account. */
export const identityPages = (dependencies: IdentityPagesDependencies): BoundPage[] => [
  beginLogIn(dependencies),
  endLogIn(dependencies),
  beginJoin(dependencies),
  ...connectPages(dependencies),
];
