import { describe, expect, inject, it } from "vitest";
import { basePath, baseUrl, call, sharedAccount } from "../support/client.ts";
import { FormVisitor, logInTo } from "../support/form-visitor.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

// What every page has, `test/unit/console/site-pages.test.ts` checks; these are sent over a network.
const paths = ["/docs", "/docs/guides/from-v1"];

describe("The pages of the documentation", () => {
  it.each(paths)("%s is sent with its policy, and cached", async (path) => {
    const page = await new FormVisitor().open(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toBe(policy);
    expect(page.headers.get("cache-control")).toBe("public, max-age=300");
    expect(page.headers.get("vary")).toBe("Accept, Accept-Language, Accept-Encoding");
    expect(page.headers.getSetCookie()).toEqual([]);
    const known = { Accept: "text/html", "If-None-Match": page.headers.get("etag") ?? "" };
    expect((await fetch(`${baseUrl}${path}`, { headers: known })).status).toBe(304);
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
