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

const paths = [
  "/docs",
  "/docs/translate",
  "/docs/createV1ChatCompletion",
  "/docs/legacyVendorSpeech",
  "/docs/guides",
  "/docs/guides/first-call",
  "/docs/guides/errors",
  "/docs/guides/from-v1",
];

describe("The pages of the documentation", () => {
  it.each(paths)("%s is whole without JavaScript, keeps to its policy and is light", async (path) => {
    const page = await new FormVisitor().open(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toBe(policy);
    expect(page.headers.get("cache-control")).toBe("public, max-age=300");
    expect(page.headers.get("vary")).toBe("Accept, Accept-Language, Accept-Encoding");
    expect(page.headers.getSetCookie()).toEqual([]);
    const known = { Accept: "text/html", "If-None-Match": page.headers.get("etag") ?? "" };
    expect((await fetch(`${baseUrl}${path}`, { headers: known })).status).toBe(304);
    expect(unbalanced(page.html)).toEqual([]);
    expect(page.html).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|javascript:/);
    expect(page.html.match(/<h1>/g)).toHaveLength(1);
    // One after the other: each at once would start a process of the function.
    const loaded = [];
    for (const each of [path, ...filesOf(page)]) loaded.push(await packedBytes(each));
    expect(filesOf(page).length).toBeGreaterThan(0);
    expect(loaded.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(maxFirstLoadBytes);
  });

  it("report a missing operation or guide as a page", async () => {
    const visitor = new FormVisitor();
    for (const path of [
      "/docs/nothing",
      "/docs/guides/nothing",
      "/docs/explorer",
      "/docs/explorer/5.0.0/swagger-ui.css",
    ]) {
      const page = await visitor.open(path);
      expect(page.status).toBe(404);
      expect(page.headers.get("content-security-policy")).toBe(policy);
      expect(page.html).toContain("<h1>");
    }
  });

  it("are found by a search without JavaScript", async () => {
    const visitor = new FormVisitor();
    const found = await visitor.open("/docs/search?q=unsupported_language");
    expect(found.status).toBe(200);
    expect(found.html).toContain(`href="${basePath}/docs/guides/errors"`);
    const others = await visitor.open(`/docs/search?q=${encodeURIComponent("<b>".repeat(200))}`);
    expect(others.status).toBe(200);
    expect(others.html).not.toContain("<b>");
    expect((await visitor.open("/docs")).html).toContain(`action="${basePath}/docs/search"`);
  });

  it("are Markdown as well", async () => {
    for (const [path, title] of [
      ["/docs/guides/keys.md", "# Authentication\n"],
      ["/docs/translate.md", "# Translate a text"],
    ] as const) {
      const { status, headers, body } = await call(path);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      expect(body).toMatch(new RegExp(`^${title}`));
      expect(body).not.toMatch(/\{\{|\]\(\//);
    }
    expect((await new FormVisitor().open("/docs/nothing.md")).status).toBe(404);
  });

  it("are listed for language models, and one text for them", async () => {
    const { headers, body } = await call("/llms.txt");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(body).toMatch(/^# Language AI Service\n\n> /);
    expect(body).toContain(`(${baseUrl}/docs/guides/first-call.md)`);
    const full = await call("/llms-full.txt");
    expect(full.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(full.body).toMatch(/^# Language AI Service\n\n> /);
    expect(full.body).toContain(`curl -s ${baseUrl}/tasks/translate`);
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
