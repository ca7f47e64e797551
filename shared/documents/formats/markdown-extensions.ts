import type { Range } from "../segments/segment.ts";
import { findUnclosed } from "./parse-markdown.ts";

/** A part of a text that programs around Markdown read, with the words in it that readers see. */
interface Extension {
  /** Global; its first group are words, where it has one. With indices. */
  readonly pattern: RegExp;
  /** Returns what a parser of Markdown reads instead, of the same length. */
  readonly instead: (written: string) => string;
}

const blank = (written: string): string => written.replaceAll(/[^\r\n]/g, " ");

/** Without marks of Markdown, so that it is one text. */
const word = (written: string): string => written.replaceAll(/[^\r\n]/g, "x");

/** A box: its indented text stays part of it, as that of a list's item does. */
const item = (written: string): string =>
  written.replace(
    /^([ \t]*)(.*)$/s,
    (_, indent: string, rest: string) => `${indent}- ***${blank(rest.slice(5))}`,
  );

/** Metadata before the text, in YAML or TOML. */
const metadataPattern = /^(?:---\r?\n[\s\S]*?\r?\n---|\+\+\+\r?\n[\s\S]*?\r?\n\+\+\+)(?=\r?\n|$)/g;

const extensions: readonly Extension[] = [
  { pattern: metadataPattern, instead: blank },
  // Code, so that nothing in it is read.
  {
    pattern: /^([ \t>]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t>]*\2[ \t]*$|(?![\s\S]))/gm,
    instead: (code) => code,
  },
  {
    pattern: /(?<!`)(`+)(?!`)(?:(?!\n[^\S\n]{0,100}\n)[\s\S]){0,2000}?[^`]\1(?!`)/g,
    instead: (code) => code,
  },
  { pattern: /^[ \t]*(?:!!!|\?\?\?\+?)[ \t]+[^\r\n"]*(?:"([^"\r\n]*)"[ \t]*)?$/dgm, instead: item },
  { pattern: /^[ \t]*===[!+]?[ \t]+"[^"\r\n]*"[ \t]*$/gm, instead: item },
  { pattern: /^[ \t]*:{3,}[^\r\n]*$/gm, instead: blank },
  { pattern: /^\*\[[^\][\r\n]+\]:[^\r\n]*$/gm, instead: blank },
  // Up to an empty line, as MDX reads it, after an empty line or another such line.
  {
    pattern:
      /(?<=(?:^|\n)[ \t]*\r?\n|["';}]\r?\n|(?<![\s\S]))(?:import\s+(?:(?:type\s+)?[\w*{][^;'"]{0,2000}?\sfrom\s+)?["'][^"'\r\n]+["'];?[ \t]*$|export\s+(?:(?:const|let|var|type|interface|class|async|function)\s[^\r\n]*|default\s+(?:function|class|async|\w+;)[^\r\n]*|[{*][^\r\n]*)(?:\r?\n(?![ \t]*\r?$)[^\r\n]+)*$)/gm,
    instead: blank,
  },
  { pattern: /^[ \t]*\$\$(?:(?!\$\$)[\s\S]){0,5000}\$\$[ \t]*$/gm, instead: blank },
  {
    pattern:
      /\$\$(?:(?!\n[^\S\n]{0,100}\n)[^$])+\$\$|(?<![\\$\w])\$(?![\s$])[^$\r\n]*?(?<![\s\\])\$(?![\d$])/g,
    instead: word,
  },
  // Before an address, it is a link of Markdown with brackets in its text.
  { pattern: /\[\[[^\][\r\n]*\]\](?![([])/g, instead: word },
];

/** Formulas and links of wikis, as masks of words. */
export const inlineExtensions = String.raw`\$\$[^$]+\$\$|(?<![\\$\w])\$(?![\s$])[^$\r\n]*?(?<![\s\\])\$(?![\d$])|\[\[[^\][\r\n]*\]\](?![([])`;

/** A text for a parser of Markdown, with positions of the source. */
interface PlainMarkdown {
  readonly text: string;
  /** The words in what the parser does not see. */
  readonly words: readonly Range[];
  /** The metadata before the text, with its marks. */
  readonly metadata: string;
}

/** Returns a text without what is no Markdown: metadata, code of MDX, marks of boxes and tabs, formulas, markup without an end. */
export const withoutExtensions = (source: string): PlainMarkdown => {
  const found = extensions.flatMap(({ pattern, instead }) =>
    Array.from(source.matchAll(pattern), (match) => ({
      start: match.index,
      end: match.index + match[0].length,
      text: instead(match[0]),
      words: pattern.flags.includes("d") ? match.indices?.[1] : undefined,
    })),
  );
  for (const start of findUnclosed(source))
    found.push({ start, end: start + 1, text: "x", words: undefined });
  const words: Range[] = [];
  let text = "";
  let position = 0;
  for (const { start, end, ...each } of found.toSorted((one, other) => one.start - other.start)) {
    if (start < position) continue;
    text += source.slice(position, start) + each.text;
    position = end;
    if (each.words) words.push({ start: each.words[0], end: each.words[1] });
  }
  const [metadata = ""] = source.match(metadataPattern) ?? [];
  return { text: text + source.slice(position), words, metadata };
};
