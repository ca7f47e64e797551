/**
 * The assistant's words in languages other than English, by ISO 639-3 code. Only checked wordings belong here: each is the
 * first one in the phrasebook of the sample models. Other languages use English.
 */
const phrases = {
  hello: { eng: "Hello", lug: "Gyebale ko", nyn: "Agandi" },
  thankYou: { eng: "Thank you", lug: "Webale", nyn: "Webare", ach: "Apwoyo" },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns a phrase in a language, or in English when there is no checked wording. */
export const checkedPhrase = (phrase: keyof typeof phrases, language: string): string => {
  const wordings: Readonly<Record<string, string>> = phrases[phrase];
  return wordings[language] ?? phrases[phrase].eng;
};
