import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import { type Mode, modes } from "./conversation.ts";
import type { ButtonsOutput, ListOutput } from "./plan.ts";
import type { Wording } from "./wording/english.ts";
import { wordings } from "./wording.ts";

/** The languages of the picker, in its order: the ones that work best and are used most. */
export const languageChoices: readonly Language[] = ["lug", "ach", "teo", "lgg", "nyn", "eng", "swa"].flatMap(
  (code) => findLanguage(code, "translation") ?? [],
);

type ChoiceName = keyof Wording["menus"]["choices"];
type RatingName = keyof Wording["menus"]["ratings"];

/** Rows and buttons other than languages, modes and ratings. */
const choiceIds: Readonly<Record<ChoiceName, string>> = {
  help: "help",
  setLanguage: "set_language",
  startChatting: "start_chatting",
  voiceOn: "tts_on",
  voiceOff: "tts_off",
};

const modeIds: Readonly<Record<Mode, string>> = {
  chat: "mode_chat",
  translate: "mode_translate",
  transcribe: "mode_transcribe",
  speak: "mode_tts",
};

/** The ratings, best first, as they are stored: in English, also if the person read another language. */
export const ratings: readonly RatingName[] = ["excellent", "good", "fair", "poor"];

const choiceNames: readonly ChoiceName[] = ["help", "setLanguage", "startChatting", "voiceOn", "voiceOff"];

/** A tapped row or button. Phones can still show menus of earlier versions, so the title may match as well as the id. */
export interface TappedChoice {
  readonly id: string;
  readonly title: string;
}

const everyWording = Object.values(wordings);

/** The choice that was tapped; `undefined` for another row. */
export const findChoice = ({ id, title }: TappedChoice): ChoiceName | undefined =>
  choiceNames.find((name) => choiceIds[name] === id) ??
  choiceNames.find((name) => everyWording.some(({ menus }) => menus.choices[name] === title));

/** The rating that was tapped; `undefined` for another row. */
export const findRating = ({ title }: TappedChoice): RatingName | undefined =>
  ratings.find((name) => everyWording.some(({ menus }) => menus.ratings[name] === title));

/** The mode of a row; `undefined` for other rows. */
export const modeOfChoice = (id: string): Mode | undefined => modes.find((mode) => modeIds[mode] === id);

/** Sent after a person's first reply. */
export const welcomeList = ({ menus: { welcome, choices } }: Wording): ListOutput => ({
  kind: "list",
  header: welcome.header,
  text: welcome.text,
  footer: welcome.footer,
  button: welcome.button,
  rows: (["help", "setLanguage", "startChatting"] as const).map((name) => ({
    id: choiceIds[name],
    title: choices[name],
    description: welcome[name],
  })),
});

export const languageList = (current: string, { menus: { language, now } }: Wording): ListOutput => ({
  kind: "list",
  header: language.header,
  text: language.text,
  footer: now(current),
  button: language.button,
  rows: languageChoices.map(({ code, name }) => ({ id: `language_${code}`, title: name })),
});

export const modeList = (current: Mode, { menus }: Wording): ListOutput => ({
  kind: "list",
  header: menus.mode.header,
  text: menus.mode.text,
  footer: menus.now(menus.modeNames[current]),
  button: menus.mode.button,
  rows: modes.map((mode) => ({
    id: modeIds[mode],
    title: menus.modeNames[mode],
    description: menus.modeDescriptions[mode],
  })),
});

export const ratingList = ({ rateUs, menus }: Wording): ListOutput => ({
  kind: "list",
  header: menus.rating.header,
  text: rateUs,
  button: menus.rating.button,
  rows: ratings.map((name) => ({ id: `rating_${name}`, title: menus.ratings[name] })),
});

/** The setting of voice replies, with buttons to turn them on and off. */
export const voiceButtons = (
  isOn: boolean,
  { voiceSettings, menus: { choices } }: Wording,
): ButtonsOutput => ({
  kind: "buttons",
  text: voiceSettings(isOn),
  buttons: (["voiceOn", "voiceOff"] as const).map((name) => ({ id: choiceIds[name], title: choices[name] })),
});
