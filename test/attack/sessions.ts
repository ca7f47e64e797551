import * as z from "zod";
import { signInAtProvider } from "../support/identity-provider.ts";
import { codeOf, secretIn } from "../support/second-factor.ts";
import { type Attack, refusedIf, type Target } from "./attack.ts";
import { type Browser, logIn, openBrowser, signedIn } from "./browser.ts";
import { ask, newVisitor, read, statusesOf, type Visitor } from "./visitor.ts";

const account = "/console/account";
const security = `${account}?section=security`;
const tokens = "/console/tokens";
const secondFactor = "/console/account/second-factor";
const guess = "a password of the thief";

/** A browser with a copy of the session of another, which the thief has stolen. */
const stolenFrom = (target: Target, browser: Browser): Browser => {
  const thief = openBrowser(target);
  thief.putCookie(browser.session());
  return thief;
};

/** Sets up a second factor as its owner does. @returns the secret of the app. */
const setUp = async (browser: Browser, { password }: Visitor): Promise<Uint8Array> => {
  await browser.fillIn(secondFactor, { action: "start", password });
  const secret = secretIn((await browser.get(secondFactor)).html);
  // The code of the step before leaves those of this step and the next.
  const done = await browser.fillIn(secondFactor, { action: "turn-on", code: codeOf(secret, -1) });
  if (done.status !== 200) throw new Error(`the second factor was not set up: ${done.status}`);
  return secret;
};

/** An operator with a second factor, and a session from before it was set up. */
const newOperator = async (target: Target) => {
  const operator = await newVisitor(target);
  await target.operate(operator.username, "--type", "Admin");
  const before = await signedIn(target, operator);
  const browser = await signedIn(target, operator);
  const secret = await setUp(browser, operator);
  return { operator, before, browser, secret };
};

/** The operators' page of an account. */
const pathOf = async (target: Target, { token }: Visitor): Promise<string> => {
  const { id } = read(await ask(target, "/auth/me", { token }), z.object({ id: z.int() }));
  return `/console/admin/accounts/${id}`;
};

/** A browser that has logged in through a provider, with an account that has no password. */
const throughProvider = async (target: Target, login: string): Promise<Browser> => {
  const browser = openBrowser(target);
  const away = await browser.get("/console/log-in/a");
  const back = await signInAtProvider(away.location ?? "", { login, jar: browser.jar });
  await browser.get(
    `${back.pathname}${back.search}`.slice(new URL(target.url).pathname.replace(/\/$/, "").length),
  );
  if (!(await browser.isIn())) throw new Error("the login through the provider failed");
  return browser;
};

const keyIn = ({ html }: { readonly html: string }): string => /lai_[0-9A-Za-z]{36,}/.exec(html)?.[0] ?? "";
const tokenIn = ({ html }: { readonly html: string }): string =>
  /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(html)?.[0] ?? "";

/** Attack 20: what a stolen session, an open browser and a stolen password may do. */
export const sessionAttacks: readonly Attack[] = [
  {
    number: 20,
    name: "the operators' pages with a session from before the second factor",
    needs: ["log-ins", "operator"],
    attempt: async (target) => {
      const { before } = await newOperator(target);
      const victim = await newVisitor(target);
      const path = await pathOf(target, victim);
      const page = await before.get("/console/admin");
      const act = await before.fillIn(path, { action: "disable" });
      const { status } = await ask(target, "/auth/me", { token: victim.token });
      return refusedIf(
        page.status !== 200 && status === 200,
        `the page ${page.status}, disabling an account ${act.status}, the account then ${status}`,
      );
    },
  },
  {
    number: 20,
    name: "an operator's act that is confirmed with the password instead of a code",
    needs: ["log-ins", "operator"],
    attempt: async (target) => {
      const { browser, operator } = await newOperator(target);
      const victim = await newVisitor(target);
      const path = await pathOf(target, victim);
      const { password } = operator;
      const act = await browser.fillIn(
        `${path}?act=change-tier`,
        { action: "change-tier", type: "Premium", password },
        path,
      );
      return refusedIf(act.status === 422, `${act.status} ${act.location ?? ""}`);
    },
  },
  {
    number: 20,
    name: "tokens and sessions of a stolen password after the second factor was set up",
    needs: ["log-ins"],
    attempt: async (target) => {
      const owner = await newVisitor(target);
      const thief = await signedIn(target, owner);
      await setUp(await signedIn(target, owner), owner);
      const { status } = await ask(target, "/auth/me", { token: owner.token });
      const isIn = await thief.isIn();
      return refusedIf(
        status === 401 && !isIn,
        `the token ${status}, the session ${isIn ? "open" : "ended"}`,
      );
    },
  },
  {
    number: 20,
    name: "a first password that is set in an open browser of an account without one",
    needs: ["mails"],
    attempt: async (target) => {
      const browser = await throughProvider(target, "nambi");
      const set = await browser.fillIn(security, { action: "set-password", first_password: guess }, account);
      return refusedIf(set.status === 403, `${set.status} ${set.location ?? ""}`);
    },
  },
  {
    number: 20,
    name: "a second factor that is set up in an open browser of an account without a password",
    needs: ["mails"],
    attempt: async (target) => {
      const browser = await throughProvider(target, "acen");
      const started = await browser.fillIn(secondFactor, { action: "start" });
      const isShown = (await browser.get(secondFactor)).html.includes("otpauth:");
      return refusedIf(!isShown, `${started.status}, the secret ${isShown ? "shown" : "not shown"}`);
    },
  },
  {
    number: 20,
    name: "the thief's own identity that a stolen session adds, after a new password and a logout everywhere",
    needs: ["mails", "log-ins"],
    attempt: async (target) => {
      const owner = await newVisitor(target);
      const browser = await signedIn(target, owner);
      const thief = stolenFrom(target, browser);
      const join = `${account}/identities/a`;
      const form = { form_token: await thief.tokenOn(tokens) };
      const { html, status } = await thief.send(join, form);
      const address = /<a class="button full" href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
      if (!address?.startsWith("http")) return refusedIf(true, `adding it ${status}`);
      const back = await signInAtProvider(address, { login: "okello", jar: thief.jar });
      await thief.jar.fetch(back);
      const change = { action: "change-password", old_password: owner.password, new_password: guess };
      await browser.fillIn(security, change, account);
      await browser.fillIn(security, { action: "log-out-everywhere" }, account);
      const later = await throughProvider(target, "okello");
      const isOwners = (await later.get(account)).html.includes(owner.username);
      return refusedIf(
        !isOwners,
        `adding it ${status}, later in ${isOwners ? "the owner's" : "another"} account`,
      );
    },
  },
  {
    number: 20,
    name: "a key and a full access token that a stolen session makes without the password",
    needs: ["log-ins"],
    attempt: async (target) => {
      const thief = stolenFrom(target, await signedIn(target, await newVisitor(target)));
      const key = keyIn(await thief.fillIn(tokens, { action: "make-key", forms_used: "0", name: "kiosk" }));
      const created = await thief.fillIn(tokens, {
        action: "make-token",
        forms_used: key === "" ? "0" : "1",
      });
      const used = [
        await ask(target, "/auth/me", { token: key === "" ? "none" : key }),
        await ask(target, "/auth/me", { token: tokenIn(created) || "none" }),
      ];
      return refusedIf(
        used.every(({ status }) => status === 401),
        `used: ${statusesOf(used)}`,
      );
    },
  },
  {
    number: 20,
    name: "the link of an owner's export, which a stolen session opens days later",
    needs: ["log-ins"],
    attempt: async (target) => {
      const owner = await newVisitor(target);
      const { token, password } = owner;
      await ask(target, "/auth/me/export", { token, body: { password } });
      for (;;) {
        const { text } = await ask(target, "/auth/me/export", { token });
        if (!text.includes('"preparing"')) break;
      }
      const thief = openBrowser(target);
      await logIn(thief, owner);
      const { html } = await stolenFrom(target, thief).get(`${account}?section=export`);
      const link = /href="(http[^"]*exports\/[^"]*)"/.exec(html)?.[1];
      return refusedIf(link === undefined, link === undefined ? "no link" : "a link to the archive");
    },
  },
  {
    number: 20,
    name: "the webhook secret, which a stolen session reads",
    needs: ["log-ins"],
    attempt: async (target) => {
      const thief = stolenFrom(target, await signedIn(target, await newVisitor(target)));
      const { html, status } = await thief.fillIn(
        `${account}?section=webhooks`,
        { action: "show-secret" },
        account,
      );
      return refusedIf(!html.includes("whsec_"), String(status));
    },
  },
];
