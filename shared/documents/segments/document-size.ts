import { UnreadableDocument } from "./unreadable-document.ts";

/** What is counted in the source of a format, before it is parsed. */
interface Parts {
  readonly name: string;
  /** Matches each of them. Global. */
  readonly pattern: RegExp;
  readonly max: number;
}

const tags = (max: number): Parts => ({ name: "tags", pattern: /</g, max });
const lines = (max: number): Parts => ({ name: "lines", pattern: /\r\n|[\r\n]/g, max });
const cues: Parts = { name: "subtitles", pattern: /-->/g, max: 50_000 };

/**
 * How many parts a document may have. A parser needs up to 20 kB for each, so ten megabytes of the smallest ones
 * would end the process. With these, each format stays below 700 MB of memory; a million characters of prose have a fifth of them.
 * Marks of emphasis in one paragraph of Markdown take time in proportion to their square: 20,000 take seconds.
 */
const maxParts = {
  text: [lines(150_000)],
  markdown: [lines(20_000), { name: "marks", pattern: /[*_~`[\]<|\\&]/g, max: 20_000 }],
  html: [tags(150_000)],
  srt: [cues, lines(500_000)],
  vtt: [cues, lines(500_000)],
  po: [{ name: "entries", pattern: /^msgid\b/gm, max: 50_000 }, lines(500_000)],
  xliff: [tags(150_000)],
  json: [{ name: "texts", pattern: /"[^"\\]*/g, max: 300_000 }],
  csv: [{ name: "cells", pattern: /[,;\t\r\n]/g, max: 150_000 }],
  arb: [{ name: "texts", pattern: /"[^"\\]*/g, max: 300_000 }],
  yaml: [lines(50_000)],
  properties: [lines(150_000)],
  strings: [lines(150_000)],
  android: [tags(150_000)],
  ass: [{ name: "subtitles", pattern: /^Dialogue:/gim, max: 50_000 }, lines(500_000)],
  docx: [tags(300_000)],
  pptx: [tags(300_000)],
  xlsx: [tags(300_000)],
  odt: [tags(300_000)],
} satisfies Record<string, readonly Parts[]>;

const countOf = (source: string, pattern: RegExp, max: number): number => {
  let count = 0;
  for (const _ of source.matchAll(pattern)) {
    count += 1;
    if (count > max) break;
  }
  return count;
};

/** @throws UnreadableDocument for texts with more parts than a function has memory for. */
export const requireFewParts = (sources: readonly string[], format: keyof typeof maxParts): void => {
  for (const { name, pattern, max } of maxParts[format]) {
    const count = sources.reduce((sum, source) => sum + countOf(source, pattern, max), 0);
    if (count > max) {
      const limit = max.toLocaleString("en");
      throw new UnreadableDocument(`The document has more than ${limit} ${name}. Divide it.`, {
        isTooLarge: true,
      });
    }
  }
};

const maxAttributes = 1_000;

/** @throws UnreadableDocument for a tag with millions of attributes, each with objects of the parser. */
export const requireFewAttributes = (count: number): void => {
  if (count <= maxAttributes) return;
  const limit = maxAttributes.toLocaleString("en");
  throw new UnreadableDocument(`A tag of the document has more than ${limit} attributes.`, {
    isTooLarge: true,
  });
};

/** In UTF-16 units as they are written. Fifty passages of this length are a document of the maximum size. */
const maxWrittenPassage = 200_000;

/** @throws UnreadableDocument for a passage of which a function has no memory to make words, before it makes any. */
export const requireShortPassage = (length: number): void => {
  if (length <= maxWrittenPassage) return;
  const limit = maxWrittenPassage.toLocaleString("en");
  throw new UnreadableDocument(`A passage of the document has more than ${limit} characters. Divide it.`, {
    isTooLarge: true,
  });
};
