import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, ParsedDocument, Range } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { UnreadableDocument } from "../segments/unreadable-document.ts";
import { partsOfCue } from "./cue-lines.ts";

/** Braces have commands of styles; `\N` ends a line, and `\h` is a space that does not. */
const assSyntax: Syntax = {
  escaped: /\{[^{}]*\}|\\h/g,
  decode: (written) => (written === String.raw`\h` ? "\u00A0" : written),
  special: "{}",
  escape: (character) => `\\${character}`,
  blank: /(?:(?<! ) +)?\\[Nn] */g,
};

/** A line that draws a shape instead of text. */
const drawing = /\{[^{}]*\\p[1-9]/;

/** Returns the position after the commas before a line's text; -1 when it has fewer. */
const textStart = (source: string, { start, end }: Range, commas: number): number => {
  let position = start;
  for (let count = 0; count < commas; count += 1) {
    position = source.indexOf(",", position) + 1;
    if (position === 0 || position > end) return -1;
  }
  return position;
};

/** Returns the lines of a subtitle. */
const linesIn = (source: string, { start, end }: Range): Range[] => {
  let position = start;
  return source
    .slice(start, end)
    .split(/(\\[Nn])/)
    .flatMap((part): Range[] => {
      const from = position;
      position += part.length;
      return /^\\[Nn]$/.test(part) ? [] : [{ start: from, end: position }];
    });
};

const readLine = (source: string, range: Range, target: string | undefined): DocumentSegment[] => {
  if (drawing.test(source.slice(range.start, range.end))) return [];
  return partsOfCue(source, linesIn(source, range)).flatMap((part) => {
    const words = createPassageReader(source, { ...assSyntax, target });
    const pieces = words
      .read(part)
      .map((piece) =>
        piece.kind === "mask" && source[piece.start] === "{" ? ({ ...piece, role: "alone" } as const) : piece,
      );
    return words.segmentsOf(pieces);
  });
};

/**
 * Reads subtitles of SubStation Alpha. Styles, times and comments stay; a line has its commands as masks.
 *
 * @throws UnreadableDocument for a line without all of its fields, and for a file without lines.
 */
export const readAss = (source: string, target?: string): ParsedDocument => {
  const segments: DocumentSegment[] = [];
  let section = "";
  let commas = 9;
  let count = 0;
  for (const [number, { index, 0: line }] of Array.from(source.matchAll(/(?<=^|\n|\r)[^\r\n]+/g)).entries()) {
    const trimmed = line.trim();
    if (/^\[.*\]$/.test(trimmed)) section = trimmed.toLowerCase();
    if (section !== "[events]") continue;
    const format = /^Format:(.*)/i.exec(trimmed)?.[1];
    if (format !== undefined) commas = format.split(",").length - 1;
    const start = /^\s*Dialogue:/i.exec(line)?.[0].length;
    if (start === undefined) continue;
    count += 1;
    const range = { start: index + start, end: index + line.length };
    const from = textStart(source, range, commas);
    if (from < 0) {
      throw new UnreadableDocument(
        `The subtitles are invalid: line ${number + 1} that is not empty has too few fields.`,
      );
    }
    for (const segment of readLine(source, { start: from, end: range.end }, target)) segments.push(segment);
  }
  if (count === 0) throw new UnreadableDocument("The document has no subtitles of SubStation Alpha.");
  return { source, segments };
};
