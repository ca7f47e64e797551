import { collectPassage, type PassageCollector } from "../segments/passage.ts";
import { createPassageReader, plainSyntax, type Syntax } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";

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

const blank = /(?<![ \t])[ \t]*\r?\n[ \t]*/g;

const srtSyntax: Syntax = { ...plainSyntax, blank };

const vttSyntax: Syntax = {
  escaped: new RegExp(Object.keys(vttEscapes).join("|"), "g"),
  decode: (written) => vttEscapes[written] ?? written,
  special: "&<>",
  neverPlain: "&<",
  escape: (character) =>
    Object.keys(vttEscapes).find((written) => vttEscapes[written] === character) ?? character,
  blank,
};

/** The text of a cue: its lines after the times. */
interface Cue extends Range {
  readonly lines: readonly Range[];
}

const time = /^(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}[ \t]+-->[ \t]+(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}/;

/** Returns the lines of a source, without their ends. */
const linesOf = (source: string): Range[] => {
  const lines: Range[] = [];
  let start = 0;
  for (const match of source.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  return [...lines, { start, end: source.length }];
};

/** Finds the cues: what is between a line with times and the next empty line. */
const cuesOf = (source: string): Cue[] => {
  const cues: Cue[] = [];
  let lines: Range[] | undefined;
  const end = (): void => {
    const [first] = lines ?? [];
    const last = lines?.at(-1);
    if (first && last) cues.push({ start: first.start, end: last.end, lines: lines ?? [] });
    lines = undefined;
  };
  for (const line of linesOf(source)) {
    const text = source.slice(line.start, line.end);
    if (time.test(text)) {
      end();
      lines = [];
    } else if (text.trim() === "") end();
    else lines?.push(line);
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
  written.split(/\r\n|\n|\r/).some((line) => seenLength(line) > maxLineLength);

/** Subtitles have no escape for an arrow, and an empty line would end the cue. */
const isText = (written: string): boolean =>
  !written.includes("-->") && written.split(/\r\n|\n|\r/).every((line) => line.trim() !== "");

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

/** Returns the segments of a cue: one, or one for each of two people who speak, whose lines begin with a dash. */
const segmentsOf = (source: string, cue: Cue, syntax: Syntax, lineEnd: string): DocumentSegment[] => {
  const isDialogue =
    cue.lines.length > 1 && cue.lines.every(({ start, end }) => /^\s*[-–—]/.test(source.slice(start, end)));
  const ranges: readonly Range[] = isDialogue ? cue.lines : [cue];
  const segments: DocumentSegment[] = [];
  for (const range of ranges) {
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

const readSubtitles = (source: string, syntax: Syntax, name: string): ParsedDocument => {
  const cues = cuesOf(source);
  if (cues.length === 0) throw new UnreadableDocument(`The document has no subtitles of ${name}.`);
  const lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
  return { source, segments: cues.flatMap((cue) => segmentsOf(source, cue, syntax, lineEnd)) };
};

/** Reads SubRip. Numbers and times stay; a text that is too long for a line is broken into more lines. @throws UnreadableDocument */
export const readSrt = (source: string): ParsedDocument => readSubtitles(source, srtSyntax, "SubRip");

/** Reads WebVTT, as {@link readSrt}. Notes, styles, names of cues and their settings stay. @throws UnreadableDocument */
export const readVtt = (source: string): ParsedDocument => {
  if (!/^\uFEFF?WEBVTT(?:\s|$)/.test(source)) {
    throw new UnreadableDocument("The document does not begin with WEBVTT.");
  }
  return readSubtitles(source, vttSyntax, "WebVTT");
};
