import * as z from "zod";
import { standInAccounts } from "../../infra/local/identity/stand-in-accounts.ts";
import { identityKeyPrefix } from "../../shared/accounts/access/keys.ts";
import { CookieJar } from "../support/cookie-jar.ts";
import { signInAtProvider } from "../support/identity-provider.ts";
import { type Attack, heldIf, refusedIf, type Target } from "./attack.ts";
import { type Browser, openBrowser, signedIn } from "./browser.ts";
import { orderOf } from "./model-server.ts";
import {
  ask,
  mailedToken,
  mailsTo,
  newVisitor,
  read,
  register,
  signIn,
  statusesOf,
  tokenOf,
  type Visitor,
} from "./visitor.ts";

const owners = "nine cranes over the hill";
const thiefs = "a password of the thief's";
const connectPath = "/console/connect";
const webhookSecret = z.object({ secret: z.string() });
const createdKey = z.object({ key: z.string() });

/** Someone registers an address that is not theirs, and prepares to stay. */
const registerStrangersAddress = async (target: Target) => {
  const thief = await newVisitor(target);
  const { key } = read(
    await ask(target, "/auth/keys", { token: thief.token, body: { name: "to stay" } }),
    createdKey,
  );
  const { secret } = read(await ask(target, "/auth/webhook-secret", { token: thief.token }), webhookSecret);
  return { thief, key, secret, browser: await signedIn(target, thief) };
};

/** The owner of an address resets the password of its account. @returns a token of the owner's. */
const resetAsOwner = async (target: Target, email: string): Promise<string> => {
  await ask(target, "/auth/forgot-password", { body: { email } });
  const token = await mailedToken(target, email);
  await ask(target, "/auth/reset-password", { body: { token, new_password: owners } });
  return tokenOf(await signIn(target, email, owners));
};

const verifyPath = "/console/verify-email";

/** The owner of an address opens the link of its verification mail, in a browser without a session. */
const openVerification = async (target: Target, { email }: Pick<Visitor, "email">) => {
  const browser = openBrowser(target);
  const token = await mailedToken(target, email);
  const { html } = await browser.get(`${verifyPath}?token=${token}`);
  const form_token = /name="form_token" value="([\w-]+)"/.exec(html)?.[1] ?? "";
  return { browser, token, form_token };
};

/** Opens the page of this browser that adds an identity. @returns where the provider's page for this identity sends it back to. */
const beginJoin = async (browser: Browser, login: string, password: string): Promise<string> => {
  const join = "/console/account/identities/a";
  const { html } = await browser.fillIn(join, { password });
  const address = /class="button full" href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const { pathname, search } = await signInAtProvider(address, { login });
  return `${pathname}${search}`;
};

/** Whose account it is, when someone has registered the address of another person: number 17. */
export const ownershipAttacks: readonly Attack[] = [
  {
    number: 17,
    name: "a key, a token, a session and a webhook secret from before the owner of the address reset the password",
    needs: ["mails", "log-ins"],
    attempt: async (target) => {
      const { thief, key, secret, browser } = await registerStrangersAddress(target);
      const token = await resetAsOwner(target, thief.email);
      const attempts = [
        await ask(target, "/auth/me", { token: key }),
        await ask(target, "/auth/me", { token: thief.token }),
        await signIn(target, thief.username, thief.password),
      ];
      const isIn = await browser.isIn();
      const now = read(await ask(target, "/auth/webhook-secret", { token }), webhookSecret);
      const notices = await mailsTo(target, (address) => address === thief.email);
      const hasNotice = notices.some(({ text }) => text.includes("all access from before has ended"));
      return refusedIf(
        attempts.every(({ status }) => status === 401) && !isIn && now.secret !== secret && hasNotice,
        `${statusesOf(attempts)}, the session ${isIn ? "works" : "has ended"}, the secret ${now.secret === secret ? "stays" : "is new"}, ${hasNotice ? "a" : "no"} mail says so`,
      );
    },
  },
  {
    number: 17,
    name: "a stranger's account that the owner of the address verifies, by the button of the mail",
    needs: ["mails"],
    attempt: async (target) => {
      const thief = await newVisitor(target);
      const { browser, token, form_token } = await openVerification(target, thief);
      const forms = [
        { token, form_token },
        { action: "verify", token, form_token },
        { action: "verify-with-password", password: "", token, form_token },
        { action: "verify-with-password", password: owners, token, form_token },
      ];
      const statuses: number[] = [];
      for (const form of forms) statuses.push((await browser.send(verifyPath, form)).status);
      const me = read(
        await ask(target, "/auth/me", { token: thief.token }),
        z.object({ email_verified: z.boolean() }),
      );
      return refusedIf(
        !me.email_verified && statuses.every((status) => status >= 400),
        `${statuses.join(" ")}, ${me.email_verified ? "verified" : "not verified"}`,
      );
    },
  },
  {
    number: 17,
    name: "an address that its owner cannot get, because someone registered it first",
    needs: ["mails"],
    attempt: async (target) => {
      const thief = await newVisitor(target);
      const { browser, token, form_token } = await openVerification(target, thief);
      await browser.get(`${verifyPath}?token=${token}&action=disown`);
      const looked = await ask(target, "/auth/me", { token: thief.token });
      await browser.send(verifyPath, { action: "disown", token, form_token });
      const attempts = [
        await ask(target, "/auth/me", { token: thief.token }),
        await signIn(target, thief.username, thief.password),
      ];
      const owner = { username: `${thief.username}-owner`, email: thief.email, password: owners };
      const registered = await register(target, owner);
      return heldIf(
        looked.status === 200 &&
          attempts.every(({ status }) => status === 401 || status === 403) &&
          registered.status === 201,
        `the thief ${statusesOf(attempts)}, the owner ${registered.status}`,
      );
    },
  },
  {
    number: 17,
    name: "a stream of version 1 that continues after the owner of the address has disowned its account",
    needs: ["mails", "models"],
    isLong: true,
    attempt: async (target) => {
      const thief = await newVisitor(target);
      const stream = await fetch(`${target.url}/tasks/modal/tts/stream`, {
        method: "POST",
        headers: { Authorization: `Bearer ${thief.token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ text: `${orderOf("slow")} Oli otya?` }),
        signal: AbortSignal.timeout(30_000),
      });
      const { browser, token, form_token } = await openVerification(target, thief);
      await browser.send(verifyPath, { action: "disown", token, form_token });
      const disownedAt = performance.now();
      const isBrokenOff = await stream.bytes().then(
        () => false,
        () => true,
      );
      const seconds = (performance.now() - disownedAt) / 1_000;
      return heldIf(
        stream.status === 200 && isBrokenOff && seconds < 10,
        `${stream.status}, ${isBrokenOff ? "broken off" : "complete"} after ${seconds.toFixed(1)} s`,
      );
    },
  },
  {
    number: 17,
    name: "a verified account that someone with its old verification link disables",
    needs: ["mails"],
    attempt: async (target) => {
      const owner = await newVisitor(target);
      const { browser, token, form_token } = await openVerification(target, owner);
      await ask(target, "/auth/verify-email", { body: { token } });
      const { html } = await browser.get(`${verifyPath}?token=${token}`);
      const { status } = await browser.send(verifyPath, { action: "disown", token, form_token });
      const me = await ask(target, "/auth/me", { token: owner.token });
      return refusedIf(
        status === 400 && me.status === 200 && !html.includes("disown"),
        `${status}, the account ${me.status}`,
      );
    },
  },
  {
    number: 17,
    name: "an address that someone took through a provider which does not vouch for it",
    needs: ["mails"],
    attempt: async (target) => {
      const [login, { email }] = Object.entries(standInAccounts).find(
        ([, { emailVerified }]) => !emailVerified,
      ) ?? ["", { email: "" }];
      const comeIn = async (): Promise<number> => {
        const jar = new CookieJar();
        const started = await jar.fetch(`${target.url}/console/log-in/a`);
        const back = await signInAtProvider(started.headers.get("location") ?? "", { login, jar });
        return (await jar.fetch(back)).status;
      };
      const first = await comeIn();
      await resetAsOwner(target, email);
      const after = await comeIn();
      return heldIf(after === 409, `the thief ${first}, after the owner's reset ${after}`);
    },
  },
  {
    number: 17,
    name: "a verified account, entered with its address at a provider and nothing else",
    needs: ["mails"],
    attempt: async (target) => {
      const { email } = standInAccounts["acen"] ?? { email: "" };
      await register(target, { username: "acen", email, password: owners });
      await ask(target, "/auth/verify-email", { body: { token: await mailedToken(target, email) } });
      const comeIn = async () => {
        const jar = new CookieJar();
        const started = await jar.fetch(`${target.url}/console/log-in/b`);
        const back = await signInAtProvider(started.headers.get("location") ?? "", { login: "acen", jar });
        return { jar, ...(await jar.walk(back)) };
      };
      const { jar, response } = await comeIn();
      const form_token = /name="form_token" value="([\w-]+)"/.exec(await response.text())?.[1] ?? "";
      const statuses: number[] = [];
      for (const tried of [{ action: "signed-in" }, { action: "password", password: thiefs }]) {
        const body = new URLSearchParams({ form_token, ...tried });
        const headers = { Origin: new URL(target.url).origin };
        const sent = await jar.fetch(`${target.url}${connectPath}`, { method: "POST", headers, body });
        statuses.push(sent.status);
      }
      const inside = await jar.fetch(`${target.url}/console`);
      const { address } = await comeIn();
      return refusedIf(
        statuses.every((status) => status >= 400) &&
          inside.status === 303 &&
          address.pathname.endsWith(connectPath),
        `${statuses.join(" ")}, the console ${inside.status}, once more to ${address.pathname}`,
      );
    },
  },
  {
    number: 17,
    name: "an identity that a session with a stolen password joins while the owner changes it",
    needs: ["table", "log-ins"],
    attempt: async (target) => {
      const owner = await newVisitor(target);
      const thief = await signedIn(target, owner);
      const [login = ""] =
        Object.entries(standInAccounts).find(([, { emailVerified }]) => emailVerified) ?? [];
      const back = await beginJoin(thief, login, owner.password);
      const held = target.table?.hold("TransactWriteItems", `${identityKeyPrefix}`);
      const joining = thief.get(back);
      await Promise.race([held?.arrived, joining]);
      const body = { old_password: owner.password, new_password: owners };
      const changed = await ask(target, "/auth/change-password", { token: owner.token, body });
      held?.release();
      const { status, location } = await joining;
      const hasJoined = location?.includes("joined=") === true;
      return refusedIf(
        changed.status === 200 && !hasJoined && status >= 400,
        `the change ${changed.status}, the joining ${status} ${location ?? ""}`,
      );
    },
  },
  {
    number: 17,
    name: 'an access token that outlives "Log out everywhere", and one that outlives "Revoke all access tokens"',
    needs: ["log-ins"],
    attempt: async (target) => {
      const owner = await newVisitor(target);
      const first = await signedIn(target, owner);
      await first.fillIn("/console/account?section=security", { action: "log-out-everywhere" });
      const outlived = await ask(target, "/auth/me", { token: owner.token });
      const token = tokenOf(await signIn(target, owner.username, owner.password));
      const second = await signedIn(target, owner);
      await second.fillIn("/console/tokens", { action: "revoke-all-tokens" });
      const revoked = await ask(target, "/auth/me", { token });
      const isIn = await second.isIn();
      return refusedIf(
        outlived.status === 401 && revoked.status === 401 && isIn,
        `${outlived.status} ${revoked.status}, the browser that revoked them is ${isIn ? "in" : "out"}`,
      );
    },
  },
];
