import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTable } from "micromark-extension-gfm-table";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

/** The codes of the characters that mark emphasis. */
const [asterisk, underscore] = [42, 95];

/**
 * From each mark of emphasis, micromark looks back to those before it in their paragraph, which its source calls "a bottleneck for malicious
 * stuff". That is the number of pairs of marks that take about a second.
 */
const maxPairs = 4_500_000;

/** The number of marks before one that cost nothing which could be noticed. */
const freeMarks = 200;

/**
 * Returns an extension of micromark that limits marks of emphasis in one document, to 3,000 in one paragraph or 500 in each of a hundred.
 *
 * @throws UnreadableDocument from the parser, with the line.
 */
const limitMarks = () => {
  const marks = new WeakMap<object, number>();
  let pairs = 0;
  const tokenize = function <State>(
    this: { readonly now: () => { readonly line: number } },
    _effects: unknown,
    _ok: unknown,
    nok: State,
  ): State {
    const before = marks.get(this) ?? 0;
    marks.set(this, before + 1);
    pairs += Math.max(0, before - freeMarks);
    if (pairs <= maxPairs) return nok;
    throw new UnreadableDocument(
      `The Markdown cannot be read: the paragraph near line ${this.now().line} has too many marks of emphasis (* and _).`,
      { isTooLarge: true },
    );
  };
  return { text: { [asterisk]: { tokenize }, [underscore]: { tokenize } } };
};

/** What ends markup that is no tag, by how it begins. */
const ends = { "<!--": "-->", "<![CDATA[": "]]>", "<?": "?>", "<!": ">" } as const;

/** The start of a line may begin a block, which needs no end. */
const beginnings = /(?<!^[ \t>*+\d.)-]{0,20})<(?:!--|!\[CDATA\[|\?|!(?=[A-Za-z]))/gm;

/** Returns a function that finds the next match at or after a position, for positions that grow. */
const createSearch = (source: string, pattern: RegExp): ((from: number) => number) => {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    pattern.lastIndex = from;
    found = pattern.exec(source)?.index ?? Number.POSITIVE_INFINITY;
    return found;
  };
};

/** Returns where markup begins that does not end in its paragraph: micromark would look for the end of each one up to there. */
export const findUnclosed = (source: string): number[] => {
  const nextEmptyLine = createSearch(source, /\n[^\S\n]*\n/g);
  const searches = new Map(
    Object.entries(ends).map(([beginning, end]) => [
      beginning,
      createSearch(source, new RegExp(end.replaceAll("]", "\\]").replace("?", "\\?"), "g")),
    ]),
  );
  return Array.from(source.matchAll(beginnings))
    .filter(({ index, 0: written }) => {
      const end = searches.get(written)?.(index + written.length) ?? 0;
      return end > nextEmptyLine(index) || end === Number.POSITIVE_INFINITY;
    })
    .map(({ index }) => index);
};

/** Lists and quotations within each other on one line; of a line of dashes, which is a rule, none are. */
const deepLine = /^[ \t]*(?!(?:[-*][ \t]*)+$)(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]+){100}/m;

/** @throws UnreadableDocument for lists within lists that are no text of a person: the parser needs time that grows with the square of their depth. */
const requireShallow = (source: string): void => {
  const found = deepLine.exec(source);
  if (!found) return;
  const line = source.slice(0, found.index).split("\n").length;
  throw new UnreadableDocument(
    `The Markdown cannot be read: line ${line} has 100 lists or more within each other.`,
  );
};

/** The tree of a Markdown text with tables. @throws UnreadableDocument for one with too many marks, or lists within lists. */
export const parseMarkdown = (source: string) => {
  requireShallow(source);
  return fromMarkdown(source, {
    extensions: [limitMarks(), gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
};
