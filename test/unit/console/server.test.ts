import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
  forgotPasswordPage,
  logInPage,
  resetPasswordPage,
  signUpPage,
} from "../../../functions/console/entry/pages.ts";
import type { StoredAccount } from "../../../shared/accounts/access/account.ts";
import { cookiesAt } from "../../../shared/pages/server/cookies.ts";
import { definePage } from "../../../shared/pages/server/define-page.ts";
import {
  comesFromHere,
  formTokenFor,
  isFormTokenOf,
  newFormSecret,
} from "../../../shared/pages/server/form-token.ts";
import { linksUnder, logInPath, readNext } from "../../../shared/pages/server/links.ts";
import type { PageContext } from "../../../shared/pages/server/open-visit.ts";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { pageEndpoints } from "../../../shared/pages/server/page-endpoints.ts";
import { createPageHandler } from "../../../shared/pages/server/page-handler.ts";
import { data, redirect, sentFile, shown } from "../../../shared/pages/server/responses.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { lambdaContext, lambdaEvent, type TestRequest } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { unlimited } from "../../support/unlimited.ts";
import { visit } from "./rendered.ts";

describe("The token of a form", () => {
  it("is another text each time, and is that of its secret alone", () => {
    const secret = newFormSecret();
    const tokens = [formTokenFor(secret), formTokenFor(secret)];
    expect(new Set(tokens).size).toBe(2);
    expect(tokens.map((token) => isFormTokenOf(token, secret))).toEqual([true, true]);
    expect(tokens.map((token) => isFormTokenOf(token, newFormSecret()))).toEqual([false, false]);
  });

  it.each([undefined, "", "A", "A".repeat(86), 7, ["x"], null])("is not made up: %s", (token) => {
    expect(isFormTokenOf(token, newFormSecret())).toBe(false);
  });
});

describe("Where a form comes from", () => {
  const base = "https://api.example.com/prod";
  it.each([
    [{ "sec-fetch-site": "same-origin", origin: "https://api.example.com" }, true],
    [{ "sec-fetch-site": "same-origin", origin: "null" }, true],
    [{ "sec-fetch-site": "none" }, true],
    [{ origin: "https://api.example.com" }, true],
    [{ origin: "http://localhost:3000", host: "localhost:3000" }, true],
    [{}, true],
    [{ "sec-fetch-site": "same-site", origin: "https://www.example.com" }, false],
    [{ "sec-fetch-site": "cross-site", origin: "null" }, false],
    [{ "sec-fetch-site": "same-origin", origin: "https://api.example.com.elsewhere.example" }, false],
    [{ origin: "null" }, false],
    [{ origin: "https://elsewhere.example", host: "api.example.com" }, false],
  ])("%j", (headers, isOurs) => {
    expect(comesFromHere(headers, base)).toBe(isOurs);
  });
});

describe("A service path", () => {
  it("has the common prefix, and no host", () => {
    expect(linksUnder("https://api.example.com/prod")("/console")).toBe("/prod/console");
    expect(linksUnder("http://127.0.0.1:3000")("/")).toBe("/");
  });

  it.each([
    ["/console", "/console"],
    ["/console/usage?month=2026-11&by=key", "/console/usage?month=2026-11&by=key"],
    ["/docs/translate#example", "/docs/translate"],
    ["/console/../docs", "/docs"],
  ])("may be the target after a login: %s", (next, path) => {
    expect(readNext(next)).toBe(path);
  });

  it("redirects to the login and back", () => {
    expect(logInPath("/console/usage?a=1")).toBe("/console/log-in?next=%2Fconsole%2Fusage%3Fa%3D1");
    expect(logInPath("/console")).toBe("/console/log-in");
  });
});

describe("A cookie", () => {
  it("reads and writes cookies that no neighbour can write", () => {
    const { nameOf, read, write } = cookiesAt("https://api.example.com/prod");
    expect(nameOf("session")).toBe("__Host-session");
    const header = "session=0; __Host-sessions=1; __Host-session=x=y; __Host-session=2; __Host-form=";
    expect([read(header, "session"), read(header, "form")]).toEqual(["x=y", ""]);
    expect([read(header, "language"), read(undefined, "session")]).toEqual([undefined, undefined]);
    expect(write("login", "v")).toBe("__Host-login=v; Path=/; Secure; HttpOnly; SameSite=Lax");
    expect(write("login", "", 0)).toContain("Max-Age=0");
  });

  it.each([
    "http://127.0.0.1:3000",
    "http://localhost:3000/prod",
    "http://[::1]:3000",
    "http://192.168.1.7:3000",
  ])("writes cookies that browsers take without TLS at %s", (baseUrl) => {
    const { read, write } = cookiesAt(baseUrl);
    expect(write("session", "v", 60)).toBe("console-session=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=60");
    expect(read("console-session=v", "session")).toBe("v");
  });

  it.each([
    "http://api.example.com",
    "http://127.0.0.1.example.com",
    "https://127.0.0.1",
    "http://localhosts",
  ])("keeps cookies to secure connections at %s", (baseUrl) => {
    expect(cookiesAt(baseUrl).write("session", "v")).toMatch(/^__Host-session=v; Path=\/; Secure;/);
  });
});

const account: StoredAccount = { ...visit.account, token_epoch: 3, email_verified: true };

const openPage = definePage({
  id: "open",
  path: "/docs/{name}",
  audience: "everybody",
  title: () => "Open",
  query: z.object({ page: z.coerce.number().int().max(9).optional() }),
  data: z.object({ name: z.string() }),
  cacheSeconds: 60,
});
const ownPage = definePage({
  id: "own",
  path: "/console/own",
  audience: "signed-in",
  title: () => "Own",
  form: z.object({ number: z.coerce.number().max(9), tags: z.unknown().optional() }),
});
const brokenPage = definePage({
  id: "broken",
  path: "/console/broken",
  audience: "everybody",
  title: () => "",
});
const filePage = definePage({ id: "table", path: "/console/table", audience: "everybody", title: () => "" });

const submit = vi.fn(async ({ form }: { readonly form: { readonly number: number } }) => {
  if (form.number === 8) throw new AppError("too_many_keys", { param: "number" });
  return form.number === 9 ? Promise.reject(new Error("Broken.")) : redirect("/console/own");
});

const pages: BoundPage[] = [
  page(openPage, {
    show: ({ path, wantsHtml, here, account: visitor }) =>
      wantsHtml
        ? shown({ content: `${here} ${visitor?.username ?? "nobody"}` })
        : data({ name: path["name"] ?? "", more: "kept back" }),
  }),
  page(ownPage, {
    show: ({ account: { username }, values, lists, problems }) =>
      shown({ content: JSON.stringify({ username, values, lists, problems }) }),
    submit,
  }),
  page(brokenPage, { show: () => Promise.reject(new AppError("service_unavailable")) }),
  page(filePage, {
    show: () => sentFile({ contentType: "text/csv", body: new TextEncoder().encode("a,b") }),
  }),
];

const session = { ...visit.session, tokenEpoch: 3 };
const find = vi.fn(async (): Promise<StoredAccount | undefined> => account);

const context: PageContext = {
  site: {
    baseUrl: "https://api.example.com/prod",
    origins: { storage: [], stream: [] },
    assets: [],
    languages: ["en", "sw"],
  },
  accounts: { find },
  sessions: {
    find: async (secret) => (secret === "7.secret" ? session : undefined),
    begin: () => Promise.reject(new Error("Nobody signs in.")),
    list: async () => [],
    end: async () => undefined,
    useForm: async () => true,
    releaseForm: async () => undefined,
  },
};

const ask = (request: TestRequest, given: PageContext = context) => {
  const handler = createPageHandler(pages, given, {
    limiter: unlimited,
    metricsNamespace: undefined,
  });
  return invokeStreaming(handler, lambdaEvent({ method: "GET", ...request }), lambdaContext());
};

const html = { Accept: "text/html" };
const signedIn = { ...html, Cookie: "__Host-session=7.secret" };
const sent = (fields: string) => ({
  method: "POST",
  path: "/console/own",
  headers: { ...signedIn, "Content-Type": "application/x-www-form-urlencoded" },
  body: `form_token=${formTokenFor("7.secret")}&${fields}`,
});
const unescaped = (text: string) => text.replaceAll("&quot;", '"');

beforeEach(() => {
  stubStreamingRuntime();
  submit.mockClear();
  find.mockClear();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("A page", () => {
  it("is found below a path that stands for many, with its parameters", async () => {
    const greedy = { path: "/docs/{proxy+}", pathParameters: { proxy: "a b/" }, query: { page: "2" } };
    const response = await ask({ ...greedy, headers: html });
    expect(response).toMatchObject({ status: 200, headers: { "Cache-Control": "no-store" } });
    expect(response.body).toContain("/docs/a%20b?page=2 nobody");
    expect(await ask({ ...greedy, headers: html, pathParameters: { proxy: "a/b" } })).toMatchObject({
      status: 404,
    });
  });

  it("of a function with sessions is never cached", async () => {
    const response = await ask({ path: "/docs/x", headers: signedIn });
    expect(response.headers["Cache-Control"]).toBe("no-store");
    expect(response.body).toContain("amina");
  });

  it("sends programs what its declaration says, and no more", async () => {
    const response = await ask({ path: "/docs/x" });
    expect(JSON.parse(response.body)).toEqual({ name: "x" });
  });

  it("is in the language that was chosen, and keeps the choice", async () => {
    const response = await ask({ path: "/docs/x", headers: html, query: { language: "sw" } });
    expect(response.body).toContain('<html lang="sw">');
    expect(response.cookies).toEqual([expect.stringContaining("__Host-language=sw;")]);
    expect(response.headers["Cache-Control"]).toBe("no-store");
    const headers = { ...html, Cookie: "__Host-language=sw" };
    expect((await ask({ path: "/docs/x", headers })).body).toContain('<html lang="sw">');
  });

  it("may be a file", async () => {
    expect(await ask({ path: "/console/table" })).toMatchObject({
      body: "a,b",
      headers: {
        "Content-Type": "text/csv",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      },
    });
  });

  it.each([
    ["was disabled", { ...account, disabled: true }],
    ["is being deleted", { ...account, deletion_began: "2026-11-20T10:00:00.000Z" }],
    ["has another password than at the login", { ...account, token_epoch: 4 }],
    ["is gone", undefined],
  ])("of an account redirects to the login when the account %s", async (_case, now) => {
    find.mockResolvedValueOnce(now);
    expect(await ask({ path: "/console/own", headers: signedIn, query: { a: "1" } })).toMatchObject({
      status: 303,
      headers: { Location: "/prod/console/log-in?next=%2Fconsole%2Fown%3Fa%3D1" },
    });
  });

  it("that is ambiguous is not served", () => {
    const [first] = pages;
    if (!first) throw new Error("There are pages.");
    expect(() => pageEndpoints([first, { ...first, page: { ...first.page, id: "other" } }], context)).toThrow(
      "Two pages of the console are called /docs/{name}.",
    );
    expect(() =>
      pageEndpoints([first, { ...first, page: { ...first.page, path: "/docs" } }], context),
    ).toThrow("Two pages of the console are called open.");
  });

  it("whose query is not as declared is an error page with the id of the request", async () => {
    const response = await ask({
      path: "/docs/x",
      headers: { ...html, "X-Request-Id": "id-7" },
      query: { page: "x" },
    });
    expect(response.status).toBe(422);
    expect(response.body).toContain("Include this ID if you contact us: id-7");
  });

  it("that may work later offers to open the same address again", async () => {
    const response = await ask({ path: "/console/broken", headers: html });
    expect(response.status).toBe(503);
    expect(response.body).toContain('<a class="button full" href>Try again</a>');
  });
});

describe("A page for everyone", () => {
  const { site } = context;
  const askSite = (request: TestRequest) => ask(request, { site });
  const cookie = `${signedIn.Cookie}; __Host-language=sw`;

  it("is the same with any cookies, may be cached, and sets none", async () => {
    const [first, second] = [
      await askSite({ path: "/docs/x", headers: html }),
      await askSite({ path: "/docs/x", headers: { ...html, Cookie: cookie } }),
    ];
    expect(second.body).toBe(first.body);
    expect(find).not.toHaveBeenCalled();
    for (const { cookies, headers } of [first, second]) {
      expect(cookies ?? []).toEqual([]);
      expect(headers).toMatchObject({
        "Cache-Control": "public, max-age=60",
        Vary: "Accept, Accept-Language, Accept-Encoding",
        ETag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      });
    }
    expect(second.headers["ETag"]).toBe(first.headers["ETag"]);
  });

  it("is not sent again to a cache that has it", async () => {
    const { headers } = await askSite({ path: "/docs/x", headers: html });
    const known = { ...html, "If-None-Match": `"other", ${headers["ETag"]}` };
    expect(await askSite({ path: "/docs/x", headers: known })).toMatchObject({
      status: 304,
      body: "",
      headers: { ETag: headers["ETag"], "Cache-Control": "public, max-age=60" },
    });
    expect(await askSite({ path: "/docs/y", headers: known })).toMatchObject({ status: 200 });
  });

  it("is in the language of its address, or of the browser, and carries it in its links", async () => {
    const chosen = await askSite({ path: "/docs/x", headers: html, query: { language: "sw" } });
    expect(chosen.body).toContain('<html lang="sw">');
    expect(chosen.cookies ?? []).toEqual([]);
    expect(chosen.headers["Cache-Control"]).toBe("public, max-age=60");
    for (const link of ["/prod/docs?language=sw", "/prod/console/log-in?language=sw", "/prod/openapi.json"])
      expect(chosen.body).toContain(`href="${link}"`);
    const headers = { ...html, "Accept-Language": "sw", Cookie: "__Host-language=en" };
    expect((await askSite({ path: "/docs/x", headers })).body).toContain('<html lang="sw">');
    const inConsole = (await ask({ path: "/console/own", headers: signedIn, query: { language: "sw" } }))
      .body;
    for (const link of ["/prod/docs?language=sw", "/prod/privacy?language=sw", "/prod/console/usage"])
      expect(inConsole).toContain(`href="${link}"`);
  });

  it("that is an error is not cached", async () => {
    expect((await askSite({ path: "/console/broken", headers: html })).headers["Cache-Control"]).toBe(
      "no-store",
    );
  });
});

describe("A form that was sent", () => {
  it("reaches its page when it is valid, with the address that limits are counted for", async () => {
    expect(await ask(sent("number=7"))).toMatchObject({
      status: 303,
      headers: { Location: "/prod/console/own", "Cache-Control": "no-store" },
    });
    const request = expect.objectContaining({ id: expect.any(String), sourceAddress: "203.0.113.7" });
    expect(submit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ request }));
  });

  it("is shown again with what was typed, but for passwords, and what is wrong", async () => {
    const response = await ask(sent("number=11&tags=a&tags=b&old_password=secret"));
    expect(response.status).toBe(422);
    expect(unescaped(response.body)).toContain(
      JSON.stringify({
        username: "amina",
        values: { number: "11", tags: "a" },
        lists: { number: ["11"], tags: ["a", "b"] },
        problems: { fields: { number: "Must be at most 9." } },
      }),
    );
    expect(submit).not.toHaveBeenCalled();
  });

  it("is shown again with the refused input, next to the named field", async () => {
    const response = await ask(sent("number=8"));
    expect(response.status).toBe(400);
    expect(unescaped(response.body)).toMatch(/"problems":\{"fields":\{"number":"[^"]+"\}\}/);
  });

  it("is reported as our own error when it is one", async () => {
    const response = await ask(sent("number=9"));
    expect(response.status).toBe(500);
    expect(response.body).toContain("Something went wrong on our side");
    expect(response.body).not.toContain("Broken.");
  });
});

describe("The forms of visitors without a session", () => {
  it("are limited by address as the API's own requests for passwords, links and accounts are", () => {
    const forms = [signUpPage, logInPage, forgotPasswordPage, resetPasswordPage];
    expect(forms.map(({ limit }) => limit?.sent)).toEqual(forms.map(() => "credentials"));
    expect(resetPasswordPage.limit?.shown).toBe("credentials");
  });
});
