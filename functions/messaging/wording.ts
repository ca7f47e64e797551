import type { Conversation } from "./conversation.ts";
import { type Output, say } from "./plan.ts";
import { english, type Wording } from "./wording/english.ts";
import { luganda } from "./wording/luganda.ts";
import { swahili } from "./wording/swahili.ts";

/** The languages of the assistant's own words, by ISO 639-3 code. No speaker has reviewed `lug` and `swa` yet. */
export const wordings: Readonly<Record<"eng" | "lug" | "swa", Wording>> = {
  eng: english,
  lug: luganda,
  swa: swahili,
};

const isWorded = (language: string): language is keyof typeof wordings => Object.hasOwn(wordings, language);

/** Returns the words in a language, or in English where there are none. */
export const wordingIn = (language: string): Wording => wordings[isWorded(language) ? language : "eng"];

type Languages = Pick<Conversation, "settings" | "writes_in">;

/** The language of the assistant's own words for a person, ISO 639-3: the one that they last wrote in or chose. */
export const wordingLanguage = ({ writes_in, settings }: Languages): string => writes_in ?? settings.language;

/** Returns the words in the person's language. */
export const wordingFor = (languages: Languages): Wording => wordingIn(wordingLanguage(languages));

/** Why there is no reply, as far as it helps the person to know. */
export type ApologyReason = keyof Wording["apologies"];

/** The output that replaces a failed reply. */
export const apology = (reason: ApologyReason, { apologies }: Wording): Output => say(apologies[reason]);
