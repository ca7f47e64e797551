import { beforeAll, describe, expect, inject, it } from "vitest";
import { cookiesAt } from "../../functions/console/server/cookies.ts";
import { baseUrl, call, createAccount, newRegistration, type TestAccount } from "../support/client.ts";
import { FormVisitor, formsOf, type SeenPage, termsOf } from "../support/form-visitor.ts";

const sessionCookie = cookiesAt(baseUrl).nameOf("session");
const { origin, pathname } = new URL(baseUrl);
const prefix = pathname.replace(/\/$/, "");

const newPassword = "nine cranes over the hill";

const signUp = async (visitor: FormVisitor, path = "/console/sign-up") => {
  const registration = newRegistration();
  const form = await visitor.open(path);
  const seen = await visitor.send(form, "/console/sign-up", { ...registration, ...termsOf(form) });
  return { ...registration, seen };
};

const signIn = async ({ username, password }: Pick<TestAccount, "username" | "password">) => {
  const visitor = new FormVisitor();
  const seen = await visitor.send(await visitor.open("/console/log-in"), "/console/log-in", {
    username,
    password,
  });
  expect(seen).toMatchObject({ status: 200, path: "/console" });
  return visitor;
};

const isSignedIn = async (visitor: FormVisitor): Promise<boolean> =>
  (await visitor.ask("/console")).status === 200;

/** The path of the newest link mailed to a person, once it arrives. */
const linkMailedTo = async (email: string, path: string): Promise<string> => {
  for (;;) {
    const { body } = await call("/_local/mail");
    const mail = body.find(
      ({ to, text }: { to: string[]; text: string }) => to.includes(email) && text.includes(`${path}?token=`),
    );
    const link = mail?.text.match(/https?:\S+/)?.[0];
    if (link) return link.slice(baseUrl.length);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** What keeps other sites, and what others write, out of a page. */
const expectGuarded = ({ path, headers, html }: SeenPage): void => {
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy, path).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/,
  );
  expect(policy, path).not.toContain("unsafe-");
  for (const rule of ["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
    expect(policy, path).toContain(rule);
  expect(Object.fromEntries(headers), path).toMatchObject({
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": expect.stringMatching(/^camera=\(\), geolocation=\(\), microphone=/),
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": expect.any(String),
  });
  expect(headers.has("access-control-allow-origin"), path).toBe(false);
  if (headers.get("content-type")?.startsWith("text/html"))
    expect(html, path).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
};

/** Every internal address that a page links to. */
const linksIn = ({ html }: SeenPage): string[] =>
  [...html.matchAll(/\s(?:href|src|action)="([^"#?]*)/g)].flatMap(([, link = ""]) =>
    link.startsWith("data:") || link === "" ? [] : [link],
  );

describe("The console, without JavaScript", () => {
  it("says what this is at the first page, to people and to programs", async () => {
    const page = await new FormVisitor().open("/");
    expect(page).toMatchObject({ status: 200 });
    expect(page.html).toContain("<h1>Build in the languages Africa speaks</h1>");
    expect(linksIn(page)).toEqual(
      expect.arrayContaining(
        ["/console/sign-up", "/docs", "/console/playground"].map((path) => `${prefix}${path}`),
      ),
    );
    expect(await call("/")).toMatchObject({
      status: 200,
      body: { version: "2.1", documentation: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json` },
    });
  });

  it.runIf(inject("isLocal"))(
    "signs a person up, verifies their address and logs them in again",
    async () => {
      const visitor = new FormVisitor();
      const { email, username, password, seen } = await signUp(visitor);
      expect(seen).toMatchObject({ status: 200, path: "/console" });
      expect(seen.html).toContain(username);

      const page = await visitor.open(await linkMailedTo(email, "/auth/verify-email"));
      expectGuarded(page);
      const verified = await visitor.send(page, "/console/verify-email");
      expect(verified).toMatchObject({ status: 200, html: expect.stringContaining("is verified.") });

      const loggedOut = await visitor.send(await visitor.open("/console"), "/console/log-out");
      expect(loggedOut.html).toContain("You are logged out.");
      const again = await visitor.send(loggedOut, "/console/log-in", { username: email, password });
      expect(again).toMatchObject({ status: 200, path: "/console" });
    },
  );

  it("returns to the requested page, after login and after sign-up", async () => {
    const account = await createAccount();
    for (const [enter, typed] of [
      ["/console/log-in", { username: account.username, password: account.password }],
      ["/console/sign-up", newRegistration()],
    ] as const) {
      const visitor = new FormVisitor();
      const requested = await visitor.open("/console?from=a%20mail");
      expect(requested.path).toBe("/console/log-in?next=%2Fconsole%3Ffrom%3Da%2Bmail");
      const entrance =
        linksIn(requested).includes(`${prefix}${enter}`) && enter !== "/console/log-in"
          ? await visitor.open(`${enter}?next=${encodeURIComponent("/console?from=a+mail")}`)
          : requested;
      const sent = { ...typed, ...(enter === "/console/sign-up" ? termsOf(entrance) : {}) };
      expect((await visitor.send(entrance, enter, sent)).path).toBe("/console?from=a+mail");
    }
  });

  it("shows an error next to its field, keeps the input, but no password", async () => {
    const taken = await createAccount();
    const visitor = new FormVisitor();
    const page = await visitor.open("/console/sign-up");
    const refused = await visitor.send(page, "/console/sign-up", {
      username: "amina the first",
      email: "nobody",
      password: "password1",
    });
    expect(refused.status).toBe(422);
    for (const words of ["The “@” is missing, as in name@example.com.", "This password is too common."])
      expect(refused.html).toContain(words);
    expect(refused.html).toContain('value="amina the first"');
    expect(refused.html).toMatch(/<input(?=[^>]*\bid="email")[^>]*aria-invalid="true"/);
    expect(refused.html).not.toContain("password1");
    const again = await visitor.send(refused, "/console/sign-up", {
      ...newRegistration(),
      ...termsOf(refused),
      username: taken.username,
    });
    expect(again.status).toBe(409);
    expect(again.html).toContain("This username is already taken.");
  });

  it("refuses a wrong password, with a message that does not reveal whether the account exists", async () => {
    const { username } = await createAccount();
    const visitor = new FormVisitor();
    for (const name of [username, newRegistration().username]) {
      const page = await visitor.open("/console/log-in");
      const refused = await visitor.send(page, "/console/log-in", {
        username: name,
        password: "not the password",
      });
      expect(refused.status).toBe(422);
      expect(refused.html).toContain("Incorrect username or password.");
    }
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it("says how long to wait after too many wrong passwords, to people and to programs", async () => {
    const { username } = await createAccount();
    const visitor = new FormVisitor();
    const guess = async () =>
      visitor.send(await visitor.open("/console/log-in"), "/console/log-in", {
        username,
        password: "a guess",
      });
    let refused = await guess();
    for (let guesses = 1; guesses < 8 && refused.status !== 429; guesses += 1) refused = await guess();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.html).toContain("<form");
  });

  it.runIf(inject("isLocal"))("replaces a lost password, once, and ends every session with it", async () => {
    const account = await createAccount();
    const elsewhere = await signIn(account);
    const visitor = new FormVisitor();
    const sent = await visitor.send(
      await visitor.open("/console/forgot-password"),
      "/console/forgot-password",
      {
        email: account.email,
      },
    );
    expect(sent.html).toContain("Check your email");
    const link = await linkMailedTo(account.email, "/reset-password");
    const page = await visitor.open(link);
    expectGuarded(page);
    const refused = await visitor.send(page, "/reset-password", { new_password: "short" });
    expect(refused).toMatchObject({
      status: 422,
      html: expect.stringContaining("Too short: you entered 5, and at least 8 characters are needed."),
    });
    const done = await visitor.send(refused, "/reset-password", { new_password: newPassword });
    expect(done.html).toContain("Your new password is set");
    expect(await isSignedIn(elsewhere)).toBe(false);
    await signIn({ username: account.username, password: newPassword });
    expect(await visitor.open(link)).toMatchObject({
      status: 400,
      html: expect.stringContaining("This link does not work"),
    });
  });
});

describe("A session", () => {
  let account: TestAccount;
  beforeAll(async () => {
    account = await createAccount();
  });

  it("is a cookie that no script, no other host and no other site's form gets", async () => {
    const visitor = new FormVisitor();
    const page = await visitor.open("/console/log-in");
    const [form] = formsOf(page);
    const { username, password } = account;
    const response = await visitor.ask("/console/log-in", { form: { ...form?.fields, username, password } });
    const [cookie = ""] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      baseUrl.startsWith("https:")
        ? /^__Host-session=\d+\.[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=2592000$/
        : /^console-session=\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("that was copied opens nothing after the logout", async () => {
    const visitor = await signIn(account);
    const thief = new FormVisitor();
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value);
    expect(await isSignedIn(thief)).toBe(true);
    await visitor.send(await visitor.open("/console"), "/console/log-out");
    expect(await isSignedIn(thief)).toBe(false);
  });

  it("changes with each login: one set before opens nothing", async () => {
    const visitor = await signIn(account);
    const before = visitor.cookies.get(sessionCookie);
    await visitor.send(await visitor.open("/console"), "/console/log-out");
    const page = await visitor.open("/console/log-in");
    visitor.cookies.set(sessionCookie, before ?? "");
    const { username, password } = account;
    await visitor.send(page, "/console/log-in", { username, password });
    expect(visitor.cookies.get(sessionCookie)).not.toBe(before);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it("ends with a new password, wherever that was set", async () => {
    const owner = await createAccount();
    const visitor = await signIn(owner);
    const body = { old_password: owner.password, new_password: newPassword };
    expect(await call("/auth/change-password", { token: owner.token, body })).toMatchObject({ status: 200 });
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it("ends with its account", async () => {
    const owner = await createAccount();
    const visitor = await signIn(owner);
    const { password, token } = owner;
    expect(await call("/auth/me", { method: "DELETE", token, body: { password } })).toMatchObject({
      status: 204,
    });
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it("is nothing to the API", async () => {
    const visitor = await signIn(account);
    const Cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    expect(await call("/auth/me", { headers: { Cookie } })).toMatchObject({ status: 401 });
  });

  it.each(["", "7", "7.short", `7.${"A".repeat(43)}`, `999999999999.${"A".repeat(43)}`, "x".repeat(3_000)])(
    "is not made up: %.20s",
    async (secret) => {
      const visitor = new FormVisitor();
      visitor.cookies.set(sessionCookie, secret);
      const response = await visitor.ask("/console");
      expect(response).toMatchObject({ status: 303 });
      expect(response.headers.get("location")).toBe(`${prefix}/console/log-in`);
    },
  );
});

describe("A form", () => {
  const foreign = "https://elsewhere.example";

  it.each([
    ["of another site", { Origin: foreign, "Sec-Fetch-Site": "cross-site" }],
    ["of another site, as older browsers say", { Origin: foreign, "Sec-Fetch-Site": "same-origin" }],
    ["of a neighbour under the same domain", { "Sec-Fetch-Site": "same-site" }],
    ["without an origin", { Origin: "null", "Sec-Fetch-Site": "cross-site" }],
  ])("%s does nothing, with a right token even", async (_case, headers) => {
    const account = await createAccount();
    const visitor = await signIn(account);
    const form = formsOf(await visitor.open("/console")).find(({ action }) => action.endsWith("/log-out"));
    await visitor.ask("/console/log-out", { form: form?.fields ?? {}, headers });
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it("does nothing without its token, or with another person's", async () => {
    const account = await createAccount();
    const visitor = await signIn(account);
    const other = await signIn(await createAccount());
    const [theirs] = formsOf(await other.open("/console"));
    for (const form of [{}, { form_token: "" }, { form_token: "A".repeat(86) }, theirs?.fields ?? {}]) {
      await visitor.ask("/console/log-out", { form });
      expect(await isSignedIn(visitor)).toBe(true);
    }
  });

  it("of the login needs its token too, and is shown again with the input", async () => {
    const { username, password } = await createAccount();
    const visitor = new FormVisitor();
    const refused = await visitor.ask("/console/log-in", { form: { username, password } });
    expect(refused.status).toBe(403);
    expect(refused.html).toContain("This form was open for too long.");
    expect(refused.html).toContain(`value="${username}"`);
    expect(await visitor.send(refused, "/console/log-in", { password })).toMatchObject({
      status: 200,
      path: "/console",
    });
  });

  it("of a program is refused in JSON", async () => {
    const response = await call("/console/log-in", { body: { username: "amina", password: "seven storks" } });
    expect(response).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  });
});

describe("The way back after a login", () => {
  it.each([
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example",
    "/console/../../elsewhere",
    "/console\\..\\..//elsewhere.example",
    "/%2F/elsewhere.example",
    "javascript:alert(1)",
    "/auth/me",
    "/console/log-out",
    "/console/log-in?next=/console/log-in",
    `/console/${"x".repeat(3_000)}`,
  ])("never leads away: %.40s", async (next) => {
    const { username, password } = await createAccount();
    const visitor = new FormVisitor();
    const page = await visitor.open(`/console/log-in?${new URLSearchParams({ next })}`);
    const [form] = formsOf(page);
    const response = await visitor.ask("/console/log-in", { form: { ...form?.fields, username, password } });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`${prefix}/console`);
  });
});

describe("Every page", () => {
  const pages = [
    "/",
    "/console",
    "/console/log-in",
    "/console/sign-up",
    "/console/forgot-password",
    "/console/verify-email",
    "/console/connect",
    "/console/connect/link",
    "/reset-password",
  ];

  it("reachable from the first one is protected by its headers, has nothing inline, and leads to no other service path", async () => {
    const awaited = ["/console/playground"];
    const isPage = (path: string) =>
      /^\/(?:$|console|docs|reset-password)/.test(path) &&
      !path.includes("/assets/") &&
      !awaited.includes(path);
    for (const visitor of [await signIn(await createAccount()), new FormVisitor()]) {
      const found = new Set(pages);
      for (const path of found) {
        const page = await visitor.ask(path);
        expect([200, 303, 400], path).toContain(page.status);
        expectGuarded(page);
        const own = linksIn(page).filter((link) => link.startsWith("/"));
        expect(
          own.filter((link) => !link.startsWith(`${prefix}/`)),
          path,
        ).toEqual([]);
        for (const link of own.map((each) => each.slice(prefix.length)).filter(isPage)) found.add(link);
      }
      expect(found.size).toBeGreaterThan(pages.length + 10);
    }
  });

  it("that does not exist is protected as well", async () => {
    const visitor = new FormVisitor();
    for (const path of ["/console/nothing", "/docs/nothing"]) expectGuarded(await visitor.ask(path));
  });

  it("that belongs to an account, or has a form, is never cached", async () => {
    const visitor = await signIn(await createAccount());
    const stranger = new FormVisitor();
    for (const path of pages) {
      expect((await visitor.ask(path)).headers.get("cache-control"), path).toBe("no-store");
      const { headers } = await stranger.ask(path);
      expect(headers.get("cache-control"), path).toBe("no-store");
    }
  });

  it("loads files that may be cached for ever, without a login", async () => {
    const page = await new FormVisitor().open("/");
    const files = linksIn(page).filter((link) => link.includes("/assets/"));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const { status, headers } = await fetch(`${origin}${file}`);
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("content-type")).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect(await call("/console/assets/style.00000000.css")).toMatchObject({ status: 404 });
  });

  it("that does not exist, or does not accept the method, says so as a page, and in JSON to programs", async () => {
    const visitor = new FormVisitor();
    const lost = await visitor.ask("/console/nothing");
    expect(lost.status).toBe(404);
    expect(lost.html).toContain("<h1>Page not found</h1>");
    const outside = await visitor.ask("/nothing/at/all");
    expect(outside.status).toBe(404);
    expect(outside.headers.get("content-type")).toMatch(/^text\/html\b/);
    expect(outside.html).toContain("<h1>Page not found</h1>");
    expect(outside.html).toContain(`<a href="${baseUrl}/">`);
    const wrong = await visitor.ask("/console/languages", { form: {} });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    expect(wrong.html).toContain("<h1>This does not work here</h1>");
    for (const path of ["/console/nothing", "/nothing/at/all"]) {
      for (const Accept of ["*/*", "application/json", "application/json, text/html"]) {
        if (path === "/console/nothing" && Accept.endsWith("text/html")) continue;
        expect(await call(path, { headers: { Accept } })).toMatchObject({
          status: 404,
          body: { error: { code: "not_found" } },
        });
      }
    }
  });

  it("responds to HEAD without its body, and with a trailing slash", async () => {
    const head = await call("/console/log-in", { method: "HEAD", headers: { Accept: "text/html" } });
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(await new FormVisitor().ask("/console/log-in/")).toMatchObject({ status: 200 });
  });
});
