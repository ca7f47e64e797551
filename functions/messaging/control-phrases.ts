import type { Mode } from "./conversation.ts";

/** A command about the person's own data, or to hear nothing more. */
export type Control =
  | { readonly kind: "stop"; readonly language?: string }
  | { readonly kind: "my-data" }
  | { readonly kind: "forget" };

/** Returns a message without case, punctuation and superfluous spaces. */
export const normalisePhrase = (message: string): string =>
  message
    .toLowerCase()
    .replace(/[.,;!?¡¿'"“”]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** Phrases by the ISO 639-3 code of their language, separated by `|`. */
type Phrases = Readonly<Record<string, string>>;

const stopPhrases: Phrases = {
  eng: "stop|stop all|unsubscribe",
  lug: "koma|lekera awo|yimirira",
  swa: "acha|sitisha|komesha",
};

const startPhrases: Phrases = { eng: "start|unstop", lug: "tandika|ddamu", swa: "anza|endelea" };

/** English is not among them: people of all languages greet in English. */
const greetingPhrases: Phrases = {
  lug: "ssebo|nyabo|webale|wasuze otya|wasuze otya nno|oli otya|oli otya nno",
  swa: "habari|habari yako|jambo|hujambo|mambo",
};

const yesPhrases = "yes|y|yes please|yee|ye|ndiyo|ndio";

/** Returns the language of a phrase; `undefined` for others. */
const languageOfPhrase = (phrases: Phrases, phrase: string): string | undefined =>
  Object.entries(phrases).find(([, known]) => known.split("|").includes(phrase))?.[0];

const withLanguage = (language: string) => (language === "eng" ? {} : { language });

/**
 * Reads a normalised phrase; `undefined` unless all of it is a control.
 *
 * In translate mode only the English words are, which all our sentences name: the others may be texts to translate.
 */
export const readControl = (phrase: string, mode: Mode): Control | undefined => {
  if (phrase === "my data") return { kind: "my-data" };
  if (phrase === "forget me") return { kind: "forget" };
  const language = languageOfPhrase(stopPhrases, phrase);
  if (language === undefined || (mode === "translate" && language !== "eng")) return undefined;
  return { kind: "stop", ...withLanguage(language) };
};

/** Whether a person who said STOP wants to hear from us again. @returns the language of the phrase. */
export const readStart = (message: string): string | undefined =>
  languageOfPhrase(startPhrases, normalisePhrase(message));

/** The language of a greeting in Luganda or Swahili. */
export const greetingLanguage = (message: string): string | undefined =>
  languageOfPhrase(greetingPhrases, normalisePhrase(message));

const yesWithText = /^(?:yes|yee|ye|ndiyo|ndio)\s*:(?<text>[\s\S]*)$/iu;

/** Reads YES, or `YES: …` with a text after the colon; `undefined` for all other messages. */
export const readYes = (message: string): { readonly text?: string } | undefined => {
  if (yesPhrases.split("|").includes(normalisePhrase(message))) return {};
  const text = yesWithText.exec(message.trim())?.groups?.["text"]?.trim();
  if (text === undefined) return undefined;
  return text === "" ? {} : { text };
};

const wrongPhrases =
  "wrong|it is wrong|thats wrong|that is wrong|kikyamu|si kituufu|si sahihi|sio sahihi|makosa";
const wrongWithText = /^wrong\s*:(?<text>[\s\S]*)$/iu;

/** Reads "wrong", or `wrong: …` with the right translation; `undefined` for all other messages. */
export const readWrong = (message: string): { readonly text?: string } | undefined => {
  if (wrongPhrases.split("|").includes(normalisePhrase(message))) return {};
  const text = wrongWithText.exec(message.trim())?.groups?.["text"]?.trim();
  if (text === undefined) return undefined;
  return text === "" ? {} : { text };
};
