import type { ComponentChildren } from "preact";
import { type BoundPage, page } from "../../../shared/pages/server/page.ts";
import { type PageResponse, sentFile, shown } from "../../../shared/pages/server/responses.ts";
import type { Vendors } from "../../../shared/platform/config/vendors.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { contentsOf, guidePath, operationPath } from "./contents.ts";
import { DocsPage } from "./docs-page.tsx";
import { GuidePage, GuidesPage } from "./guide-page.tsx";
import { filled } from "./guides/guide.ts";
import { writeGuide } from "./guides/write-guide.ts";
import { DocumentationIndex } from "./index-page.tsx";
import {
  documentationPage,
  guidePage,
  guidesPage,
  llmsFullPage,
  llmsPage,
  operationPage,
  searchPage,
} from "./pages.ts";
import { describeReference, successorOf } from "./reference.ts";
import { OperationPage } from "./reference-pages.tsx";
import { createSearch } from "./search-index.ts";
import { SearchPage } from "./search-page.tsx";
import { inNamesOf } from "./shown-document.ts";
import { withWholeLinks, writeLlms, writeLlmsFull } from "./write-llms.ts";
import { writeOperation } from "./write-operation.ts";

/** What these pages use. */
export interface DocumentationDependencies {
  /** The names of providers in paths. */
  readonly vendors: Vendors;
  /** The public address, without a slash at the end. */
  readonly baseUrl: string;
}

/** Everything that the pages show. */
const readDocumentation = async ({ vendors, baseUrl }: DocumentationDependencies) => {
  const { readShownDocument, guides: builtGuides } = await import("./documentation-data.ts");
  const document = inNamesOf(readShownDocument(), vendors);
  const sections = describeReference(document, baseUrl);
  const operations = sections.flatMap((section) => section.operations);
  const guides = builtGuides.map((guide) => filled(guide, baseUrl, vendors));
  const contents = contentsOf(guides, sections);
  return { about: document.info, sections, operations, guides, contents };
};

type Documentation = Awaited<ReturnType<typeof readDocumentation>>;

/** Calls a function once, for the first page that needs it. */
const once = <Value,>(create: () => Value): (() => Value) => {
  let created: { readonly value: Value } | undefined;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
};

type Read = () => Promise<Documentation>;

const shownAt = (
  path: string,
  { contents }: Documentation,
  content: ComponentChildren,
  title?: string,
): PageResponse<never> =>
  shown({
    content: (
      <DocsPage contents={contents} current={path}>
        {content}
      </DocsPage>
    ),
    ...(title === undefined ? {} : { title }),
  });

const plainText = (body: string): PageResponse<never> =>
  sentFile({ contentType: "text/plain; charset=utf-8", body });

const markdown = (body: string): PageResponse<never> =>
  sentFile({ contentType: "text/markdown; charset=utf-8", body });

/** The name of a page without the ending that requests its Markdown. */
const named = (text: string | undefined) => {
  const isMarkdown = text?.endsWith(".md") ?? false;
  return { isMarkdown, name: isMarkdown ? text?.slice(0, -".md".length) : text };
};

const guidePages = (read: Read, { baseUrl }: DocumentationDependencies): BoundPage[] => [
  page(guidesPage, {
    show: async () => {
      const documentation = await read();
      const content = <GuidesPage guides={documentation.guides} />;
      return shownAt(guidesPage.path, documentation, content, "Guides");
    },
  }),
  page(guidePage, {
    show: async ({ path }) => {
      const { name, isMarkdown } = named(path["name"]);
      const documentation = await read();
      const guide = documentation.guides.find((one) => one.name === name);
      if (!guide) throw new AppError("not_found");
      if (isMarkdown) return markdown(withWholeLinks(writeGuide(guide), baseUrl));
      return shownAt(guidePath(guide.name), documentation, <GuidePage guide={guide} />, guide.title);
    },
  }),
];

const referencePages = (read: Read, { baseUrl }: DocumentationDependencies): BoundPage[] => [
  page(documentationPage, {
    show: async () => {
      const documentation = await read();
      return shownAt(documentationPage.path, documentation, <DocumentationIndex {...documentation} />);
    },
  }),
  page(operationPage, {
    show: async ({ path }) => {
      const { name, isMarkdown } = named(path["operation"]);
      const documentation = await read();
      const { operations } = documentation;
      const found = operations.find(({ id }) => id === name);
      if (!found) throw new AppError("not_found");
      if (isMarkdown) return markdown(withWholeLinks(writeOperation(found), baseUrl));
      const content = <OperationPage operation={found} successor={successorOf(found, operations)} />;
      return shownAt(operationPath(found.id), documentation, content, found.summary);
    },
  }),
];

const searchPages = (read: Read): BoundPage[] => {
  const search = once(async () => {
    const { guides, operations } = await read();
    return createSearch(guides, operations);
  });
  return [
    page(searchPage, {
      show: async ({ query: { q } }) => {
        const found = q === "" ? [] : (await search())(q);
        return shownAt(searchPage.path, await read(), <SearchPage query={q} found={found} />, "Search");
      },
    }),
  ];
};

const filesForPrograms = (read: Read, { baseUrl }: DocumentationDependencies): BoundPage[] => [
  page(llmsPage, {
    show: async () => {
      const { about, sections, guides } = await read();
      return plainText(writeLlms(about, sections, guides, baseUrl));
    },
  }),
  page(llmsFullPage, {
    show: async () => {
      const { about, sections, guides } = await read();
      return plainText(writeLlmsFull(about, sections, guides, baseUrl));
    },
  }),
];

/** The documentation: guides, reference, search, and the same as text for programs. */
export const docsPages = (dependencies: DocumentationDependencies): BoundPage[] => {
  const read = once(() => readDocumentation(dependencies));
  return [
    ...referencePages(read, dependencies),
    ...guidePages(read, dependencies),
    ...searchPages(read),
    ...filesForPrograms(read, dependencies),
  ];
};
