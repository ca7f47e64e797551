import type { Guide } from "./guides/guide.ts";
import type { ReferenceOperation, ReferenceSection } from "./reference.ts";

/** Where the guides are listed. */
export const guidesPath = "/docs/guides";

/** Where a guide is. */
export const guidePath = (name: string): string => `${guidesPath}/${name}`;

/** The path of an operation's page. */
export const operationPath = (id: string): string => `/docs/${id}`;

/** A page in the table of contents. */
export interface ContentsEntry {
  readonly path: string;
  readonly label: string;
}

/** Pages below one heading. */
export interface ContentsGroup {
  readonly title: string;
  readonly entries: readonly ContentsEntry[];
  /** Folded, unless it contains the current page. */
  readonly isFolded: boolean;
}

/** What the section already says is not repeated for each of its operations. */
const ofSection = ", for clients of the OpenAI API";

const entryOf = ({ id, summary }: ReferenceOperation): ContentsEntry => ({
  path: operationPath(id),
  label: summary.replace(ofSection, ""),
});

/** The table of contents: the guides by group, then the operations by section. */
export const contentsOf = (
  guides: readonly Guide[],
  sections: readonly ReferenceSection[],
): ContentsGroup[] => [
  ...[...new Set(guides.map(({ group }) => group))].map((title) => ({
    title,
    entries: guides
      .filter(({ group }) => group === title)
      .map(({ name, title: label }) => ({ path: guidePath(name), label })),
    isFolded: false,
  })),
  ...sections.map(({ name, operations }) => ({
    title: name,
    entries: operations.map(entryOf),
    isFolded: operations.every(({ isDeprecated }) => isDeprecated),
  })),
];

/** The pages before and after one, in the order of the table of contents. */
export const neighboursOf = (
  contents: readonly ContentsGroup[],
  path: string,
): { readonly previous: ContentsEntry | undefined; readonly next: ContentsEntry | undefined } => {
  const entries = contents.flatMap((group) => group.entries);
  const index = entries.findIndex((entry) => entry.path === path);
  return index < 0
    ? { previous: undefined, next: undefined }
    : { previous: entries[index - 1], next: entries[index + 1] };
};

/** The anchor of a section on the first page. */
export const anchorOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
