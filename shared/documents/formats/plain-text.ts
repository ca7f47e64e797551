import { createPassageReader, plainSyntax } from "../segments/read-words.ts";
import type { ParsedDocument, Range } from "../segments/segment.ts";

/** A line this long may have been wrapped. */
const wrappedLength = 40;

interface Line extends Range {
  readonly text: string;
}

const linesOf = (source: string): Line[] =>
  Array.from(source.matchAll(/[^\r\n]+/g), ({ index, 0: text }) => ({
    text: text.trim(),
    start: index,
    end: index + text.length,
  }));

/** Whether a sentence goes over the end of a line: the line is long and open, and the next one begins in the middle. */
const isContinued = (source: string, line: Line, next: Line): boolean =>
  line.text.length >= wrappedLength &&
  !/[.!?:;…»”"]$/.test(line.text) &&
  /^\p{Ll}/u.test(next.text) &&
  /^[ \t]*\r?\n[ \t]*$/.test(source.slice(line.end, next.start));

/** Reads plain text: a passage is a line, or several that a sentence was wrapped into. */
export const readText = (source: string): ParsedDocument => {
  const passages: Line[][] = [];
  let last: Line | undefined;
  for (const line of linesOf(source)) {
    if (last && isContinued(source, last, line)) passages.at(-1)?.push(line);
    else passages.push([line]);
    last = line;
  }
  const segments = passages.flatMap((lines) => {
    const words = createPassageReader(source, plainSyntax);
    const [first] = lines;
    const end = lines.at(-1)?.end;
    return first && end !== undefined ? words.segmentsOf(words.read({ start: first.start, end })) : [];
  });
  return { source, segments };
};
