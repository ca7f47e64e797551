import { type DocumentLanguages, languageRenamer } from "../segments/language-tags.ts";
import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader, plainSyntax } from "../segments/read-words.ts";
import type { DocumentEdit, DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import { anyLineEnd, type Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { partsOfCue } from "./cue-lines.ts";

/** What can be read at a glance, as in `shared/recordings/transcripts`. */
const maxLineLength = 42;

const vttEscapes: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&nbsp;": "\u00A0",
  "&lrm;": "\u200E",
  "&rlm;": "\u200F",
};

/** Tags such as `<i>`, `<c.red>` and `<v Ann>`, times inside of a cue, and positions such as `{\an8}`. */
const markup = String.raw`<\/?[a-zA-Z\d][^<>\n]*>|\{\\[^{}\n]*\}`;

const vttSyntax: Syntax = {
  ...plainSyntax,
  escaped: new RegExp(Object.keys(vttEscapes).join("|"), "g"),
  decode: (written) => vttEscapes[written] ?? written,
  special: "&<>",
  neverPlain: "&<",
  escape: (character) =>
    Object.keys(vttEscapes).find((written) => vttEscapes[written] === character) ?? character,
};

/** The text of a cue: its lines after the times. */
interface Cue extends Range {
  readonly lines: readonly Range[];
}

const moment = String.raw`(?:\d+:)?\d{1,2}:\d{1,2}(?:[,.:]\d{1,3})?`;

/** The times of a cue, also as programs write them that players tolerate: without blanks, or without milliseconds. */
const time = new RegExp(String.raw`^[ \t]*${moment}[ \t]*-->[ \t]*${moment}`);

/** Other times, which no player reads. */
const damagedTime = /^[ \t]*\d[\d:;.,\s]*-->/;

const lineEnds = new RegExp(anyLineEnd, "g");

/** Returns the lines of a source, without their ends. */
const linesOf = (source: string): Range[] => {
  const lines: Range[] = [];
  let start = 0;
  for (const match of source.matchAll(lineEnds)) {
    lines.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  return [...lines, { start, end: source.length }];
};

/** A line after the times of a cue. */
interface CueLine extends Range {
  readonly text: string;
}

/** Divides lines where one is empty. In SubRip, a cue continues after that, up to the number of the next one. */
const groupsOf = (lines: readonly CueLine[]): CueLine[][] => {
  const groups: CueLine[][] = [[]];
  for (const line of lines) {
    if (line.text.trim() === "") groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.filter(({ length }) => length > 0);
};

/** In WebVTT, an empty line ends a cue. */
const firstGroup = (lines: readonly CueLine[]): CueLine[][] => {
  const end = lines.findIndex(({ text }) => text.trim() === "");
  return groupsOf(end < 0 ? lines : lines.slice(0, end));
};

/** Finds the texts between lines with times. @throws UnreadableDocument with the line, for times that no player reads. */
const cuesOf = (source: string, groups: (lines: readonly CueLine[]) => CueLine[][]): Cue[] => {
  const cues: Cue[] = [];
  let lines: CueLine[] | undefined;
  const end = (): void => {
    for (const group of groups(lines ?? [])) {
      const [first] = group;
      const last = group.at(-1);
      if (first && last) cues.push({ start: first.start, end: last.end, lines: group });
    }
  };
  for (const [index, { start, end: lineEnd }] of linesOf(source).entries()) {
    const text = source.slice(start, lineEnd);
    if (time.test(text)) {
      if (/^\s*\d+\s*$/.test(lines?.at(-1)?.text ?? "")) lines?.pop();
      end();
      lines = [];
    } else if (damagedTime.test(text)) {
      throw new UnreadableDocument(`The subtitles are invalid: line ${index + 1}: its times cannot be read.`);
    } else lines?.push({ start, end: lineEnd, text });
  }
  end();
  return cues;
};

/** How many characters a reader sees of a written word. */
const seenLength = (written: string): number => {
  const seen = written
    .replaceAll(new RegExp(markup, "g"), "")
    .replaceAll(/&(?:amp|lt|gt|nbsp|[lr]rm);/g, " ");
  return [...seen].length;
};

/** Breaks text into as few lines as fit, of about the same length. Tags have no spaces to break at. */
const breakLines = (written: string, lineEnd: string): string => {
  const tagged = written.replaceAll(new RegExp(markup, "g"), (tag) => tag.replaceAll(" ", "\u0000"));
  const words = tagged.split(/[ \t\r\n]+/).filter((word) => word !== "");
  const total = seenLength(words.join(" "));
  const count = Math.ceil(total / maxLineLength);
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const joined = line === undefined ? word : `${line} ${word}`;
    const isFull = seenLength(joined) > maxLineLength;
    const isShare = lines.length < count && line !== undefined && seenLength(line) >= total / count;
    if (line === undefined || isFull || isShare) lines.push(word);
    else lines[lines.length - 1] = joined;
  }
  return lines.join(lineEnd).replaceAll("\u0000", " ");
};

const isTooLong = (written: string): boolean =>
  written.split(lineEnds).some((line) => seenLength(line) > maxLineLength);

/** Subtitles have no escape for an arrow, and an empty line would end the cue. */
const isText = (written: string): boolean =>
  !written.includes("-->") && written.split(lineEnds).every((line) => line.trim() !== "");

/** Adds a range of a cue to a passage, its tags as pairs. */
const addCue = (source: string, { start, end }: Range, passage: PassageCollector): void => {
  let position = start;
  for (const match of source.slice(start, end).matchAll(new RegExp(markup, "g"))) {
    const range = { start: start + match.index, end: start + match.index + match[0].length };
    passage.addText({ start: position, end: range.start });
    position = range.end;
    const { closing, name } = /^<(?<closing>\/?)(?<name>[a-zA-Z]+)/.exec(match[0])?.groups ?? {};
    if (name === undefined) passage.addAlone(range);
    else passage.addTag({ ...range, name, isClosing: closing === "/" });
  }
  passage.addText({ start: position, end });
  passage.end();
};

/** Returns the segments of a cue: one, or one for each of its parts. */
const segmentsOf = (source: string, cue: Cue, syntax: Syntax, lineEnd: string): DocumentSegment[] => {
  const segments: DocumentSegment[] = [];
  for (const range of partsOfCue(source, cue.lines)) {
    const words = createPassageReader(source, syntax);
    const add = (found: readonly DocumentSegment[]): void => {
      for (const segment of found) segments.push(segment);
    };
    const passage = collectPassage(words, add, {
      hasStructure: isText,
      layOut: (written) =>
        isTooLong(written) && !source.slice(range.start, range.end).includes(written)
          ? breakLines(written, lineEnd)
          : written,
    });
    addCue(source, range, passage);
  }
  return segments;
};

const readSubtitles = (
  source: string,
  syntax: Syntax,
  name: string,
  groups: (lines: readonly CueLine[]) => CueLine[][],
): ParsedDocument => {
  const cues = cuesOf(source, groups);
  if (cues.length === 0) throw new UnreadableDocument(`The document has no subtitles of ${name}.`);
  const lineEnd = source.match(lineEnds)?.[0] ?? "\n";
  return { source, segments: cues.flatMap((cue) => segmentsOf(source, cue, syntax, lineEnd)) };
};

/** Returns the edit of the language in the head of a WebVTT file, which is before its first empty line. */
const editLanguage = (source: string, languages: DocumentLanguages | undefined): DocumentEdit[] => {
  const head = source.slice(0, linesOf(source).find(({ start, end }) => start === end)?.start);
  const [, name = "", value = ""] = /^(WEBVTT[\s\S]*?[\r\n]Language:[ \t]*)([\w-]+)/.exec(head) ?? [];
  const text = languageRenamer(languages)(value);
  return text === undefined ? [] : [{ start: name.length, end: name.length + value.length, text }];
};

/** Reads SubRip. Numbers and times stay; a text that is too long for a line is broken into more lines. @throws UnreadableDocument */
export const readSrt = (source: string, languages?: DocumentLanguages): ParsedDocument =>
  readSubtitles(source, { ...plainSyntax, target: languages?.target }, "SubRip", groupsOf);

/** Reads WebVTT, as {@link readSrt}. Notes, styles, names of cues and their settings stay. @throws UnreadableDocument */
export const readVtt = (source: string, languages?: DocumentLanguages): ParsedDocument => {
  if (!/^\uFEFF?WEBVTT(?:\s|$)/.test(source)) {
    throw new UnreadableDocument("The document does not begin with WEBVTT.");
  }
  const read = readSubtitles(source, { ...vttSyntax, target: languages?.target }, "WebVTT", firstGroup);
  return { ...read, edits: editLanguage(source, languages) };
};
