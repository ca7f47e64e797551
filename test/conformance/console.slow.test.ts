import { beforeAll, describe, expect, inject, it } from "vitest";
import { cookiesAt } from "../../shared/pages/server/cookies.ts";
import {
  basePath,
  baseUrl,
  call,
  createAccount,
  newRegistration,
  sharedAccount,
  type TestAccount,
} from "../support/client.ts";
import { FormVisitor, formsOf, logInTo, signUp, termsOf } from "../support/form-visitor.ts";
import { expectGuarded, linksIn } from "../support/guarded-page.ts";
import { linkTo } from "../support/local-mails.ts";

const sessionCookie = cookiesAt(baseUrl).nameOf("session");

const newPassword = "nine cranes over the hill";

const signIn = async (account: Pick<TestAccount, "username" | "password">): Promise<FormVisitor> => {
  const { visitor, seen } = await logInTo(account);
  expect(seen).toMatchObject({ status: 200, path: "/console" });
  return visitor;
};

const isSignedIn = async (visitor: FormVisitor): Promise<boolean> =>
  (await visitor.ask("/console")).status === 200;

/** The path of the newest link mailed to a person, once it arrives. */
const linkMailedTo = async (email: string, path: string): Promise<string> => {
  await expect.poll(() => linkTo(email, path).catch(() => "")).not.toBe("");
  return `${path}?token=${await linkTo(email, path)}`;
};

describe("The console, without JavaScript", () => {
  it("says what this is at the first page, to people and to programs", async () => {
    const page = await new FormVisitor().open("/");
    expect(page).toMatchObject({ status: 200 });
    expect(page.html).toContain("<h1>Build in the languages Africa speaks</h1>");
    expect(linksIn(page)).toEqual(
      expect.arrayContaining(
        ["/console/sign-up", "/docs", "/console/playground"].map((path) => `${basePath}${path}`),
      ),
    );
    expect(await call("/")).toMatchObject({
      status: 200,
      body: { version: "2.1", documentation: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json` },
    });
  });

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
        linksIn(requested).includes(`${basePath}${enter}`) && enter !== "/console/log-in"
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
      const refused = await visitor.logIn({ username: name, password: "not the password" });
      expect(refused.status).toBe(422);
      expect(refused.html).toContain("Incorrect username or password.");
    }
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it("says how long to wait after too many wrong passwords, to people and to programs", async () => {
    const { username } = await createAccount();
    const visitor = new FormVisitor();
    const guess = () => visitor.logIn({ username, password: "a guess" });
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

describe.runIf(inject("isLocal"))("A link that verifies an address", () => {
  it("works for its account while that is logged in, and for no other account that is", async () => {
    const owner = await signUp();
    const link = await linkMailedTo(owner.email, "/auth/verify-email");
    const page = await owner.visitor.open(link);
    const verification = { action: "verify" };
    const [form] = formsOf(page).filter(({ fields }) => fields["action"] === "verify");

    const { visitor: other } = await signUp();
    const [own] = formsOf(await other.open(link)).filter(({ fields }) => fields["action"] === "disown");
    const tried = { ...form?.fields, form_token: own?.fields["form_token"] ?? "" };
    expect((await other.ask("/console/verify-email", { form: tried })).status).toBe(403);
    expect((await owner.visitor.open(link)).html).toContain("<h1>Verify your email address</h1>");

    const done = await owner.visitor.send(page, "/console/verify-email", verification);
    expect(done).toMatchObject({
      status: 200,
      html: expect.stringContaining("<h1>Email address verified</h1>"),
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
      expect(response.headers.get("location")).toBe(`${basePath}/console/log-in`);
    },
  );
});

describe("A form", () => {
  const foreign = "https://elsewhere.example";

  it.each([
    ["of another site, as older browsers say", { Origin: foreign, "Sec-Fetch-Site": "same-origin" }],
    ["of a neighbour under the same domain", { "Sec-Fetch-Site": "same-site" }],
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
  it.each(["https://elsewhere.example/", "/\\elsewhere.example", "/auth/me"])(
    "never leads away: %s",
    async (next) => {
      const { username, password } = await sharedAccount();
      const visitor = new FormVisitor();
      const [form] = formsOf(await visitor.open(`/console/log-in?${new URLSearchParams({ next })}`));
      const response = await visitor.ask("/console/log-in", {
        form: { ...form?.fields, username, password },
      });
      expect(response.status).toBe(303);
      expect(response.headers.get("location")).toBe(`${basePath}/console`);
    },
  );
});
