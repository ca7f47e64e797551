import * as z from "zod";
import { type TranslationFault, translationFaults } from "../../models/inference/translation.ts";

/** Why a segment stayed in its own language. */
export const untranslatedReasons = [
  ...translationFaults,
  "markup_lost",
  "lines_changed",
  "too_long",
  "structure_changed",
] as const;
export type UntranslatedReason = (typeof untranslatedReasons)[number];

/** A segment that was not translated. */
export const untranslatedSegment = z
  .object({
    index: z.int().meta({ example: 3, description: "Its position among the segments, from 0" }),
    reason: z.enum(untranslatedReasons).meta({
      example: "markup_lost",
      description:
        "The model's reply was no translation, twice: `empty`: it had no words; `cut`: it was cut short; `filtered`: the model's server withheld it; " +
        "`unchanged`: it was the segment itself; `refused`: the model refused to translate; `instruction_repeated`: it repeated its instruction; " +
        "`wrong_language`: it replied in the language of the document, or explained; `repetitive`: it repeated itself without an end. Others: `markup_lost`: it lost a tag or a placeholder, twice; `lines_changed`: it responded in several lines; `too_long`: " +
        "the segment or its translation is too long; `structure_changed`: words would have become markup",
    }),
  })
  .meta({ id: "UntranslatedSegment" });
export type UntranslatedSegment = z.infer<typeof untranslatedSegment>;

/** Returns why replies to segments were no translations, for those of which it is so. */
export const faultsOf = (untranslated: readonly UntranslatedSegment[]): TranslationFault[] =>
  untranslated.flatMap(({ reason }) => translationFaults.filter((fault) => fault === reason));

/** A document is translated although this many segments have no translation, or half of its segments if that is more. */
const maxFaults = 3;

/** Whether so many replies were no translations that a document is not translated. @param segments how many it has */
export const isUntranslated = (untranslated: readonly UntranslatedSegment[], segments: number): boolean => {
  const { length } = faultsOf(untranslated);
  return length > maxFaults && length > segments / 2;
};
