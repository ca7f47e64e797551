import type { Translator } from "../../shared/models/inference/translation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import type { JobSegment } from "../../shared/recordings/jobs/job-result.ts";
import type { JobName } from "../../shared/recordings/jobs/keys.ts";
import {
  charactersOf,
  readTranscriptSegments,
  type StagePiece,
  translatedSegment,
} from "../../shared/recordings/jobs/translated-recording.ts";
import { hasWords, splitSentences } from "../../shared/recordings/transcripts/split-sentences.ts";
import { fillPiece } from "./fill-piece.ts";
import { modelCallsAtOnce } from "./translate-piece.ts";
import { translationNames } from "./translation-names.ts";

export interface SegmentTranslationDependencies {
  readonly store: Pick<ObjectStore, "open" | "put">;
  readonly translator: Translator;
}

/** Models respond best to a few sentences. A transcript without times is one long segment. */
const maxCharacters = 1_000;

/** What the model is shown of a segment before and after. */
const maxContextCharacters = 500;

const contextOf = (before: string | undefined, after: string | undefined): string | undefined => {
  const parts = [before?.slice(-maxContextCharacters), after?.slice(0, maxContextCharacters)];
  return parts.filter((part) => part !== undefined && hasWords(part)).join("\n") || undefined;
};

/** Subtitles are lines of their own: any space of the model becomes a blank. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

const translateSegment = async (
  segments: readonly JobSegment[],
  index: number,
  translate: (text: string, context: string | undefined) => Promise<string>,
): Promise<string> => {
  const text = segments[index]?.text ?? "";
  if (!hasWords(text)) return inOneLine(text);
  const parts = splitSentences(text, maxCharacters);
  const translated: string[] = [];
  for (const [position, part] of parts.entries()) {
    const before = parts[position - 1] ?? segments[index - 1]?.text;
    const after = parts[position + 1] ?? segments[index + 1]?.text;
    translated.push(inOneLine(await translate(part, contextOf(before, after))));
  }
  return translated.join(" ");
};

/**
 * Translates some segments of a transcript into one language and stores their texts. The model sees the segment before and after
 * each as its context.
 *
 * @returns the characters that were translated.
 * @throws the errors of the store and the model.
 */
export const translateSegments = async (
  name: JobName,
  index: number,
  { language, from, to }: StagePiece,
  job: StoredTranscription,
  { store, translator }: SegmentTranslationDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const segments = await readTranscriptSegments(store, name, job);
  if (!segments) throw new AppError("internal");
  const languages = translationNames(job.language, language);
  await fillPiece(
    name,
    index,
    { length: to - from, schema: translatedSegment, atOnce: modelCallsAtOnce },
    store,
    (offset, calls) =>
      translateSegment(segments, from + offset, async (text, context) => {
        const translated = await translator.translate({ text, context, ...languages }, calls);
        return translated.text;
      }),
    signal,
  );
  return charactersOf(segments.slice(from, to));
};
