import { beforeAll, describe, expect, inject, it } from "vitest";
import { operations } from "../../functions/manifest.ts";
import { basePath, baseUrl, call, createAccount, sharedAccount } from "../support/client.ts";
import { FormVisitor, logInTo, type SeenPage } from "../support/form-visitor.ts";
import { expectGuarded, linksIn } from "../support/guarded-page.ts";
import { mailsTo } from "../support/local-mails.ts";
import { retiredWordsIn, retiredWordsInPage } from "../support/retired-words.ts";

const { origin } = new URL(baseUrl);

/** Pages with forms, or of an account. */
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

const isPage = (path: string): boolean =>
  /^\/(?:$|console|docs|reset-password)/.test(path) && !/\/assets\/|\/file$|\/transcript$/.test(path);

/** The pages that links lead to from the first ones. */
const crawl = async (visitor: FormVisitor, isMeant: (path: string) => boolean): Promise<SeenPage[]> => {
  const found = new Set(pages);
  const seen: SeenPage[] = [];
  for (const path of found) {
    const page = await visitor.ask(path);
    seen.push(page);
    for (const link of linksIn(page).filter((each) => each.startsWith(`${basePath}/`))) {
      const target = link.slice(basePath.length);
      if (isPage(target) && isMeant(target)) found.add(target);
    }
  }
  return seen;
};

describe.each([
  ["a stranger", async () => new FormVisitor(), () => true],
  // The documentation is the same for all readers.
  [
    "an account",
    async () => (await logInTo(await sharedAccount())).visitor,
    (path: string) => !path.startsWith("/docs/"),
  ],
] as const)("Every page that %s can reach", (_who, newVisitor, isMeant) => {
  let seen: SeenPage[];
  beforeAll(async () => {
    seen = await crawl(await newVisitor(), isMeant);
  }, 120_000);

  it("exists", () => {
    expect(seen.length).toBeGreaterThan(pages.length + 8);
    for (const { status, path } of seen) expect([200, 303, 400], path).toContain(status);
  });

  it("is protected by its headers and has nothing inline", () => {
    for (const page of seen) expectGuarded(page);
  });

  it("leads to no other path of the host", () => {
    const links = seen.flatMap(linksIn).filter((link) => link.startsWith("/"));
    expect(links.filter((link) => !link.startsWith(`${basePath}/`))).toEqual([]);
  });

  it("has the notices, the quality and the status at its foot", () => {
    for (const { html, status, headers, path } of seen) {
      if (status === 303 || !headers.get("content-type")?.startsWith("text/html")) continue;
      const foot = /<footer.*<\/footer>/s.exec(html)?.[0] ?? "";
      for (const target of ["privacy", "terms", "quality", "status"])
        expect(foot, path).toContain(`href="${basePath}/${target}"`);
    }
  });

  it("has no word that the naming page retires", () => {
    expect(
      seen.flatMap(({ html, path }) => retiredWordsInPage(html).map((word) => `${path}: ${word}`)),
    ).toEqual([]);
  });
});

describe("A retired word", () => {
  it("is not next to a field with a wrong value, or on the page of an error", async () => {
    const visitor = new FormVisitor();
    const form = await visitor.open("/console/sign-up");
    const wrong = await visitor.send(form, "/console/sign-up", { username: "a", email: "b", password: "c" });
    expect(wrong.html).toContain("aria-invalid");
    const missing = await visitor.open("/console/nothing");
    expect(missing.status).toBe(404);
    expect([wrong, missing].flatMap(({ html }) => retiredWordsInPage(html))).toEqual([]);
  });

  it.runIf(inject("isLocal"))("is not in a mail", async () => {
    const { email } = await createAccount();
    await call("/auth/forgot-password", { body: { email } });
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(2);
    expect(mails.flatMap(({ subject, text }) => [subject, text]).flatMap(retiredWordsIn)).toEqual([]);
  });
});

describe("The documentation", () => {
  it("has a page of every operation", async () => {
    const links = linksIn(await new FormVisitor().open("/docs"));
    const missing = operations.filter(({ id }) => !links.includes(`${basePath}/docs/${id}`));
    expect(missing.map(({ id }) => id)).toEqual([]);
  });
});

describe("A page", () => {
  it("that does not exist is protected as well", async () => {
    const visitor = new FormVisitor();
    for (const path of ["/console/nothing", "/docs/nothing"]) expectGuarded(await visitor.ask(path));
  });

  it("that belongs to an account, or has a form, is never cached", async () => {
    const visitor = (await logInTo(await sharedAccount())).visitor;
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
    const problem = 'class="card outcome bad"';
    expect([lost, wrong].map(({ html }) => html.includes(problem))).toEqual([false, true]);
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
