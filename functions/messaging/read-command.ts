import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import { normalisePhrase, readControl } from "./control-phrases.ts";
import { type Mode, modes } from "./conversation.ts";
import { readMarkedText, readSpeakRequest } from "./read-speak-request.ts";

/** A request that needs no model. */
export type Command =
  | { readonly kind: "greet" | "menu" | "start-over" | "cancel" | "help" | "status" | "languages" }
  /** `language` is that of the phrase, unless it is English. */
  | { readonly kind: "stop"; readonly language?: string }
  | { readonly kind: "my-data" }
  | { readonly kind: "forget" }
  | { readonly kind: "choose-language" | "choose-mode" | "voice-settings" }
  | { readonly kind: "set-language"; readonly language: Language }
  | { readonly kind: "set-mode"; readonly mode: Mode }
  | { readonly kind: "set-voice"; readonly isOn: boolean }
  /** With an empty text, we ask the person for one. */
  | { readonly kind: "speak"; readonly text: string };

const greetings =
  "hello|hi|hey|hola|greetings|yo|ssebo|nyabo|webale|good morning|good afternoon|good evening|" +
  "wasuze otya|wasuze otya nno|oli otya|oli otya nno|habari|habari yako|jambo|hujambo|mambo";

/** Commands with fixed phrases, separated by `|`. */
const fixedCommands: readonly (readonly [Command, phrases: string])[] = [
  [{ kind: "greet" }, greetings],
  [{ kind: "menu" }, "menu|start|main menu|options"],
  [{ kind: "start-over" }, "start over|restart|reset|start again"],
  [{ kind: "cancel" }, "cancel|exit|quit"],
  [{ kind: "help" }, "help|commands"],
  [{ kind: "status" }, "status"],
  [{ kind: "languages" }, "languages|language"],
  [{ kind: "choose-language" }, "set language"],
  [{ kind: "choose-mode" }, "mode|modes|switch mode|change mode"],
  [{ kind: "voice-settings" }, "voice|voice settings|audio settings|tts settings|audio replies"],
  [{ kind: "set-voice", isOn: true }, "voice on|audio on|tts on|audio replies on"],
  [{ kind: "set-voice", isOn: false }, "voice off|audio off|tts off|audio replies off|text only"],
];

const modeWords: Readonly<Record<Mode, readonly string[]>> = {
  chat: ["chat"],
  translate: ["translate"],
  transcribe: ["transcribe"],
  speak: ["tts", "speak"],
};

const modeCommands = modes.map(
  (mode) =>
    [
      { kind: "set-mode", mode } as const,
      modeWords[mode].flatMap((word) => [`mode ${word}`, `${word} mode`, `set mode ${word}`]),
    ] as const,
);

const byPhrase: ReadonlyMap<string, Command> = new Map([
  ...fixedCommands.flatMap(([command, phrases]) =>
    phrases.split("|").map((phrase) => [phrase, command] as const),
  ),
  ...modeCommands.flatMap(([command, phrases]) => phrases.map((phrase) => [phrase, command] as const)),
]);

/** The phrases in the menu and the help, and those that set a mode. */
const menuPhrases: ReadonlySet<string> = new Set([
  ..."menu|mode|set language|languages|voice|voice on|voice off|status|help|start over".split("|"),
  ...modeCommands.flatMap(([, phrases]) => phrases),
]);

const setLanguage = /^set (?:my )?language(?: ?:| to\b)?(?: (?<name>.+?))?(?: please)?$/;

/** Reads `set language` with or without a language. Followed by anything else, it may be a text to translate. */
const readLanguageCommand = (phrase: string, mode: Mode): Command | undefined => {
  const name = setLanguage.exec(phrase)?.groups?.["name"] ?? "";
  const language = findLanguage(name, "translation");
  if (language) return { kind: "set-language", language };
  return mode !== "translate" && /^set language\b/.test(phrase) ? { kind: "choose-language" } : undefined;
};

const readPhrase = (phrase: string, mode: Mode): Command | undefined => {
  if (mode === "translate") return menuPhrases.has(phrase) ? byPhrase.get(phrase) : undefined;
  const command = byPhrase.get(phrase);
  return mode === "speak" && command?.kind === "greet" ? undefined : command;
};

/**
 * Returns the command of a message; `undefined` unless the whole message is one.
 *
 * STOP, "my data" and "forget me" are commands in every mode. Otherwise in translate mode only the phrases of the menu and the help are, so "good morning" is translated. In speak mode
 * greetings are read aloud.
 */
export const readCommand = (message: string, mode: Mode): Command | undefined => {
  const phrase = normalisePhrase(message);
  const control = readControl(phrase, mode);
  if (control) return control;
  const known = readPhrase(phrase, mode);
  if (known) return known;
  const languageCommand = readLanguageCommand(phrase, mode);
  if (languageCommand) return languageCommand;
  const text = mode === "translate" ? readMarkedText(message) : readSpeakRequest(message);
  return text === undefined ? undefined : { kind: "speak", text };
};
