import type { PhrasebookLanguage } from "./languages.ts";

/** The wordings of a phrase in one language: the one that is given as a translation, then others that are understood. */
export type Wordings = readonly [given: string, ...alsoUnderstood: string[]];

/**
 * One meaning, with its wordings in each language that has it. English always exists; languages with doubtful
 * wordings are omitted.
 *
 * Wordings are written as in the middle of a sentence (capitals for names and "I" only); a question ends with its
 * question mark, other closing punctuation is omitted.
 */
export type Phrase = {
  readonly id: string;
  readonly eng: Wordings;
} & { readonly [language in Exclude<PhrasebookLanguage, "eng">]?: Wordings };
