/**
 * Words of the assistant in other languages than English, by ISO 639-3 code. Only what has been checked stands here: each
 * is the first wording in the phrasebook of the sample models. A language without a checked wording is answered in English.
 */
const phrases = {
  hello: { eng: "Hello", lug: "Gyebale ko", nyn: "Agandi" },
  thankYou: { eng: "Thank you", lug: "Webale", nyn: "Webare", ach: "Apwoyo" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A phrase in a language, or in English where the language has no checked wording of it. */
export const checkedPhrase = (phrase: keyof typeof phrases, language: string): string => {
  const wordings: Readonly<Record<string, string>> = phrases[phrase];
  return wordings[language] ?? phrases[phrase].eng;
};
