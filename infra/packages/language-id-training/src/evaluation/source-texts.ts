import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
import type { CorpusLine } from "../training/corpus.ts";
import { textsByLength } from "../training/length-buckets.ts";
import { languageOf } from "../training/partition.ts";

/** A held-out text of any language. */
export interface SourceText {
  readonly text: string;
  readonly language: string;
  /** The name of its length bucket. */
  readonly bucket: string;
}

const maxTextsPerSource = 400;

/**
 * Makes texts of each length from held-out lines, up to 400 of each language and source.
 *
 * @param learned normalised texts that the model has learned from; no text may be one of them
 */
export const sourceTextsFrom = (
  heldOut: readonly CorpusLine[],
  learned: ReadonlySet<string>,
): readonly SourceText[] =>
  [...Map.groupBy(heldOut, (line) => `${languageOf(line)} ${line.source}`).values()].flatMap((lines) => {
    const language = lines[0] ? languageOf(lines[0]) : "";
    const byLength = textsByLength(
      lines.map(({ text }) => text),
      maxTextsPerSource,
    );
    return [...byLength].flatMap(([bucket, texts]) =>
      texts.filter((text) => !learned.has(normalise(text))).map((text) => ({ text, language, bucket })),
    );
  });

/** A language with fewer held-out lines is not measured. */
export const minHeldOutLines = 50;

/** Returns how many held-out lines each language has. */
export const countLines = (heldOut: readonly CorpusLine[]): ReadonlyMap<string, number> =>
  new Map([...Map.groupBy(heldOut, languageOf)].map(([language, lines]) => [language, lines.length]));
