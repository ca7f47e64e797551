import { createPassageReader } from "../segments/read-words.ts";
import type { DocumentSegment, MaskPiece, Range, SegmentPiece } from "../segments/segment.ts";
import type { Syntax } from "../segments/syntax.ts";
import { xmlTextSyntax } from "../segments/xml-syntax.ts";

/** All blanks but line ends are seen, because `xml:space` is set. */
const preservedSyntax: Syntax = {
  ...xmlTextSyntax,
  neverPlain: "&<",
  blank: /(?<![ \t])[ \t]*[\r\n][ \t\r\n]*/g,
};

/** What is between a text and the one before: nothing that a reader sees, the start or the end of a link, or something that stays. */
export type Boundary = "nothing" | "link" | "linkEnd" | "other";

/** A text of a paragraph, and how it looks. */
export interface RunText extends Range {
  /** The properties of its run that readers see. */
  readonly format: string;
  /** As the source writes them. */
  readonly properties: string;
  readonly boundary: Boundary;
  /** What no reader sees, but other parts of the document refer to. */
  readonly hidden: string;
}

/** The names of elements in a kind of file: of Word, of drawings, and of sheets. */
export interface RunNames {
  readonly run: string;
  readonly text: string;
}

const beginRun = ({ run, text }: RunNames, properties: string): string =>
  `<${run}>${properties}<${text}${text.startsWith("a:") ? "" : ' xml:space="preserve"'}>`;

const endRun = ({ run, text }: RunNames): string => `</${text}></${run}>`;

/** Returns what ends the present run and begins one with other properties. */
const switchTo = (names: RunNames, properties: string): string => endRun(names) + beginRun(names, properties);

/** Returns the format of most characters. */
const usualFormat = (texts: readonly RunText[]): RunText | undefined => {
  const lengths = new Map<string, number>();
  for (const { format, start, end } of texts) lengths.set(format, (lengths.get(format) ?? 0) + end - start);
  return texts.toSorted((one, other) => (lengths.get(other.format) ?? 0) - (lengths.get(one.format) ?? 0))[0];
};

/** Returns the texts with blanks in the format of a neighbour, so that no tag is only for a blank. */
const withUsualBlanks = (source: string, texts: readonly RunText[]): RunText[] => {
  const changed: RunText[] = [];
  for (const [index, text] of texts.entries()) {
    const isBlank = source.slice(text.start, text.end).trim() === "";
    const before = text.boundary === "nothing" ? changed.at(-1) : undefined;
    const next = texts[index + 1];
    const neighbour = before ?? (next?.boundary === "nothing" ? next : undefined);
    const { format, properties } = (isBlank ? neighbour : undefined) ?? text;
    changed.push({ ...text, format, properties });
  }
  return changed;
};

/** Returns for each text whether its boundary is one of a link that begins and ends between texts. */
const pairedLinks = (texts: readonly RunText[]): Set<RunText> => {
  const paired = new Set<RunText>();
  let open: RunText | undefined;
  for (const text of texts.slice(1)) {
    if (text.boundary === "linkEnd" && open) paired.add(open).add(text);
    if (text.boundary !== "nothing") open = text.boundary === "link" ? text : undefined;
  }
  return paired;
};

interface Frame {
  readonly usual: RunText;
  /** Whether a pair for another format is open. */
  isOther: boolean;
}

/** Returns the masks of a paragraph: pairs around what looks different from most of it, and around links. */
const createMasks = (names: RunNames, usual: RunText) => {
  const frames: [Frame, ...Frame[]] = [{ usual, isOther: false }];
  const top = (): Frame => frames.at(-1) ?? frames[0];
  const at = (position: number, role: MaskPiece["role"], after: string): MaskPiece => ({
    ...{ kind: "mask", role, start: position, end: position, after },
  });
  const close = (position: number): MaskPiece[] => {
    const frame = top();
    if (!frame.isOther) return [];
    frame.isOther = false;
    return [at(position, "close", switchTo(names, frame.usual.properties))];
  };
  const open = ({ start, format, properties }: RunText): MaskPiece[] => {
    const frame = top();
    if (format === frame.usual.format) return [];
    frame.isOther = true;
    return [at(start, "open", switchTo(names, properties))];
  };
  /** What stays ends in a run like that of the text after it. */
  const stay = (last: RunText, text: RunText, role: MaskPiece["role"]): MaskPiece => ({
    ...{ kind: "mask", role, start: last.end, end: text.start },
    after: text.format === top().usual.format ? "" : switchTo(names, top().usual.properties),
  });
  return {
    between: (last: RunText, text: RunText, isPaired: boolean): MaskPiece[] => {
      if (text.boundary === "nothing") {
        return last.format === text.format ? [] : [...close(last.end), ...open(text)];
      }
      const closed = close(last.end);
      if (isPaired && text.boundary === "link") frames.push({ usual: text, isOther: false });
      if (isPaired && text.boundary === "linkEnd") frames.pop();
      const role = isPaired ? (text.boundary === "link" ? "open" : "close") : "alone";
      return [...closed, stay(last, text, role), ...open(text)];
    },
    begin: open,
    end: (last: RunText): MaskPiece[] => close(last.end),
  };
};

/** Returns the run in which a segment begins. */
const runAt = (texts: readonly RunText[], position: number): RunText | undefined =>
  texts.findLast(({ start }) => start <= position);

/** Returns how a translation is written: it begins in the run of its first word, with the format of most of them. */
const layOutRuns = (
  names: RunNames,
  { texts, usual }: { readonly texts: readonly RunText[]; readonly usual: RunText },
  first: RunText,
  hidden: string,
) => {
  const empty = new Set(texts.map(({ properties }) => beginRun(names, properties) + endRun(names)));
  const before = first.format === usual.format ? "" : switchTo(names, usual.properties);
  const start = switchTo(names, first.properties);
  const after = hidden === "" ? "" : endRun(names) + hidden + beginRun(names, usual.properties);
  return (written: string): string => {
    let whole = before + written;
    for (const run of empty) whole = whole.replaceAll(run, "");
    return (before !== "" && whole.startsWith(start) ? whole.slice(start.length) : whole) + after;
  };
};

/** Returns the segments of a paragraph: a pair of tags for each text that looks different, and masks for what stays between two. */
export const segmentsOfRuns = (
  source: string,
  given: readonly RunText[],
  names: RunNames,
  target: string | undefined,
): DocumentSegment[] => {
  const texts = withUsualBlanks(source, given);
  const usual = usualFormat(texts);
  const [beginning] = texts;
  if (!usual || !beginning) return [];
  const words = createPassageReader(source, { ...preservedSyntax, target });
  const paired = pairedLinks(texts);
  const masks = createMasks(names, usual);
  const pieces: SegmentPiece[] = [...masks.begin(beginning)];
  let last: RunText | undefined;
  for (const text of texts) {
    if (last) for (const mask of masks.between(last, text, paired.has(text))) pieces.push(mask);
    for (const piece of words.read(text)) pieces.push(piece);
    last = text;
  }
  if (last) for (const mask of masks.end(last)) pieces.push(mask);
  return words.segmentsOf(pieces).map((segment) => {
    const { start } = segment.pieces[0];
    const { end } = segment.pieces.at(-1) ?? segment.pieces[0];
    const first = runAt(texts, start) ?? beginning;
    const hidden = texts.map((text) => (text.start > start && text.start < end ? text.hidden : "")).join("");
    const isOrdered = segment.pieces.some((piece) => piece.kind === "mask" && piece.role === "alone");
    return {
      ...segment,
      ...(isOrdered ? { isOrdered } : {}),
      layOut: layOutRuns(names, { texts, usual }, first, hidden),
    };
  });
};
