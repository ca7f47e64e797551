import type { UntranslatedReason } from "./untranslated-segment.ts";

/** A part of a document's source, in UTF-16 units from its start. */
export interface Range {
  readonly start: number;
  /** Excluded. */
  readonly end: number;
}

/** Words to translate. */
export interface TextPiece extends Range {
  readonly kind: "text";
  /** As a reader sees them, without the escapes of the format. */
  readonly text: string;
  /** How the source writes each blank of the text, such as a line's end. */
  readonly blanks: readonly string[];
}

/**
 * What must stay as it is in the source: a tag, a placeholder, code. An `open` mask belongs to the next `close` mask of the same
 * depth, and both to the words between them; other markup is `alone`.
 */
export interface MaskPiece extends Range {
  readonly kind: "mask";
  readonly role: "open" | "close" | "alone" | "placeholder";
  /** What is written after it, such as the tag of a run that continues. */
  readonly after?: string;
  /** Whether it must stay before and after the others of its kind, as `%s` must. */
  readonly isPositional?: true;
}

export type SegmentPiece = TextPiece | MaskPiece;

/** Where a translation is written when it does not replace its source. */
export interface Destination extends Range {
  /** What surrounds the translation, such as a new element's tags. */
  readonly before: string;
  readonly after: string;
  /** Whether it replaces the source after all, with what is around it. */
  readonly isReplaced?: true;
}

/** A sentence, a paragraph or another passage of a document that is translated as one. */
export interface DocumentSegment {
  readonly pieces: readonly [SegmentPiece, ...SegmentPiece[]];
  /** Returns the words of a translation, in order, in the syntax of this place. */
  readonly encode: (words: readonly string[]) => readonly string[];
  /** By default the range of the pieces. */
  readonly destination?: Destination;
  /** Whether its masks must keep their order, because each continues what the one before has opened. */
  readonly isOrdered?: true;
  /** Returns whether a written translation has the structure of the source. By default `encode` guarantees it. */
  readonly hasStructure?: (written: string) => boolean;
  /** Whether it is an item of a list, which a model understands by its neighbours. */
  readonly isItem?: true;
  /** Whether it is only written in the segment or the copy around it, because the source stays. */
  readonly isWithin?: true;
  /** Why it is not sent to a model. */
  readonly staying?: UntranslatedReason;
  /** What changes besides its words. */
  readonly edits?: readonly DocumentEdit[];
  /** Returns the translation as it is written, such as in lines of a bounded length. */
  readonly layOut?: (written: string) => string;
}

/** A change besides the words, such as of the language that the document names. It may be in a mask, and not in words. */
export interface DocumentEdit extends Range {
  readonly text: string;
  /** Another range of the source that is written instead, with the translations in it. */
  readonly copy?: Range & { readonly layOut: (written: string) => string };
  /** As of a segment. */
  readonly isWithin?: true;
  /** It applies when one of these is translated; by default, when anything is. */
  readonly of?: readonly DocumentSegment[];
  /** Whether all of these must be. */
  readonly needsAll?: true;
}

/** A document that was read. Its segments are in the order of the source; one may be in a mask of another one. */
export interface ParsedDocument {
  readonly source: string;
  readonly segments: readonly DocumentSegment[];
  readonly edits?: readonly DocumentEdit[];
}

/** A piece of a translation: words, or one of the segment's masks, by its index among the pieces. */
export type TranslationPart = { readonly text: string } | { readonly mask: number };

export type Translation = readonly TranslationPart[];

/** What is written in place of a range, and may contain other replacements. */
interface Replacement extends Range {
  readonly isWithin?: true | undefined;
  readonly write: (source: string, replacements: readonly Replacement[]) => string;
}

const rangeOf = ({ pieces }: DocumentSegment): Range => ({
  start: pieces[0].start,
  end: (pieces.at(-1) ?? pieces[0]).end,
});

/** Returns the index of the first replacement that starts at the position or after it. */
const firstAt = (replacements: readonly Replacement[], position: number): number => {
  let low = 0;
  let high = replacements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((replacements[middle]?.start ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Writes a range of the source with the replacements in it. Outer ones come before inner ones. @param all those within them, too. */
const writeRange = (
  source: string,
  range: Range,
  replacements: readonly Replacement[],
  all = replacements,
): string => {
  let written = "";
  let position = range.start;
  for (let index = firstAt(replacements, range.start); index < replacements.length; index += 1) {
    const replacement = replacements[index];
    if (!replacement || replacement.start >= range.end) break;
    if (replacement.start < position || replacement.end > range.end) continue;
    written += source.slice(position, replacement.start) + replacement.write(source, all);
    position = replacement.end;
  }
  return written + source.slice(position, range.end);
};

const writeSegment = (
  source: string,
  { pieces, destination, encode, layOut = (written) => written }: DocumentSegment,
  translation: Translation,
  replacements: readonly Replacement[] = [],
): string => {
  const words = encode(translation.flatMap((piece) => ("text" in piece ? [piece.text] : [])));
  let used = 0;
  const written = translation.map((translated) => {
    if ("text" in translated) return words[used++] ?? "";
    const mask = pieces[translated.mask];
    if (mask?.kind !== "mask") return "";
    return writeRange(source, mask, replacements) + (mask.after ?? "");
  });
  return `${destination?.before ?? ""}${layOut(written.join(""))}${destination?.after ?? ""}`;
};

/** Returns the translation of one segment as the document would contain it. */
export const writtenSegment = (source: string, segment: DocumentSegment, translation: Translation): string =>
  writeSegment(source, segment, translation);

/**
 * Returns the document with the translations of its segments and its edits. Everything else is the same as in the source.
 *
 * @param translations by segment; segments without one stay as they are.
 * @param isTranslated whether anything of the document is, also in other parts of its file.
 */
export const writeDocument = (
  { source, segments, edits = [] }: ParsedDocument,
  translations: ReadonlyMap<DocumentSegment, Translation>,
  isTranslated = translations.size > 0,
): string => {
  const translated = segments.flatMap((segment): Replacement[] => {
    const translation = translations.get(segment);
    const { start, end } = segment.destination ?? rangeOf(segment);
    if (!translation) return [];
    const { isWithin } = segment;
    return [
      { start, end, isWithin, write: (text, inner) => writeSegment(text, segment, translation, inner) },
    ];
  });
  // Readers copy segments, but not their pieces.
  const pieces = new Set(Array.from(translations.keys(), (segment) => segment.pieces));
  const edited = [...edits, ...segments.flatMap((segment) => segment.edits ?? [])]
    .filter(({ of, needsAll }) => {
      if (!of) return isTranslated;
      const count = of.filter((segment) => pieces.has(segment.pieces)).length;
      return needsAll ? count === of.length : count > 0;
    })
    .map(
      ({ start, end, text, copy, isWithin }): Replacement => ({
        ...{ start, end, isWithin },
        write: (_, inner) => (copy ? copy.layOut(writeRange(source, copy, inner)) : text),
      }),
    );
  const replacements = [...translated, ...edited].toSorted(
    (one, other) => one.start - other.start || other.end - one.end,
  );
  const outer = replacements.filter(({ isWithin }) => !isWithin);
  return writeRange(source, { start: 0, end: source.length }, outer, replacements);
};
