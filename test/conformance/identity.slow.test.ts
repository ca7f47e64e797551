import { describe, expect, inject, it } from "vitest";
import { standInAccounts } from "../../infra/local/identity/stand-in-accounts.ts";
import { cookiesAt } from "../../shared/pages/server/cookies.ts";
import { basePath, baseUrl, call } from "../support/client.ts";
import { CookieJar } from "../support/cookie-jar.ts";
import { FormVisitor, formsOf } from "../support/form-visitor.ts";
import { signInAtProvider } from "../support/identity-provider.ts";
import { linkTo, textsTo } from "../support/local-mails.ts";
import { setUpSecondFactor } from "../support/second-factor-visitor.ts";

const { origin, hostname } = new URL(baseUrl);
const { nameOf } = cookiesAt(baseUrl);
const password = "seven storks by the lake";

/** Goes to a provider from the service's page that leads there. @returns where it sends the browser back to. */
const goToProvider = async (
  jar: CookieJar,
  provider: "a" | "b",
  login: string,
  query: Readonly<Record<string, string>> = {},
): Promise<URL> => {
  const started = await jar.fetch(`${baseUrl}/console/log-in/${provider}?${new URLSearchParams(query)}`);
  expect(started.status).toBe(303);
  return signInAtProvider(started.headers.get("location") ?? "", { login, jar });
};

/** Follows the provider's response to its end, as a page. */
const comeBack = async (jar: CookieJar, callback: URL) => {
  const { address, response } = await jar.walk(callback);
  return {
    path: `${address.pathname}${address.search}`,
    status: response.status,
    html: await response.text(),
  };
};

const logIn = async (
  jar: CookieJar,
  provider: "a" | "b",
  login: string,
  query?: Readonly<Record<string, string>>,
) => comeBack(jar, await goToProvider(jar, provider, login, query));

/** Fills in a form of a page and sends it. */
const send = async (jar: CookieJar, page: string, to: string, typed: Readonly<Record<string, string>>) => {
  const shown = await jar.fetch(`${baseUrl}${page}`);
  const [form] = formsOf({ html: await shown.text() });
  const { address, response } = await jar.walk(`${baseUrl}${to}`, {
    method: "POST",
    headers: { Origin: origin, "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ form_token: form?.fields["form_token"] ?? "", ...typed }),
  });
  return { path: address.pathname, status: response.status, html: await response.text() };
};

const unverified = standInAccounts["okello"]?.email ?? "";
const acen = standInAccounts["acen"]?.email ?? "";
const connect = "/console/connect";

/** Registers an account, and verifies its address. */
const registerVerified = async (email: string): Promise<void> => {
  const registration = { username: "acen-here", email, password };
  expect(await call("/auth/register", { body: registration })).toMatchObject({ status: 201 });
  const token = await linkTo(email, "/auth/verify-email");
  expect(await call("/auth/verify-email", { body: { token } })).toMatchObject({ status: 200 });
};

describe.runIf(inject("isLocal"))("Logging in through an identity provider", () => {
  it("is offered at the login, with the page to continue to", async () => {
    const page = await (await new CookieJar().fetch(`${baseUrl}/console/log-in?next=/docs`)).text();
    for (const letter of ["a", "b"]) {
      expect(page).toContain(`href="${basePath}/console/log-in/${letter}?next=%2Fdocs"`);
      expect(page).toContain(`Stand-in provider ${letter.toUpperCase()}`);
    }
  });

  it("creates an account the first time, which leads to the requested page, and has no password", async () => {
    const jar = new CookieJar();
    const back = await logIn(jar, "a", "nambi", { next: "/console?from=nambi" });
    expect(back).toMatchObject({ status: 200, path: `${basePath}/console?from=nambi` });
    expect(back.html).toContain("nambi");
    expect(jar.get(hostname, nameOf("login"))).toBeUndefined();
    for (const tried of [password, "stand-in"]) {
      const form = new URLSearchParams({ username: "nambi", password: tried });
      expect(await call("/auth/token", { body: form })).toMatchObject({
        status: 401,
        body: { error: "invalid_grant" },
      });
    }
  });

  it("takes over an account whose address no one has verified, and ends what opened it", async () => {
    const registration = { username: "auma-here", email: standInAccounts["auma"]?.email ?? "", password };
    expect(await call("/auth/register", { body: registration })).toMatchObject({ status: 201 });
    const credentials = new URLSearchParams({ username: registration.username, password });
    const { body: before } = await call("/auth/token", { body: credentials });
    const back = await logIn(new CookieJar(), "a", "auma", { next: "/console" });
    expect(back).toMatchObject({ status: 200, path: `${basePath}/console` });
    expect(back.html).toContain("auma-here");
    expect((await call("/auth/me", { token: before.access_token })).status).toBe(401);
    expect((await call("/auth/token", { body: credentials })).status).toBe(401);
  });

  it("opens the same account through another provider after its owner has logged in with the first", async () => {
    const jar = new CookieJar();
    const unproved = await logIn(jar, "b", "nambi", { next: "/console?from=b" });
    expect(unproved).toMatchObject({ status: 200, path: `${basePath}/console/connect` });
    expect(unproved.html).toContain("Is this your account?");
    expect(unproved.html).not.toContain('type="password"');
    expect(unproved.html).not.toContain("Log in with Stand-in provider B");
    expect(jar.get(hostname, nameOf("session"))).toBeUndefined();
    const next = "/console/connect";
    const again = new URLSearchParams({ fresh: "yes", next }).toString().replace("&", "&amp;");
    expect(unproved.html).toContain(`href="${basePath}/console/log-in/a?${again}"`);

    // The provider may not have asked the person.
    const copy = new CookieJar();
    copy.set(hostname, nameOf("connection"), jar.get(hostname, nameOf("connection")));
    expect(await logIn(copy, "a", "nambi", { next })).toMatchObject({ path: `${basePath}/console/connect` });
    expect(await send(copy, next, next, { action: "signed-in" })).toMatchObject({ status: 403 });

    const owner = await logIn(jar, "a", "nambi", { next, fresh: "yes" });
    expect(owner).toMatchObject({ status: 200, path: `${basePath}/console/connect` });
    const joined = await send(jar, next, next, { action: "signed-in" });
    expect(joined).toMatchObject({ status: 200, path: `${basePath}/console` });
    expect(jar.get(hostname, nameOf("connection"))).toBeUndefined();

    const back = await logIn(new CookieJar(), "b", "nambi");
    expect(back).toMatchObject({ status: 200, path: `${basePath}/console` });
    expect(back.html).toContain("nambi");
    expect(back.html).not.toMatch(/nambi-\d/);
  });

  it("opens an account with the same verified address after its owner has entered the password", async () => {
    await registerVerified(acen);
    const jar = new CookieJar();
    const unproved = await logIn(jar, "a", "acen", { next: "/console?from=a" });
    expect(unproved).toMatchObject({ status: 200, path: `${basePath}${connect}` });
    expect(unproved.html).toContain("The account “acen-here” already uses it.");
    const wrong = await send(jar, connect, connect, { action: "password", password: "not the password" });
    expect(wrong).toMatchObject({ status: 422, path: `${basePath}${connect}` });
    expect(wrong.html).toContain("The password is incorrect.");
    expect(await send(jar, connect, connect, { action: "signed-in" })).toMatchObject({ status: 403 });
    expect(jar.get(hostname, nameOf("session"))).toBeUndefined();

    const right = await send(jar, connect, connect, { action: "password", password });
    expect(right).toMatchObject({ status: 200, path: `${basePath}/console` });
    expect(right.html).toContain("acen-here");
    expect(await logIn(new CookieJar(), "a", "acen")).toMatchObject({
      status: 200,
      path: `${basePath}/console`,
    });
    expect((await jar.fetch(`${baseUrl}${connect}`)).status).toBe(400);
  });

  it("opens it also by a mailed link, in any browser, which begins no session there", async () => {
    const jar = new CookieJar();
    await logIn(jar, "b", "acen");
    const sent = await send(jar, connect, connect, { action: "mail" });
    expect(sent).toMatchObject({ status: 200 });
    expect(sent.html).toContain(`We have sent a link to ${acen}.`);
    const link = `${connect}/link`;
    const path = `${link}?token=${await linkTo(acen, link)}`;
    const other = new CookieJar();
    const page = await (await other.fetch(`${baseUrl}${path}`)).text();
    expect(page).toContain(`Someone logged in at Stand-in provider B as ${acen}.`);
    expect((await logIn(new CookieJar(), "b", "acen")).path).toBe(`${basePath}${connect}`);

    const { token = "" } = formsOf({ html: page })[0]?.fields ?? {};
    const added = await send(other, path, link, { token });
    expect(added).toMatchObject({ status: 200, path: `${basePath}/console/log-in` });
    expect(added.html).toContain("The login is added. You can use it now.");
    expect(other.get(hostname, nameOf("session"))).toBeUndefined();
    expect((await logIn(new CookieJar(), "b", "acen")).path).toBe(`${basePath}/console`);
    expect((await other.fetch(`${baseUrl}${path}`)).status).toBe(400);
  });

  it("does not open an account whose address is not verified, until it is added to it from within", async () => {
    const registration = { username: "okello-here", email: unverified, password };
    expect(await call("/auth/register", { body: registration })).toMatchObject({ status: 201 });

    const refused = await logIn(new CookieJar(), "a", "okello");
    expect(refused.status).toBe(409);
    expect(refused.html).toContain("An account with your email address already exists");
    expect(refused.html).toContain(`href="${basePath}/console/log-in"`);

    const jar = new CookieJar();
    const inside = await send(jar, "/console/log-in", "/console/log-in", {
      username: "okello-here",
      password,
    });
    expect(inside).toMatchObject({ status: 200, path: `${basePath}/console` });
    const join = "/console/account/identities/a";
    const refusedJoin = await send(jar, join, join, { password: "not the password" });
    expect(refusedJoin.html).toMatch(/<h1>Add Stand-in provider A<\/h1>.*Log in at Stand-in provider A to/s);
    expect(refusedJoin).toMatchObject({ status: 422 });
    expect(refusedJoin.html).toContain("The password is incorrect.");
    const page = await send(jar, join, join, { password });
    const address =
      /<a class="button full" href="([^"]+)"/.exec(page.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(page.html).toContain("Continue to Stand-in provider A");
    const callback = await signInAtProvider(address, { login: "okello", jar });
    const added = await jar.fetch(callback);
    expect(added.headers.get("location")).toBe(`${basePath}/console/account?joined=a`);
    const joined = "A login with Stand-in provider A was added: it opens your account.";
    await expect
      .poll(async () => (await textsTo(unverified)).some((text) => text.includes(joined)))
      .toBe(true);

    const back = await logIn(new CookieJar(), "a", "okello");
    expect(back).toMatchObject({ status: 200, path: `${basePath}/console` });
    expect(back.html).toContain("okello-here");

    // A new password by mail proves whose account it is, and ends every other way in.
    expect(await call("/auth/forgot-password", { body: { email: unverified } })).toMatchObject({
      status: 200,
    });
    const token = await linkTo(unverified, "/reset-password");
    const chosen = { token, new_password: `${password} again` };
    expect(await call("/auth/reset-password", { body: chosen })).toMatchObject({ status: 200 });
    const after = await logIn(new CookieJar(), "a", "okello");
    expect(after.html).not.toContain("okello-here");
  });

  it("reports a cancelled login at the provider, with the way back", async () => {
    const back = await logIn(new CookieJar(), "b", "cancel", { next: "/docs" });
    expect(back.status).toBe(403);
    expect(back.html).toContain("You declined at Stand-in provider B");
    expect(back.html).toContain(`href="${basePath}/console/log-in?next=%2Fdocs"`);
  });

  it("works once, and only in the browser that started it", async () => {
    const jar = new CookieJar();
    const callback = await goToProvider(jar, "a", "nambi");
    const elsewhere = await comeBack(new CookieJar(), callback);
    expect(elsewhere.status).toBe(400);
    expect(elsewhere.html).toContain("was started in another browser");

    const started = jar.get(hostname, nameOf("login"));
    expect(await comeBack(jar, callback)).toMatchObject({ status: 200, path: `${basePath}/console` });
    const thief = new CookieJar();
    thief.set(hostname, nameOf("login"), started);
    const replayed = await comeBack(thief, callback);
    expect(replayed).toMatchObject({ status: 400 });
    expect(thief.get(hostname, nameOf("session"))).toBeUndefined();
  });

  it("cannot be forged, nor completed by the other provider", async () => {
    const jar = new CookieJar();
    const callback = await goToProvider(jar, "a", "nambi");
    const query = callback.searchParams;
    const openPage = (path: string) => jar.fetch(`${baseUrl}${path}`);
    expect((await openPage(`/console/log-in/b/callback?${query}`)).status).toBe(400);
    expect((await openPage(`/console/log-in/a/callback?code=x&state=${query.get("state")}x`)).status).toBe(
      400,
    );
    expect((await openPage(`/console/log-in/a/callback?error=access_denied`)).status).toBe(400);
    expect((await openPage("/console/log-in/c")).status).toBe(404);
    const mixed = new URLSearchParams(query);
    mixed.set("iss", "http://127.0.0.1:9");
    expect((await openPage(`/console/log-in/a/callback?${mixed}`)).status).toBe(502);
    expect(jar.get(hostname, nameOf("session"))).toBeUndefined();
  });

  it("can be given up while another way in is left: the account's page sets the first password", async () => {
    const jar = new CookieJar();
    await logIn(jar, "b", "nambi");
    const visitor = new FormVisitor();
    visitor.cookies.set(nameOf("session"), jar.get(hostname, nameOf("session")) ?? "");
    const settings = "/console/account";
    const before = await visitor.open(`${settings}?section=security`);
    for (const typed of [{ action: "set-password", first_password: password }, { action: "unlink" }]) {
      const refused = await visitor.send(before, settings, typed);
      expect(refused.status).toBe(403);
      expect(refused.html).toContain("First confirm that it is you.");
    }
    const confirm = await visitor.open(`${settings}/confirm?next=%2Fconsole%2Faccount%3Fsection%3Dsecurity`);
    expect(confirm.html).toContain("Log in with Stand-in provider B again");
    await logIn(jar, "b", "nambi", { fresh: "yes", next: `${settings}?section=security` });
    visitor.cookies.set(nameOf("session"), jar.get(hostname, nameOf("session")) ?? "");
    const both = await visitor.open(`${settings}?section=security`);
    expect(both.html).toContain("You log in with Stand-in provider A.");
    // What opens each form, and its button.
    expect(both.html.match(/Remove Stand-in provider [AB]/g)).toHaveLength(4);

    const parted = await visitor.send(both, settings, { action: "unlink" });
    expect(parted.path).toBe(`${settings}?section=security&done=unlinked`);
    expect(parted.html).toContain("This is your only way to log in. Set a password first.");
    expect(parted.html).toContain("Add Stand-in provider A");
    const other = formsOf(both).filter(({ fields }) => fields["action"] === "unlink")[1]?.fields ?? {};
    expect(await visitor.ask(settings, { form: other })).toMatchObject({ status: 400 });

    const wrong = await visitor.send(parted, settings, { action: "set-password", first_password: "short" });
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong.html).toMatch(/ id="first_password-problem">(?:<svg.*?<\/svg>)?Too short: you entered 5/s);
    const typed = { action: "set-password", first_password: password };
    const set = await visitor.send(parted, settings, typed);
    expect(set).toMatchObject({ status: 200, path: `${settings}?section=security&done=password-set` });
    const form = new URLSearchParams({ username: "nambi", password });
    expect(await call("/auth/token", { body: form })).toMatchObject({ status: 200 });
    const nambi = standInAccounts["nambi"]?.email ?? "";
    for (const reported of ["Stand-in provider A no longer opens your account.", "one was set"])
      await expect
        .poll(async () => (await textsTo(nambi)).some((text) => text.includes(reported)))
        .toBe(true);
    // A person with a password must enter it.
    expect(
      (await visitor.ask(settings, { form: { ...typed, first_password: `${password} 2` } })).status,
    ).toBe(403);
    const again = { ...formsOf(set)[1]?.fields, ...typed, first_password: `${password} 2`, password };
    expect((await visitor.ask(settings, { form: again })).status).toBe(400);
  });

  it("wants a code of the second factor before a session begins, and before a login is added", async () => {
    const code = "/console/log-in/code";
    const jar = new CookieJar();
    await logIn(jar, "b", "nambi");
    const visitor = new FormVisitor();
    visitor.cookies.set(nameOf("session"), jar.get(hostname, nameOf("session")) ?? "");
    const { recoveryCodes } = await setUpSecondFactor(visitor, password);
    const [one = "", two = ""] = recoveryCodes;

    const known = new CookieJar();
    const waiting = await logIn(known, "b", "nambi", { next: "/console?from=b" });
    expect(waiting).toMatchObject({ status: 200, path: `${basePath}${code}` });
    expect(known.get(hostname, nameOf("session"))).toBeUndefined();
    expect(await send(known, code, code, { code: "000000" })).toMatchObject({ status: 422 });
    const entered = await send(known, code, code, { code: one });
    expect(entered).toMatchObject({ status: 200, path: `${basePath}/console` });

    const adding = new CookieJar();
    expect((await logIn(adding, "a", "nambi")).path).toBe(`${basePath}${connect}`);
    const half = await send(adding, connect, connect, { action: "password", password });
    expect(half).toMatchObject({ status: 200, path: `${basePath}${code}` });
    expect(adding.get(hostname, nameOf("session"))).toBeUndefined();
    // The password alone has added nothing.
    expect((await logIn(new CookieJar(), "a", "nambi")).path).toBe(`${basePath}${connect}`);
    expect((await send(adding, code, code, { code: two })).path).toBe(`${basePath}/console`);
    expect((await logIn(new CookieJar(), "a", "nambi")).path).toBe(`${basePath}${code}`);
  });

  it("is listed in the mail about a reset of the password, and removed on its page", async () => {
    const visitor = new FormVisitor();
    const [email, username] = [acen, "acen-here"];
    await call("/auth/forgot-password", { body: { email } });
    const link = await visitor.open(`/reset-password?token=${await linkTo(email, "/reset-password")}`);
    const page = await visitor.send(link, "/reset-password", { new_password: `${password} again` });
    expect(page.html).toContain("These still have access");
    expect(page.html.match(/>Stand-in provider [AB]</g)).toHaveLength(2);
    const mail = async () =>
      (await textsTo(email)).find((text) => text.includes("can still log in to yours"));
    await expect.poll(mail).toContain(`- ${acen} at http://`);
    const left = await visitor.send(page, "/console/revoke-keys", { action: "remove" });
    expect(left.html.match(/>Stand-in provider [AB]</g)).toHaveLength(1);
    const gone = await visitor.send(left, "/console/revoke-keys", { action: "remove" });
    expect(gone.html).not.toMatch(/>Stand-in provider [AB]</);
    expect(await logIn(new CookieJar(), "a", "acen")).toMatchObject({ path: `${basePath}${connect}` });
    const form = new URLSearchParams({ username, password: `${password} again` });
    expect((await call("/auth/token", { body: form })).status).toBe(200);
  });
});
