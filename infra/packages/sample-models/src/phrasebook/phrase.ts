import type { PhrasebookLanguage } from "./languages.ts";

/** The wordings of a phrase in one language: the one that is given as a translation, then others that are understood. */
export type Wordings = readonly [given: string, ...alsoUnderstood: string[]];

/**
 * One meaning, with its wordings in each language that has it. English is always there; a language in which the
 * right words are in doubt is left out.
 *
 * Wordings are written as they stand in the middle of a sentence (capitals for names and "I" only); a question
 * ends with its question mark, other closing punctuation is left out.
 */
export type Phrase = {
  readonly id: string;
  /** The id of the phrase with which one answers this one in a conversation, for greetings and courtesy. */
  readonly reply?: string;
  readonly eng: Wordings;
} & { readonly [language in Exclude<PhrasebookLanguage, "eng">]?: Wordings };
