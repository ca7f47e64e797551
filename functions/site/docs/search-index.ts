import MiniSearch from "minisearch";
import { guidePath, operationPath } from "./contents.ts";
import type { Guide } from "./guides/guide.ts";
import { writeGuide } from "./guides/write-guide.ts";
import type { ReferenceOperation } from "./reference.ts";
import { writeOperation } from "./write-operation.ts";

/** A page that the search has found. */
export interface FoundPage {
  /** Where it is. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  /** What the page describes: `POST /tasks/translate`; `undefined` for a guide. */
  readonly operation: { readonly method: string; readonly path: string } | undefined;
  readonly isDeprecated: boolean;
}

interface SearchedPage extends FoundPage {
  readonly id: string;
  readonly address: string;
  readonly text: string;
}

const pageOfGuide = (guide: Guide): SearchedPage => ({
  id: guidePath(guide.name),
  path: guidePath(guide.name),
  title: guide.title,
  summary: guide.summary,
  operation: undefined,
  isDeprecated: false,
  address: guide.name,
  text: writeGuide(guide),
});

const pageOfOperation = (operation: ReferenceOperation): SearchedPage => {
  const { id, summary, method, path, description, isDeprecated } = operation;
  return {
    id: operationPath(id),
    path: operationPath(id),
    title: summary,
    summary: description,
    operation: { method, path },
    isDeprecated,
    address: `${id} ${method} ${path}`,
    text: withoutErrors(writeOperation(operation)),
  };
};

/** More than a reader looks through. */
const maxFound = 20;

/** What is deprecated comes after its replacement. */
const deprecatedWeight = 0.2;

/** The errors are the same everywhere: who searches for one looks for the guide. */
const withoutErrors = (markdown: string): string => markdown.split("\n## Errors\n")[0] ?? "";

/** Builds the index of all pages. @returns a search, best page first. */
export const createSearch = (
  guides: readonly Guide[],
  operations: readonly ReferenceOperation[],
): ((query: string) => FoundPage[]) => {
  const pages = new Map(
    [...guides.map(pageOfGuide), ...operations.map(pageOfOperation)].map((page) => [page.id, page]),
  );
  const index = new MiniSearch<SearchedPage>({
    fields: ["title", "address", "summary", "text"],
    searchOptions: {
      boost: { title: 6, address: 3, summary: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boostDocument: (id) => (pages.get(String(id))?.isDeprecated ? deprecatedWeight : 1),
    },
  });
  index.addAll([...pages.values()]);
  return (query) => {
    const all = index.search(query, { combineWith: "AND" });
    const found = all.length > 0 ? all : index.search(query);
    return found.slice(0, maxFound).flatMap(({ id }) => pages.get(String(id)) ?? []);
  };
};
