import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import type { Mode } from "./conversation.ts";
import type { ButtonsOutput, ListOutput } from "./plan.ts";
import { modeNames, wording } from "./wording.ts";

/** The languages of the picker, in its order: the ones that work best and are used most. */
export const languageChoices: readonly Language[] = ["lug", "ach", "teo", "lgg", "nyn", "eng"].flatMap(
  (code) => findLanguage(code, "translation") ?? [],
);

export const ratings = ["Excellent", "Good", "Fair", "Poor"] as const;

/** Rows and buttons other than languages, modes and ratings. */
export const choices = {
  help: { id: "help", title: "Get Help" },
  setLanguage: { id: "set_language", title: "Set Language" },
  startChatting: { id: "start_chatting", title: "Start Chatting" },
  voiceOn: { id: "tts_on", title: "Voice on" },
  voiceOff: { id: "tts_off", title: "Voice off" },
} as const;

const modeIds: Readonly<Record<Mode, string>> = {
  chat: "mode_chat",
  translate: "mode_translate",
  transcribe: "mode_transcribe",
  speak: "mode_tts",
};

const modeDescriptions: Readonly<Record<Mode, string>> = {
  chat: "Talk with me about anything",
  translate: "Texts and voice notes, into your language",
  transcribe: "Your voice notes as text",
  speak: "Your text, read aloud",
};

const modesInOrder: readonly Mode[] = ["chat", "translate", "transcribe", "speak"];

/** The mode of a row; `undefined` for other rows. */
export const modeOfChoice = (id: string): Mode | undefined =>
  modesInOrder.find((mode) => modeIds[mode] === id);

/** Sent after a person's first reply. */
export const welcomeList: ListOutput = {
  kind: "list",
  header: "Welcome to Language AI",
  text: "I can chat, translate, turn voice notes into text and read texts aloud, in English and Ugandan languages. Where would you like to start?",
  footer: "You can always write: menu",
  button: "Get Started",
  rows: [
    { ...choices.help, description: "See what I can do" },
    { ...choices.setLanguage, description: "Choose your language" },
    { ...choices.startChatting, description: "Ask me something right away" },
  ],
};

export const languageList = (current: string): ListOutput => ({
  kind: "list",
  header: "Your language",
  text: "Which language should I translate into, listen to and speak?",
  footer: `Now: ${current}`,
  button: "Choose language",
  rows: languageChoices.map(({ code, name }) => ({ id: `language_${code}`, title: name })),
});

export const modeList = (current: Mode): ListOutput => ({
  kind: "list",
  header: "What should I do?",
  text: "Choose what I do with your messages.",
  footer: `Now: ${modeNames[current]}`,
  button: "Choose mode",
  rows: modesInOrder.map((mode) => ({
    id: modeIds[mode],
    title: modeNames[mode],
    description: modeDescriptions[mode],
  })),
});

export const ratingList: ListOutput = {
  kind: "list",
  header: "Your opinion",
  text: wording.rateUs,
  button: "Rate the reply",
  rows: ratings.map((title) => ({ id: `rating_${title.toLowerCase()}`, title })),
};

/** The setting of voice replies, with buttons to turn them on and off. */
export const voiceButtons = (isOn: boolean): ButtonsOutput => ({
  kind: "buttons",
  text: wording.voiceSettings(isOn),
  buttons: [choices.voiceOn, choices.voiceOff],
});
