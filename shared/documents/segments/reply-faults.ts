import { type TranslationFault, translationFaults } from "../../models/inference/translation-faults.ts";
import type { UntranslatedSegment } from "./untranslated-segment.ts";

/** Returns the faults of the model's replies among the reasons. */
export const faultsOf = (untranslated: readonly UntranslatedSegment[]): TranslationFault[] =>
  untranslated.flatMap(({ reason }) => translationFaults.filter((fault) => fault === reason));

const maxFaults = 3;

/**
 * Whether a document counts as not translated: its model failed at more than three segments, and at more than half of them.
 *
 * @param segments how many it has
 */
export const isUntranslated = (untranslated: readonly UntranslatedSegment[], segments: number): boolean => {
  const { length } = faultsOf(untranslated);
  return length > maxFaults && length > segments / 2;
};
