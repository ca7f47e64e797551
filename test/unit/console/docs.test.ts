import { type ComponentChildren, createElement } from "preact";
import { renderToString } from "preact-render-to-string";
import swaggerPackage from "swagger-ui-dist/package.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { explorerVersion, readExplorerFile } from "../../../functions/console/docs/explorer-files.ts";
import { guides } from "../../../functions/console/docs/guides/built-guides.ts";
import {
  GuidePage,
  GuidesPage,
  guidePath,
  guidesPath,
} from "../../../functions/console/docs/guides/guide-page.tsx";
import { describeReference, successorOf } from "../../../functions/console/docs/reference.ts";
import {
  DocumentationIndex,
  OperationPage,
  operationPath,
} from "../../../functions/console/docs/reference-pages.tsx";
import { writeLlms } from "../../../functions/console/docs/write-llms.ts";
import { textsOf } from "../../../functions/console/texts/languages.ts";
import type { PageFrame } from "../../../functions/console/view/frame.ts";
import { Layout } from "../../../functions/console/view/layout.tsx";
import { operations } from "../../../functions/manifest.ts";
import { documentOfStage } from "../../../shared/http/openapi/stage-document.ts";
import { defaultVendors } from "../../../shared/platform/config/vendors.ts";
import { errorCatalogue } from "../../../shared/platform/errors/catalogue.ts";

const baseUrl = "https://api.example.com/prod";
const stage = { vendors: defaultVendors, publicBaseUrl: baseUrl };
const document = await documentOfStage(stage);
const sections = describeReference(document, baseUrl);
const described = sections.flatMap((section) => section.operations);

const frame: PageFrame = {
  title: "Documentation",
  texts: textsOf.en,
  language: "en",
  languages: ["en"],
  path: "/docs",
  url: (path) => `/prod${path}`,
  username: undefined,
  formToken: "proof",
  stylesheet: "/prod/console/assets/style.css",
  scripts: [],
  shell: "plain",
};
const render = (children: ComponentChildren): string =>
  renderToString(createElement(Layout, { frame, children }));

const pages = new Map([
  ["/docs", render(createElement(DocumentationIndex, { sections, guides }))],
  [guidesPath, render(createElement(GuidesPage, { guides }))],
  ...described.map((operation): [string, string] => [
    operationPath(operation.id),
    render(createElement(OperationPage, { operation, successor: successorOf(operation, described) })),
  ]),
  ...guides.map((guide): [string, string] => [
    guidePath(guide.name),
    render(createElement(GuidePage, { guide, baseUrl })),
  ]),
]);

describe("The documentation", () => {
  it("has a page for every operation, and leads to each of them from its first page", () => {
    expect(described.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    for (const { id } of operations) expect(pages.get("/docs")).toContain(`href="/prod${operationPath(id)}"`);
    const words = pages.get("/docs")?.replaceAll(/<[^>]*>/g, "");
    for (const { summary, method, path } of described)
      expect(words).toContain(`${summary} ${method} ${path}`);
  });

  it("leads to each guide from its first page and from the list of guides", () => {
    for (const { name } of guides) {
      for (const page of ["/docs", guidesPath]) {
        expect(pages.get(page)).toContain(`href="/prod${guidePath(name)}"`);
      }
    }
  });

  it("has no link to a missing page or anchor", () => {
    const elsewhere = /^\/prod\/(?:console\/|openapi\.json$|llms\.txt$|docs\/explorer$|$)/;
    const broken = [...pages].flatMap(([page, html]) =>
      Array.from(html.matchAll(/href="(\/[^"]*)"/g), ([, link = ""]) => link)
        .filter((link) => !elsewhere.test(link))
        .filter((link) => {
          const [path = "", anchor] = link.replace("/prod", "").split("#");
          const target = pages.get(path);
          return target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`));
        })
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
    expect(pages.size).toBe(2 + operations.length + guides.length);
  });

  it("describes for each operation its parameters, its request, its result and every error it names", () => {
    const page = pages.get(operationPath("translate")) ?? "";
    expect(page).toContain("curl -s https://api.example.com/prod/tasks/translate");
    expect(page).toContain("<code>source_language</code>");
    expect(page).toContain("1 to 5,000 characters");
    expect(page).toContain("Oli otya?");
    expect(page).toContain("await fetch");
    expect(page).toContain("requests.post(");
    for (const operation of described) {
      const html = pages.get(operationPath(operation.id));
      expect(operation.errors.map(({ code }) => code)).toContain("internal");
      for (const { code } of operation.errors) expect(html).toContain(`<code>${code}</code>`);
    }
  });

  it("links each deprecated operation to its replacement", () => {
    const deprecated = described.filter(({ isDeprecated }) => isDeprecated);
    expect(deprecated.length).toBeGreaterThan(15);
    for (const operation of deprecated) {
      const successor = successorOf(operation, described);
      expect(successor?.isDeprecated, operation.id).toBe(false);
      expect(pages.get(operationPath(operation.id))).toContain(`${successor?.method} ${successor?.path}</a>`);
    }
  });

  it("calls the providers in paths as the stage does", async () => {
    const other = await documentOfStage({ ...stage, vendors: { a: "acme", b: "other-gpu" } });
    const paths = describeReference(other, baseUrl).flatMap((section) =>
      section.operations.map(({ path }) => path),
    );
    expect(paths).toContain("/tasks/acme/tts");
    expect(paths.join().match(/modal|runpod/)).toBeNull();
    const vendors = { a: "acme", b: "other-gpu" };
    const guide = guides.find(({ name }) => name === "from-v1");
    const html = guide ? render(createElement(GuidePage, { guide, baseUrl, vendors })) : "";
    expect(html).toContain("<h2>POST /tasks/other-gpu/tts</h2>");
    expect(html).toContain("$API/tasks/acme/stt");
    expect(html.match(/modal|runpod/)).toBeNull();
  });

  it("has the Swagger UI of the package, and says so in the address of its files", () => {
    expect(explorerVersion).toBe(swaggerPackage.version);
  });

  it("writes down all error codes in its guide", () => {
    for (const code of Object.keys(errorCatalogue)) {
      expect(pages.get(guidePath("errors"))).toContain(`<code>${code}</code>`);
    }
  });

  it("lists itself for language models, with whole addresses", () => {
    const text = writeLlms(document.info, sections, guides, baseUrl);
    expect(text).toMatch(/^# Language AI Service\n\n> .+\n\n## Guides\n\n- \[/);
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link);
    expect(links).toHaveLength(guides.length + operations.length + 1);
    expect(links.filter((link) => !pages.has(link.slice(baseUrl.length)))).toEqual([
      `${baseUrl}/openapi.json`,
    ]);
  });
});

describe("The samples of an operation", () => {
  it("say how to get a token only where one is needed", () => {
    const explained = described.filter(({ id }) =>
      pages.get(operationPath(id))?.includes("Replace <code>TOKEN"),
    );
    expect(explained).toEqual(described.filter(({ token }) => token === "needed"));
  });
});

describe("The files of the explorer", () => {
  it.each([
    ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
    ["swagger-ui.css", "text/css; charset=utf-8"],
  ])("are text of their own type: %s", async (name, contentType) => {
    expect(await readExplorerFile(explorerVersion, name)).toEqual({
      contentType,
      body: expect.stringContaining("swagger-ui"),
    });
    expect(await readExplorerFile("1.0.0", name)).toBeUndefined();
    expect(await readExplorerFile(undefined, name)).toBeUndefined();
  });

  it("are no others", async () => {
    for (const name of ["package.json", "constructor", ""])
      expect(await readExplorerFile(explorerVersion, name)).toBeUndefined();
  });
});
