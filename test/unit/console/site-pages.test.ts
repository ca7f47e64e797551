import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { operations } from "../../../functions/manifest.ts";
import { guidePath, operationPath } from "../../../functions/site/docs/contents.ts";
import { guides } from "../../../functions/site/docs/guides/built-guides.ts";
import { notices } from "../../../functions/site/notices/built-notices.ts";
import { noticesOf } from "../../../functions/site/notices/notice.ts";
import { sitePages } from "../../../functions/site/site-pages.ts";
import { createPageHandler } from "../../../shared/pages/server/page-handler.ts";
import { consoleLanguages } from "../../../shared/pages/texts/languages.ts";
import { defaultVendors } from "../../../shared/platform/config/vendors.ts";
import { retentionTable } from "../../../shared/wiring/retention.ts";
import { storedKinds } from "../../../shared/wiring/stored-kinds.ts";
import { expectGuarded } from "../../support/guarded-page.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { retiredWordsInPage } from "../../support/retired-words.ts";
import { unlimited } from "../../support/unlimited.ts";

const baseUrl = "https://api.example.com/prod";

let handler: ReturnType<typeof createPageHandler>;
beforeAll(() => {
  stubStreamingRuntime();
  const pages = sitePages({
    ...{ baseUrl, assets: [], vendors: defaultVendors, region: "eu-west-1", contactEmail: "ask@example.com" },
    notices: noticesOf("prod", notices),
    evaluation: undefined,
    retention: retentionTable(storedKinds, { SPEECH_LIFETIME_DAYS: 30, LOG_RETENTION_DAYS: 90 }),
    statusLog: { read: async () => ({ latest: undefined, days: new Map() }) },
    statusPageUrl: undefined,
  });
  const site = { baseUrl, origins: { storage: [], stream: [] }, assets: [], languages: consoleLanguages };
  handler = createPageHandler(pages, { site }, { limiter: unlimited, metricsNamespace: undefined });
});
afterAll(() => vi.unstubAllGlobals());

/** Requests a page as a browser, or with other headers. */
const ask = async (address: string, own: Record<string, string> = {}) => {
  const { pathname: path, searchParams } = new URL(address, baseUrl);
  const headers = { Accept: "text/html", ...own };
  const request = { method: "GET", path, headers, query: Object.fromEntries(searchParams) };
  const sent = await invokeStreaming(handler, lambdaEvent(request), lambdaContext());
  return { ...sent, path, html: sent.body, headers: new Headers(sent.headers) };
};

const withoutContent = new Set(["meta", "link", "br", "input", "img", "hr"]);

/** Tags that are closed in another order than they were opened in, or not at all. */
const unbalanced = (html: string): string[] => {
  const open: string[] = [];
  const tags = html.replaceAll(/<svg[\s\S]*?<\/svg>/g, "").matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*?(\/?)>/gi);
  for (const [tag, closing, name = "", selfClosing] of tags) {
    if (closing) {
      if (open.pop() !== name) return [tag];
    } else if (!selfClosing && !withoutContent.has(name)) open.push(name);
  }
  return open;
};

const paths = [
  ...["/docs", "/docs/guides", "/docs/search?q=voice", "/docs/search?q=zzzzqqqq"],
  ...[
    "/console/languages",
    "/console/languages?task=speak&q=lu",
    "/quality",
    "/status",
    "/privacy",
    "/terms",
  ],
  ...guides.map(({ name }) => guidePath(name)),
  ...operations.map(({ id }) => operationPath(id)),
];

describe("A page for everyone", () => {
  it.each(paths)(
    "%s is whole without JavaScript, keeps to its policy, and may be cached by its tag",
    async (path) => {
      const page = await ask(path, { Cookie: "__Host-session=7.secret; __Host-language=sw" });
      expect(page.status).toBe(200);
      expectGuarded(page);
      expect(page.headers.get("cache-control")).toMatch(/^public, max-age=(?:60|300)$/);
      expect(page.headers.get("vary")).toBe("Accept, Accept-Language, Accept-Encoding");
      expect(page.cookies ?? []).toEqual([]);
      expect(unbalanced(page.html)).toEqual([]);
      expect(page.html.match(/<h1\b/g)).toHaveLength(1);
      expect(page.html).toContain('<html lang="en"');
      expect(page.html).not.toMatch(/\{\{|>undefined<|data-path="[^"]*\?/);
      expect(retiredWordsInPage(page.html)).toEqual([]);
      const again = await ask(path, { "If-None-Match": page.headers.get("etag") ?? "" });
      expect([again.status, again.body]).toEqual([304, ""]);
    },
  );

  it.each(consoleLanguages)(
    "is in the language of its address, as in %s, and so are its links",
    async (language) => {
      const { html } = await ask(`/console/languages?language=${language}`, { "Accept-Language": "en" });
      expect(html).toContain(`<html lang="${language}"`);
      expect(html).toContain(`href="/prod/docs?language=${language}"`);
    },
  );

  it.each(["/docs/nothing", "/docs/guides/nothing", "/docs/nothing.md", "/docs/explorer/swagger-ui.css"])(
    "that is missing, such as %s, is reported as a page that is not cached",
    async (path) => {
      const page = await ask(path);
      expect(page.status).toBe(404);
      expectGuarded(page);
      expect(page.headers.get("cache-control")).toBe("no-store");
      expect(page.html).toContain("<h1>");
    },
  );

  it("is found by a search without JavaScript, which repeats no markup", async () => {
    const found = await ask("/docs/search?q=unsupported_language");
    expect(found.html).toContain('href="/prod/docs/guides/errors');
    const { status, html } = await ask(`/docs/search?q=${encodeURIComponent("<b>".repeat(200))}`);
    expect(status).toBe(200);
    expect(html).not.toContain("<b>");
  });

  it.each([
    ["/docs/guides/keys.md", "# Authentication\n"],
    ["/docs/translate.md", "# Translate a text"],
  ])("is Markdown as well: %s", async (path, title) => {
    const { status, headers, body } = await ask(path, { Accept: "*/*" });
    expect([status, headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(body.startsWith(title)).toBe(true);
    expect(body).not.toMatch(/\{\{|\]\(\//);
  });

  it.each([
    ["/llms.txt", `(${baseUrl}/docs/guides/first-call.md)`],
    ["/llms-full.txt", `curl -s ${baseUrl}/tasks/translate`],
  ])("is in a text for language models: %s", async (path, part) => {
    const { headers, body } = await ask(path, { Accept: "*/*" });
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(body).toMatch(/^# Language AI Service\n\n> /);
    expect(body).toContain(part);
  });
});
