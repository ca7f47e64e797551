/** Where the naming page is, below the root of the repository. */
export const namingPagePath = "shared/platform/naming.md";

/** Where a rule of the naming page applies. */
export type Reach = "names" | "sentences" | "names and sentences";

/** What a rule tolerates: a name or phrase, the files below a path, or a name or phrase in those files. */
export interface Exception {
  readonly path: string | undefined;
  readonly text: string | undefined;
}

/** A row of the naming page. */
export interface Rule {
  readonly reach: Reach;
  readonly retired: readonly string[];
  /** What to write instead, as the page says it. */
  readonly write: string;
  readonly exceptions: readonly Exception[];
}

/** A file, or the end of one, that is not searched. */
export interface Unsearched {
  readonly path: string;
  /** The line from which the file is not searched; without it none of it is. */
  readonly from: string | undefined;
}

/** The naming page, read. */
export interface NamingPage {
  readonly rules: readonly Rule[];
  readonly unsearched: readonly Unsearched[];
}

const reaches: Readonly<Record<string, Reach>> = {
  "Names and sentences": "names and sentences",
  Names: "names",
  Sentences: "sentences",
  Pages: "sentences",
};

const notSearched = "Not searched";

const codeSpans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

const isPath = (text: string): boolean => /^[\w.@-]*\/[\w./@-]*$|^[\w-]+\.(md|tsx?|json|mjs)$/.test(text);

const readException = (span: string): Exception => {
  const at = span.indexOf(": ");
  if (at > 0 && isPath(span.slice(0, at))) return { path: span.slice(0, at), text: span.slice(at + 2) };
  return isPath(span) ? { path: span, text: undefined } : { path: undefined, text: span };
};

/** The rows of the tables of a section, each as its cells; the heads of the tables are left out. */
const rowsOf = (section: string): string[][] => {
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines
    .filter((line, index) => !/^\|[\s|:-]+\|$/.test(line) && !/^\|[\s|:-]+\|$/.test(lines[index + 1] ?? ""))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf("|"))
        .split("|")
        .map((cell) => cell.trim()),
    );
};

const readRow = (reach: Reach, [left = "", write = "", exceptions = ""]: readonly string[]): Rule => {
  const retired = codeSpans(left);
  if (retired.length === 0 || !write) throw new Error(`A row of the naming page is incomplete: ${left}`);
  if (exceptions && !exceptions.replace(/`[^`]+`/g, "").trim()) {
    throw new Error(`An exception on the naming page lacks its reason: ${left}`);
  }
  return { reach, retired, write, exceptions: codeSpans(exceptions).map(readException) };
};

/**
 * Reads the naming page.
 *
 * @throws Error for a row without a retired word, without a replacement, or with an exception that has no reason.
 */
export const readNamingPage = (markdown: string): NamingPage => {
  const sections = markdown.split(/^## /m).slice(1);
  const rules: Rule[] = [];
  const unsearched: Unsearched[] = [];
  for (const section of sections) {
    const title = section.slice(0, section.indexOf("\n")).trim();
    const reach = reaches[title];
    if (reach) rules.push(...rowsOf(section).map((row) => readRow(reach, row)));
    if (title === notSearched) {
      for (const [cell = ""] of rowsOf(section)) {
        const [path, from] = codeSpans(cell);
        if (path) unsearched.push({ path, from });
      }
    }
  }
  return { rules, unsearched };
};
