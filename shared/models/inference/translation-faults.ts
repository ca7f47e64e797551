/** Why a reply is not a translation. */
export const translationFaults = [
  "empty",
  "cut",
  "filtered",
  "unchanged",
  "refused",
  "instruction_repeated",
  "wrong_language",
  "repetitive",
] as const;
export type TranslationFault = (typeof translationFaults)[number];

/** What a caller reads then. */
export const faultMessages: Readonly<Record<TranslationFault, string>> = {
  empty: "The model returned an empty reply.",
  cut: "The translation was cut short; send a shorter text.",
  filtered: "The model's server withheld the translation.",
  unchanged: "The model returned the text as it was.",
  refused: "The model refused to translate the text.",
  instruction_repeated: "The model repeated its instruction instead of a translation.",
  wrong_language: "The model replied in another language than the target.",
  repetitive: "The model repeated itself without an end.",
};
