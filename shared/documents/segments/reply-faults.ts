import { type TranslationFault, translationFaults } from "../../models/inference/translation-faults.ts";
import type { UntranslatedReason, UntranslatedSegment } from "./untranslated-segment.ts";

/** Returns the faults of the model's replies among the reasons. */
export const faultsOf = (untranslated: readonly UntranslatedSegment[]): TranslationFault[] =>
  untranslated.flatMap(({ reason }) => translationFaults.filter((fault) => fault === reason));

/** What a model does to a translation that cannot be written. */
const ofModels: ReadonlySet<UntranslatedReason> = new Set([
  ...translationFaults,
  ...(["markup_lost", "order_changed", "lines_changed"] as const),
]);

const maxFaults = 3;

/**
 * Whether a document counts as not translated: its model failed at more than three segments, and at more than half of them.
 *
 * @param segments how many it has
 */
export const isUntranslated = (untranslated: readonly UntranslatedSegment[], segments: number): boolean => {
  const { length } = untranslated.filter(({ reason }) => ofModels.has(reason));
  return length > maxFaults && length > segments / 2;
};
