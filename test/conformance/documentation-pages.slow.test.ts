import { gzipSync } from "node:zlib";
import { describe, expect, inject, it } from "vitest";
import { basePath, baseUrl, call, sharedAccount } from "../support/client.ts";
import { FormVisitor, logInTo, type SeenPage } from "../support/form-visitor.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** In bytes, packed: what a page and all that it loads may have. */
const maxFirstLoadBytes = 60 * 1_024;

const withoutContent = new Set(["meta", "link", "br", "input", "img", "hr"]);

/** Tags that are closed in another order than they were opened in, or not at all. */
const unbalanced = (html: string): string[] => {
  const open: string[] = [];
  for (const [tag, closing, name = "", selfClosing] of html.matchAll(
    /<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/gi,
  )) {
    if (closing) {
      if (open.pop() !== name) return [tag];
    } else if (!selfClosing && !withoutContent.has(name)) open.push(name);
  }
  return open;
};

const filesOf = ({ html }: SeenPage): string[] =>
  Array.from(html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g), ([, file = ""]) =>
    file.slice(basePath.length),
  );

const packedBytes = async (path: string): Promise<number> => {
  const { body, headers } = await call(path, {
    headers: { Accept: "text/html, */*", "Accept-Encoding": "gzip" },
  });
  expect(headers.get("content-encoding")).toBe(body.length > 1_024 ? "gzip" : null);
  return gzipSync(body).length;
};

// What every page has, `test/unit/console/site-pages.test.ts` checks; these are sent over a network.
const paths = ["/docs", "/docs/guides/from-v1"];

describe("The pages of the documentation", () => {
  it.each(paths)("%s is sent with its policy, is cached and light", async (path) => {
    const page = await new FormVisitor().open(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toBe(policy);
    expect(page.headers.get("cache-control")).toBe("public, max-age=300");
    expect(page.headers.get("vary")).toBe("Accept, Accept-Language, Accept-Encoding");
    expect(page.headers.getSetCookie()).toEqual([]);
    const known = { Accept: "text/html", "If-None-Match": page.headers.get("etag") ?? "" };
    expect((await fetch(`${baseUrl}${path}`, { headers: known })).status).toBe(304);
    // One after the other: each at once would start a process of the function.
    const loaded = [];
    for (const each of [path, ...filesOf(page)]) loaded.push(await packedBytes(each));
    expect(filesOf(page).length).toBeGreaterThan(0);
    expect(loaded.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(maxFirstLoadBytes);
  });

  it("issue a token for the form of an operation only to people who are logged in", async () => {
    const { status } = await call("/docs/token", { method: "POST", body: {} });
    expect(status).toBe(401);
    expect((await call("/console/session")).body).toEqual({ username: null, form_token: null });
    const account = await sharedAccount();
    const { visitor } = await logInTo(account);
    const session = await visitor.ask("/console/session", { headers: { Accept: "application/json" } });
    expect(session.headers.get("cache-control")).toBe("no-store");
    const { username, form_token } = JSON.parse(session.html);
    expect(username).toBe(account.username);
    const token = await visitor.ask("/docs/token", { form: { form_token } });
    expect(JSON.parse(token.html)).toMatchObject({ expires_in: 900 });
  });
});

describe.runIf(inject("isLocal"))("The pages of this machine", () => {
  it("list what there is, to people and to programs", async () => {
    const page = await new FormVisitor().open("/_local");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'/,
    );
    expect(unbalanced(page.html.replaceAll(/<!doctype html>|<style>[\s\S]*<\/style>/g, ""))).toEqual([]);
    for (const path of ["/docs", "/_local/mail", "/_local/messages"])
      expect(page.html).toContain(`href="${basePath}${path}"`);
    const { body } = await call("/_local");
    expect(body.places).toContainEqual(expect.objectContaining({ target: `${basePath}/_local/mail` }));
  });

  it("show mails with their links as links", async () => {
    const visitor = new FormVisitor();
    const { body } = await call("/auth/register", {
      body: {
        username: "local-pages",
        email: "local-pages@example.com",
        password: "seven storks by the lake",
      },
    });
    expect(body.username ?? body.error.code).toMatch(/local-pages|username_taken/);
    await expect
      .poll(async () => (await visitor.open("/_local/mail")).html, { timeout: 20_000 })
      .toMatch(/local-pages@example\.com[\s\S]*<a href="http[^"]*verify-email\?token=/);
    expect((await visitor.open("/_local/messages")).html).toContain("<h1>Messages</h1>");
  });
});
