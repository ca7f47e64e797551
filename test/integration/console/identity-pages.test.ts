import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { identityPages } from "../../../functions/console/identity/identity-pages.tsx";
import { createOpenIdProvider } from "../../../functions/console/identity/open-id-provider.ts";
import {
  createLogInAttempts,
  createUnconfirmedLogIns,
  createUnprovedLogIns,
} from "../../../functions/console/log-in/log-in-attempts.ts";
import { accountKeys } from "../../../shared/accounts/access/keys.ts";
import { createSigningKeySource } from "../../../shared/accounts/access/tokens.ts";
import {
  type AccountsRepository,
  createAccountsRepository,
} from "../../../shared/accounts/repositories/accounts-repository.ts";
import {
  newRecoveryCodes,
  recoveryCodeDigest,
} from "../../../shared/accounts/second-factor/recovery-codes.ts";
import { hashPassword } from "../../../shared/accounts/sign-in/passwords.ts";
import { cookiesAt } from "../../../shared/pages/server/cookies.ts";
import { formTokenFor } from "../../../shared/pages/server/form-token.ts";
import { createPageHandler } from "../../../shared/pages/server/page-handler.ts";
import {
  createSessionsRepository,
  type SessionStart,
  withPassword,
} from "../../../shared/pages/sessions/sessions-repository.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { accountRepositories } from "../../../shared/wiring/accounts-from-environment.ts";
import { signInAtProvider, startTestProvider, type TestProvider } from "../../support/identity-provider.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, type StreamedResponse, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { secondFactorsOver } from "../../support/second-factor.ts";
import { startTestTable, type TestTable } from "../../support/test-table.ts";
import { unlimited } from "../../support/unlimited.ts";

const baseUrl = "http://127.0.0.1:9/prod";
const { nameOf } = cookiesAt(baseUrl);

let table: TestTable;
let at: TestProvider;
let accounts: AccountsRepository;
beforeAll(async () => {
  table = await startTestTable();
  accounts = createAccountsRepository(table.open());
  at = await startTestProvider("a", `${baseUrl}/console/log-in/a/callback`);
});
afterAll(() => Promise.all([table.close(), at.close()]));
beforeEach(() => {
  stubStreamingRuntime();
  vi.spyOn(logger, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  at.misbehave({});
});

/** The function, newly started. */
const startConsole = () => {
  const opened = table.open();
  const keys = createSigningKeySource(async () => "a secret of tests that is long enough to sign with");
  const provider = createOpenIdProvider({
    provider: at.settings,
    clientSecret: async () => at.clientSecret,
    redirectUri: at.redirectUri,
    seconds: 0.3,
  });
  return createPageHandler(
    identityPages({
      ...accountRepositories(opened),
      secondFactors: secondFactorsOver(opened),
      baseUrl,
      mailQueue: { send: async () => undefined },
      openIdProviders: [provider],
      logInAttempts: createLogInAttempts(keys),
      unprovedLogIns: createUnprovedLogIns(keys),
      unconfirmedLogIns: createUnconfirmedLogIns(keys),
    }),
    {
      site: { baseUrl, origins: { storage: [], stream: [] }, assets: [], languages: ["en"] },
      accounts,
      sessions: createSessionsRepository(opened),
    },
    { limiter: unlimited, metricsNamespace: undefined },
  );
};

/** A person with a browser who uses the function. */
const visit = (handler = startConsole()) => {
  const cookies = new Map<string, string>();
  const ask = async (
    path: string,
    query: Readonly<Record<string, string>> = {},
    others: { readonly form?: string; readonly host?: string } = {},
  ): Promise<StreamedResponse> => {
    const response = await invokeStreaming(
      handler,
      lambdaEvent({
        method: others.form === undefined ? "GET" : "POST",
        path: "/console/{proxy+}",
        pathParameters: { proxy: path.slice("/console/".length) },
        query,
        headers: {
          Accept: "text/html",
          Host: others.host ?? "127.0.0.1:9",
          Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
          ...(others.form === undefined ? {} : { "Content-Type": "application/x-www-form-urlencoded" }),
        },
        ...(others.form === undefined ? {} : { body: others.form }),
      }),
      lambdaContext(),
    );
    for (const line of response.cookies ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const goThrough = async (address: string, login: string) =>
    ask(
      "/console/log-in/a/callback",
      Object.fromEntries((await signInAtProvider(address, { login })).searchParams),
    );
  return {
    ask,
    cookies,
    goThrough,
    logIn: async (login: string, query?: Readonly<Record<string, string>>) => {
      const { headers } = await ask("/console/log-in/a", query);
      return goThrough(headers["Location"] ?? "", login);
    },
    /** Signs in without the provider. */
    signIn: async (userId: number, start: SessionStart = withPassword) => {
      const owner = { userId, tokenEpoch: 0 };
      const { secret } = await createSessionsRepository(table.open()).begin(owner, start, undefined);
      cookies.set(nameOf("session"), secret);
    },
    /** Asks to add the provider. @returns where the page leads. */
    join: async (typed = password) => {
      const session = cookies.get(nameOf("session")) ?? "";
      const response = await ask(
        "/console/account/identities/a",
        {},
        { form: new URLSearchParams({ form_token: formTokenFor(session), password: typed }).toString() },
      );
      return (
        /<a class="button full" href="([^"]+)"/.exec(response.body)?.[1]?.replaceAll("&amp;", "&") ??
        response.body
      );
    },
  };
};

const password = "seven storks by the lake";
const hashed = hashPassword(password);

let people = 0;
const newAccount = async (email = `person-${people}@example.com`) => {
  people += 1;
  const fields = { username: `person-${people}`, email, organization: "Unknown" };
  return (await accounts.create({ ...fields, password_hash: await hashed })).id;
};

describe("A provider that does not work", () => {
  it.each([
    ["fails", { fail: { path: /openid-configuration/, status: 500 } }],
    ["is silent", { hang: /openid-configuration/ }],
  ])("is a page with a message and the way back, and works again later: it %s", async (_case, how) => {
    const { ask } = visit();
    at.misbehave(how);
    const response = await ask("/console/log-in/a", { next: "/console/usage" });
    expect(response.status).toBe(503);
    expect(response.body).toContain("Provider a is not responding as it should.");
    expect(response.body).toContain('href="/prod/console/log-in?next=%2Fconsole%2Fusage"');
    expect(response.body).not.toMatch(/\bat \w+ \(|Error:/);
    at.misbehave({});
    expect(await ask("/console/log-in/a")).toMatchObject({ status: 303 });
  });

  it.each([
    ["fails", { fail: { path: /^\/token/, status: 500 } }, 503],
    ["is silent", { hang: /^\/token/ }, 503],
    ["signs with an unknown key", { changeIdToken: (token: string) => `${token.slice(0, -8)}AAAAAAAA` }, 502],
  ])("logs no one in when it %s at the end", async (_case, how, status) => {
    const { ask, goThrough, cookies } = visit();
    const { headers } = await ask("/console/log-in/a");
    at.misbehave(how);
    const response = await goThrough(headers["Location"] ?? "", "nambi");
    expect(response.status).toBe(status);
    expect(response.body).toContain('href="/prod/console/log-in"');
    expect(response.body).not.toMatch(/\bat \w+ \(|Error:/);
    expect(cookies.has(nameOf("session"))).toBe(false);
  });
});

describe("A login through a provider", () => {
  it("is stored in the browser for ten minutes, inaccessible to scripts and other sites", async () => {
    const { cookies = [] } = await visit().ask("/console/log-in/a");
    expect(cookies).toEqual([
      expect.stringMatching(/^console-login=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ]);
  });

  it("ends in a session, and is forgotten by the browser", async () => {
    const { logIn, cookies } = visit();
    const response = await logIn("nambi", { next: "/console/usage?from=2026-11-01" });
    expect(response).toMatchObject({
      status: 303,
      headers: { Location: "/prod/console/usage?from=2026-11-01" },
    });
    expect([...cookies.keys()]).toEqual([nameOf("session")]);
  });

  it("does not get into a disabled account", async () => {
    const id = (await accounts.find({ email: "nambi.grace@example.com" }))?.id ?? 0;
    await accounts.setDisabled(id, true);
    const { logIn, cookies } = visit();
    const response = await logIn("nambi");
    await accounts.setDisabled(id, false);
    expect(response).toMatchObject({
      status: 403,
      body: expect.stringContaining("This account is disabled"),
    });
    expect(cookies.has(nameOf("session"))).toBe(false);
  });

  it("continues what another instance of the function has started", async () => {
    const { ask, cookies } = visit();
    const { headers } = await ask("/console/log-in/a");
    const other = visit();
    for (const [name, value] of cookies) other.cookies.set(name, value);
    expect(await other.goThrough(headers["Location"] ?? "", "nambi")).toMatchObject({ status: 303 });
  });

  it("begins at the address that the provider knows, for who has called this machine localhost", async () => {
    const response = await visit().ask("/console/log-in/a", { next: "/docs" }, { host: "localhost:9" });
    expect(response).toMatchObject({
      status: 303,
      headers: { Location: "http://127.0.0.1:9/prod/console/log-in/a?next=%2Fdocs" },
    });
  });

  it("does not exist for a provider that the stage does not have", async () => {
    expect(await visit().ask("/console/log-in/b")).toMatchObject({ status: 404 });
    expect(await visit().ask("/console/log-in/b/callback")).toMatchObject({ status: 404 });
  });
});

describe("A provider that is added to an account", () => {
  it("logs in to it from then on", async () => {
    const id = await newAccount();
    const person = visit();
    await person.signIn(id);
    const response = await person.goThrough(await person.join(), "okello");
    expect(response.headers["Location"]).toBe("/prod/console/account?joined=a");
    expect(await accountRepositories(table.open()).identities.list(id)).toMatchObject([
      { issuer: at.settings.issuer, email: "okello.james@example.com" },
    ]);
  });

  it("is not taken from another account", async () => {
    const person = visit();
    await person.signIn(await newAccount());
    const response = await person.goThrough(await person.join(), "nambi");
    expect(response).toMatchObject({
      status: 409,
      body: expect.stringContaining("belongs to another account here"),
    });
  });

  it.each(["with nobody signed in", "as somebody else"])(
    "is not added when the response comes %s",
    async (who) => {
      const id = await newAccount();
      const person = visit();
      await person.signIn(id);
      const address = await person.join();
      if (who === "as somebody else") await person.signIn(await newAccount());
      else person.cookies.delete(nameOf("session"));
      expect(await person.goThrough(address, "okello")).toMatchObject({ status: 400 });
      expect(await accountRepositories(table.open()).identities.list(id)).toEqual([]);
    },
  );

  it("is added by our own form only: a link does nothing", async () => {
    const person = visit();
    await person.signIn(await newAccount());
    const away = await person.ask("/console/log-in/a");
    expect(away).toMatchObject({ status: 303, headers: { Location: "/prod/console" } });
    const page = await person.ask("/console/account/identities/a");
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining("Current password") });
    expect(page.body).not.toContain(at.settings.issuer);
    const forged = await person.ask("/console/account/identities/a", {}, { form: "form_token=x" });
    expect(forged.body).not.toContain(at.settings.issuer);
    expect(person.cookies.has(nameOf("login"))).toBe(false);
  });

  it("needs the password", async () => {
    const id = await newAccount();
    const person = visit();
    await person.signIn(id);
    for (const typed of ["", "nine cranes over the hill"]) {
      expect(await person.join(typed)).not.toMatch(/^http/);
      expect(person.cookies.has(nameOf("login"))).toBe(false);
    }
  });
});

describe("A mailed link that adds a login", () => {
  it("needs a code as well where the account has a second factor", async () => {
    const id = await newAccount();
    const [code = ""] = newRecoveryCodes();
    const factor = {
      secret: "sealed",
      since: "2026-11-24",
      last_step: 0,
      codes: { [recoveryCodeDigest(code)]: true },
    };
    await table.open().update({
      Key: accountKeys.profile(id),
      UpdateExpression: "SET second_factor = :factor",
      ExpressionAttributeValues: { ":factor": factor },
    });
    const { links, identities } = accountRepositories(table.open());
    const identity = { issuer: at.settings.issuer, subject: `thief-${id}` };
    const connects = { provider: "Provider a", identity };
    const token = await links.create({ userId: id, tokenEpoch: 0 }, "connect-identity", connects);
    const reader = visit();
    const page = await reader.ask("/console/connect/link", { token });
    expect(page.body).toContain("<h1>Add Provider a</h1>");
    expect(page.body).toMatch(/Someone logged in at Provider a as \S+@example\.com\. /);
    expect(page.body).toContain('autocomplete="one-time-code"');
    const send = async (typed: Readonly<Record<string, string>>) => {
      const form_token = /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? "";
      const form = new URLSearchParams({ form_token, token, ...typed }).toString();
      return (await reader.ask("/console/connect/link", {}, { form })).status;
    };
    expect([await send({}), await send({ code: "aaaa-bbbb-cccc-dddd" })]).toEqual([422, 422]);
    expect(await identities.list(id)).toEqual([]);
    expect(await send({ code })).toBe(303);
    expect(await identities.list(id)).toMatchObject([{ issuer: at.settings.issuer }]);
  });
});

describe("A login that confirms an act", () => {
  /** A browser in an account that has no password. */
  const enterNambi = async () => {
    const person = visit();
    await person.logIn("nambi");
    return person;
  };
  const again = async (person: ReturnType<typeof visit>, login: string, isRequested = true) => {
    const { headers } = await person.ask("/console/log-in/a", { fresh: "yes", next: "/console/tokens" });
    const address = new URL(headers["Location"] ?? "");
    if (!isRequested) address.searchParams.delete("max_age");
    return person.goThrough(address.href, login);
  };
  const startedAt = async (secret: string) =>
    (await createSessionsRepository(table.open()).find(secret))?.start.provedAt;

  it("requests a new login at the provider, and the browser has another session that says when it was", async () => {
    const person = await enterNambi();
    const before = person.cookies.get(nameOf("session")) ?? "";
    const { headers } = await person.ask("/console/log-in/a", { fresh: "yes", next: "/console/tokens" });
    expect(new URL(headers["Location"] ?? "").searchParams.get("max_age")).toBe("0");
    const back = await person.goThrough(headers["Location"] ?? "", "nambi");
    expect(back).toMatchObject({ status: 303, headers: { Location: "/prod/console/tokens" } });
    const after = person.cookies.get(nameOf("session")) ?? "";
    expect(after).not.toBe(before);
    expect(await createSessionsRepository(table.open()).find(before)).toBeUndefined();
    expect(Math.abs(((await startedAt(after)) ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  });

  it("confirms nothing as another person there, nor when the provider does not say when it was", async () => {
    const person = await enterNambi();
    const session = person.cookies.get(nameOf("session")) ?? "";
    expect(await again(person, "okello")).toMatchObject({
      status: 403,
      body: expect.stringContaining("is not one that opens your account here"),
    });
    // A provider may ignore the question, and the person at the browser may remove it.
    expect(await again(person, "nambi", false)).toMatchObject({
      status: 502,
      body: expect.stringContaining("did not say when you logged in there"),
    });
    expect(person.cookies.get(nameOf("session"))).toBe(session);
    expect(await startedAt(session)).toBeUndefined();
  });

  it("is not one without that question: the provider may not have asked the person", async () => {
    const person = await enterNambi();
    expect(await startedAt(person.cookies.get(nameOf("session")) ?? "")).toBeUndefined();
  });
});
