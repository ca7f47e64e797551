import { CookieJar } from "../../support/cookie-jar.ts";
import { signInAtProvider } from "../../support/identity-provider.ts";
import { codeOf, secretIn } from "../../support/second-factor.ts";
import { requireSame } from "./api.ts";
import { type Account, createAccount, type Scenario, type World } from "./scenario.ts";

/** Returns the account page as this browser sees it; `undefined` when it has to log in. */
const accountPage = async ({ url }: World, browser: CookieJar): Promise<string | undefined> => {
  const response = await browser.fetch(`${url}/console/account`);
  const html = await response.text();
  if (response.status === 303) return undefined;
  requireSame("the status of /console/account", response.status, 200);
  return html;
};

const requireAccount = async (
  world: World,
  browser: CookieJar,
  { username, email }: Person,
): Promise<void> => {
  const html = (await accountPage(world, browser)) ?? "the page to log in at";
  for (const text of [username, email]) {
    if (!html.includes(text))
      throw new Error(`/console/account does not show ${text}: ${html.slice(0, 200)}`);
  }
};

interface Person {
  readonly username: string;
  readonly email: string;
}

/** Submits a form of the console with the hidden token of its page. */
export const sendForm = async (
  { url }: World,
  browser: CookieJar,
  [page, target]: readonly [string, string],
  typed: Readonly<Record<string, string>>,
  expected = 303,
): Promise<void> => {
  const html = await (await browser.fetch(url + page)).text();
  const form = html.split("<form").find((text) => text.includes(`action="${target}"`));
  const formToken = /name="form_token" value="([^"]+)"/.exec(form ?? "")?.[1];
  if (formToken === undefined) throw new Error(`${page} has no form that goes to ${target}.`);
  const { status } = await browser.fetch(url + target, {
    method: "POST",
    headers: { Origin: url, "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ ...typed, form_token: formToken }),
  });
  requireSame(`the status of ${target}`, status, expected);
};

const session: Scenario = {
  title: "sessions of the console: one that is open, one that was ended",
  prepare: async (world) => {
    const { username, email, password } = await createAccount(world, "visitor");
    const [open, ended] = [new CookieJar(), new CookieJar()];
    for (const browser of [open, ended]) {
      await sendForm(world, browser, ["/console/log-in", "/console/log-in"], { username, password });
    }
    const { hostname } = new URL(world.url);
    const cookie = ended.get(hostname, "console-session");
    await sendForm(world, ended, ["/console", "/console/log-out"], {});
    ended.set(hostname, "console-session", cookie);
    return async () => {
      await requireAccount(world, open, { username, email });
      requireSame("the session that was ended", await accountPage(world, ended), undefined);
    };
  },
};

const secondFactorPage = "/console/account/second-factor";

/** Logs in and sets up a second factor. */
export const logInWithSecondFactor = async (
  world: World,
  { username, password }: Account,
): Promise<CookieJar> => {
  const browser = new CookieJar();
  await sendForm(world, browser, ["/console/log-in", "/console/log-in"], { username, password });
  const start = { action: "start", password };
  await sendForm(world, browser, [secondFactorPage, secondFactorPage], start);
  const shown = await (await browser.fetch(`${world.url}${secondFactorPage}`)).text();
  const code = codeOf(secretIn(shown));
  // It shows the recovery codes.
  await sendForm(world, browser, [secondFactorPage, secondFactorPage], { action: "turn-on", code }, 200);
  return browser;
};

const secondFactor: Scenario = {
  title: "a session of an account with a second factor",
  prepare: async (world) => {
    const account = await createAccount(world, "careful");
    const browser = await logInWithSecondFactor(world, account);
    return () => requireAccount(world, browser, account);
  },
};

/** Logs in through an identity provider. @param login one of the accounts of the stand-ins. */
const logInThrough = async (world: World, provider: string, login: string): Promise<CookieJar> => {
  const browser = new CookieJar();
  const { headers } = await browser.fetch(`${world.url}/console/log-in/${provider}`);
  const callback = await signInAtProvider(headers.get("location") ?? "", { login, jar: browser });
  await (await browser.fetch(callback)).body?.cancel();
  return browser;
};

const identity: Scenario = {
  title: "an account that was opened through an identity provider",
  prepare: async (world) => {
    // Each build opens an account for another person of the stand-ins.
    const [provider, login, email] =
      world.maker === "release"
        ? ["a", "nambi", "nambi.grace@example.com"]
        : ["b", "okello", "okello.james@example.com"];
    const person = { username: login, email };
    const browser = await logInThrough(world, provider, login);
    await requireAccount(world, browser, person);
    return async () => {
      await requireAccount(world, browser, person);
      const again = await logInThrough(world, provider, login);
      await requireAccount(world, again, person);
      const html = await accountPage(world, again);
      if (html?.includes(`${login}-`)) throw new Error("The identity opened another account.");
    };
  },
};

export const consoleScenarios: readonly Scenario[] = [session, secondFactor, identity];
