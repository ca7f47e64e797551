import * as z from "zod";
import { translationFaults } from "../../models/inference/translation-faults.ts";

/** Why a segment stayed in its own language. */
export const untranslatedReasons = [
  ...translationFaults,
  "markup_lost",
  "order_changed",
  "unreadable_message",
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
        "`wrong_language`: it replied in the language of the document, or explained; `repetitive`: it repeated itself without an end. Others: `markup_lost`: it lost a tag or a placeholder, twice; `order_changed`: it moved placeholders without numbers, such as two `%s`; `unreadable_message`: the branches of a message could not be read, or have no place to be written; `lines_changed`: it responded in several lines; `too_long`: " +
        "the segment or its translation is too long; `structure_changed`: words would have become markup",
    }),
  })
  .meta({ id: "UntranslatedSegment" });
export type UntranslatedSegment = z.infer<typeof untranslatedSegment>;
