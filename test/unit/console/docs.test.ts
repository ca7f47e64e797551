import { type ComponentChildren, createElement } from "preact";
import { renderToString } from "preact-render-to-string";
import { describe, expect, it } from "vitest";
import { attemptNames } from "../../../functions/console/playground/attempts.ts";
import { documentOfStage } from "../../../functions/docs/stage-document.ts";
import { operations } from "../../../functions/manifest.ts";
import { readShownDocument } from "../../../functions/site/docs/built-document.ts";
import {
  contentsOf,
  guidePath,
  guidesPath,
  neighboursOf,
  operationPath,
} from "../../../functions/site/docs/contents.ts";
import { DocsPage } from "../../../functions/site/docs/docs-page.tsx";
import { GuidePage, GuidesPage } from "../../../functions/site/docs/guide-page.tsx";
import { guides as builtGuides } from "../../../functions/site/docs/guides/built-guides.ts";
import { filled } from "../../../functions/site/docs/guides/guide.ts";
import { DocumentationIndex } from "../../../functions/site/docs/index-page.tsx";
import { describeReference, successorOf } from "../../../functions/site/docs/reference.ts";
import { OperationPage } from "../../../functions/site/docs/reference-pages.tsx";
import { createSearch } from "../../../functions/site/docs/search-index.ts";
import { inNamesOf } from "../../../functions/site/docs/shown-document.ts";
import { playgroundPathOf } from "../../../functions/site/docs/try-operation.tsx";
import type { PageFrame } from "../../../shared/pages/view/frame.ts";
import { Layout } from "../../../shared/pages/view/layout.tsx";
import { defaultVendors } from "../../../shared/platform/config/vendors.ts";
import { errorCatalogue } from "../../../shared/platform/errors/catalogue.ts";
import { frame as accountFrame } from "./rendered.ts";

const baseUrl = "https://api.example.com/prod";
const sections = describeReference(inNamesOf(readShownDocument(), defaultVendors), baseUrl);
const described = sections.flatMap((section) => section.operations);
const guides = builtGuides.map((guide) => filled(guide, baseUrl));
const contents = contentsOf(guides, sections);

const frame: PageFrame = {
  ...accountFrame,
  ...{ path: "/docs", username: undefined, shell: "docs", sessionUrl: "/prod/console/session" },
};
const render = (path: string, content: ComponentChildren): string => {
  const children = createElement(DocsPage, { contents, current: path, children: content });
  return renderToString(createElement(Layout, { frame: { ...frame, path }, children }));
};
const rendered = (path: string, content: ComponentChildren): [string, string] => [
  path,
  render(path, content),
];

const pages = new Map([
  rendered("/docs", createElement(DocumentationIndex, { sections, guides })),
  rendered(guidesPath, createElement(GuidesPage, { guides })),
  ...described.map((operation) =>
    rendered(
      operationPath(operation.id),
      createElement(OperationPage, { operation, successor: successorOf(operation, described) }),
    ),
  ),
  ...guides.map((guide) => rendered(guidePath(guide.name), createElement(GuidePage, { guide }))),
]);

describe("The documentation", () => {
  it("has a page for every operation, and leads to each of them from its first page", () => {
    expect(described.map(({ id }) => id).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    for (const { id } of operations) expect(pages.get("/docs")).toContain(`href="/prod${operationPath(id)}"`);
    const words = pages.get("/docs")?.replaceAll(/<[^>]*>/g, "");
    for (const { summary, method, path } of described)
      expect(words).toContain(`${summary} ${method} ${path}`);
  });

  it("has no link to a missing page or anchor", () => {
    const elsewhere =
      /^\/prod\/(?:console(?:\/|$)|languages$|openapi\.json$|privacy$|terms$|quality$|status$|llms(?:-full)?\.txt$|$)/;
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
    const words = page.replaceAll(/<[^>]*>/g, "");
    expect(words).toContain("await fetch");
    expect(words).toContain("requests.post(");
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

  it("shows the whole document, although its function has only half of it", async () => {
    const whole = await documentOfStage({ vendors: defaultVendors, publicBaseUrl: baseUrl });
    expect(sections).toEqual(describeReference(whole, baseUrl));
    expect(JSON.stringify(readShownDocument()).length).toBeLessThan(0.61 * JSON.stringify(whole).length);
  });

  it("calls the providers in paths as the stage does", async () => {
    const other = inNamesOf(readShownDocument(), { a: "acme", b: "other-gpu" });
    const paths = describeReference(other, baseUrl).flatMap((section) =>
      section.operations.map(({ path }) => path),
    );
    expect(paths).toContain("/tasks/acme/tts");
    expect(paths.join().match(/modal|runpod/)).toBeNull();
    const vendors = { a: "acme", b: "other-gpu" };
    const guide = builtGuides.find(({ name }) => name === "from-v1");
    const html = guide
      ? render("", createElement(GuidePage, { guide: filled(guide, baseUrl, vendors) }))
          .split("<h1>")
          .at(-1)
      : "";
    expect(html).toContain("<h2>POST /tasks/other-gpu/tts</h2>");
    expect(html?.replaceAll(/<[^>]*>/g, "")).toContain("$API/tasks/acme/stt");
    expect(html?.match(/modal|runpod/)).toBeNull();
  });

  it("writes down all error codes in its guide", () => {
    for (const code of Object.keys(errorCatalogue)) {
      expect(pages.get(guidePath("errors"))).toContain(`<code>${code}</code>`);
    }
  });

  it("names every page next to each page, marks the current one and leads to its neighbours", () => {
    const entries = contents.flatMap((group) => group.entries);
    expect(entries.map(({ path }) => path).toSorted()).toEqual(
      [...pages.keys()].filter((path) => path !== "/docs" && path !== guidesPath).toSorted(),
    );
    for (const [path, html] of pages) {
      const marked = Array.from(
        html.matchAll(/href="\/prod(\/docs\/[^"]+)" aria-current="page"/g),
        (one) => one[1],
      );
      // One list for wide screens and one in the fold of narrow ones.
      expect(marked, path).toEqual(entries.some((entry) => entry.path === path) ? [path, path] : []);
    }
    const { previous, next } = neighboursOf(contents, operationPath("translate"));
    expect(previous?.path).toMatch("/docs/guides/");
    expect(pages.get(operationPath("translate"))).toContain(`<span>Next</span> ${next?.label}`);
    expect(neighboursOf(contents, "/docs")).toEqual({ previous: undefined, next: undefined });
  });

  it("has a sentence for every field, and names that break before a dot", () => {
    for (const { id, parameters, requestFields, responseFields } of described) {
      for (const { name, description } of [...parameters, ...requestFields, ...responseFields])
        expect(description, `${id} ${name}`).toMatch(/[.!?…]$/);
    }
    expect(pages.get(operationPath("translate"))).toContain("<code>output<wbr/>.translated_text</code>");
  });
});

describe("The search", () => {
  const search = createSearch(guides, described);

  it.each([
    ["translate", "/docs/translate"],
    ["/tasks/jobs", "/docs/createJob"],
    ["webhook", "/docs/guides/webhooks"],
    ["idempotency_key_reused", "/docs/guides/errors"],
    ["trancription", "/docs/createTranscription"],
  ])("finds %j", (query, path) => {
    expect(
      search(query)
        .slice(0, 5)
        .map((page) => page.path),
    ).toContain(path);
  });

  it("lists what replaces version 1 before it", () => {
    const found = search("speech");
    const [first] = found;
    expect(found.length).toBeGreaterThan(5);
    expect(first?.isDeprecated).toBe(false);
  });
});

describe("Trying an operation", () => {
  it("leads to the playground with values where it has the operation, and to a form elsewhere", () => {
    const inPlayground = described.flatMap((operation) => {
      const path = playgroundPathOf(operation);
      const html = pages.get(operationPath(operation.id)) ?? "";
      expect(html.includes("data-request"), operation.id).toBe(path === undefined);
      expect(html).toContain(path?.replaceAll("&", "&amp;") ?? 'href="#try"');
      return path ?? [];
    });
    expect(inPlayground).toHaveLength(attemptNames.length);
    expect(inPlayground).toContain(
      "/console/playground?try=translate&source=eng&target=lug&text=How+are+you%3F",
    );
  });

  it("names the address of the token of a reader's account, for what that token can call", () => {
    const form = (id: string) => {
      const operation = described.find((one) => one.id === id);
      return operation ? render("", createElement(OperationPage, { operation, successor: undefined })) : "";
    };
    expect(form("listJobs")).toContain(
      'data-token-url="/prod/docs/token" data-session-url="/prod/console/session"',
    );
    // Only an access token may do this, and the token of the page is limited like a key.
    expect(form("deleteAccount")).not.toContain("data-token-url");
    expect(form("health")).not.toContain('data-in="key"');
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

describe("The code for packages of the OpenAI API", () => {
  it("is next to the others where the packages have a method, with the changed lines marked", () => {
    const own = described.filter(({ openAi }) => openAi !== undefined);
    expect(own.map(({ path }) => path).every((path) => path.startsWith("/v1/"))).toBe(true);
    expect(own).toHaveLength(7);
    const html = pages.get(operationPath("createV1ChatCompletion")) ?? "";
    expect(html).toContain("OpenAI Python</label>");
    expect(html.match(/class="line changed"/g)).toHaveLength(4);
    expect(pages.get(operationPath("translate"))).not.toContain("OpenAI Python</label>");
  });
});
