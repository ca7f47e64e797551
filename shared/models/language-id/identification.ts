/** The languages that can be identified, ISO 639-3: Acholi, Ateso, English, Luganda, Lugbara, Runyankole. */
export const identifiableLanguages = ["ach", "teo", "eng", "lug", "lgg", "nyn"] as const;

export type IdentifiableLanguage = (typeof identifiableLanguages)[number];

/** What the model says about one text. */
export interface Identification {
  /** The most probable of the six, ISO 639-3. */
  readonly language: IdentifiableLanguage;
  /** Calibrated probability of `language`, 0 to 1, given that the text is in one of the six. */
  readonly confidence: number;
  /** Probability that the text is in none of the six, 0 to 1. */
  readonly other: number;
}

/**
 * Chosen on development texts: a stricter bound on `other` withholds few more results, and a laxer one accepts twice
 * as many short texts in Swahili. README.md has the figures for every length.
 */
const minConfidence = 0.8;
const maxOther = 0.5;

/** Decides whether an identification is reliable. @returns the language, or `undefined` when the model is unsure. */
export const classify = (identification: Identification): IdentifiableLanguage | undefined =>
  identification.confidence >= minConfidence && identification.other < maxOther
    ? identification.language
    : undefined;
