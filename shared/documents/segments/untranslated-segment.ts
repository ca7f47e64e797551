import * as z from "zod";

/** Why a segment stayed in its own language. */
export const untranslatedReasons = [
  "empty",
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
        "`empty`: the model responded with no words; `markup_lost`: it lost a tag or a placeholder, twice; `lines_changed`: it responded in several lines; `too_long`: " +
        "the segment or its translation is too long; `structure_changed`: words would have become markup",
    }),
  })
  .meta({ id: "UntranslatedSegment" });
export type UntranslatedSegment = z.infer<typeof untranslatedSegment>;
