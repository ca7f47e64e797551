import { findLanguage, type Language } from "../../shared/platform/catalogue/languages.ts";
import { type Mode, modes } from "./conversation.ts";
import { readMarkedText, readSpeakRequest } from "./read-speak-request.ts";

/** Something that is done without asking a model. */
export type Command =
  | { readonly kind: "greet" | "menu" | "start-over" | "cancel" | "help" | "status" | "languages" }
  | { readonly kind: "choose-language" | "choose-mode" | "voice-settings" }
  | { readonly kind: "set-language"; readonly language: Language }
  | { readonly kind: "set-mode"; readonly mode: Mode }
  | { readonly kind: "set-voice"; readonly isOn: boolean }
  /** Without a text the person has still to say what is to be read aloud. */
  | { readonly kind: "speak"; readonly text: string };

const words = (...phrases: string[]): readonly string[] => phrases;

/** Commands that always mean the same, by the words for them. */
const fixedCommands: readonly (readonly [Command, readonly string[]])[] = [
  [
    { kind: "greet" },
    [
      ...words("hello", "hi", "hey", "hola", "greetings", "yo", "ssebo", "nyabo", "webale"),
      ...words("good morning", "good afternoon", "good evening"),
      ...words("wasuze otya", "wasuze otya nno", "oli otya", "oli otya nno"),
    ],
  ],
  [{ kind: "menu" }, words("menu", "start", "main menu", "options")],
  [{ kind: "start-over" }, words("start over", "restart", "reset", "start again")],
  [{ kind: "cancel" }, words("cancel", "stop", "exit", "quit")],
  [{ kind: "help" }, words("help", "commands")],
  [{ kind: "status" }, words("status")],
  [{ kind: "languages" }, words("languages", "language")],
  [{ kind: "choose-language" }, words("set language")],
  [{ kind: "choose-mode" }, words("mode", "modes", "switch mode", "change mode")],
  [
    { kind: "voice-settings" },
    words("voice", "voice settings", "audio settings", "tts settings", "audio replies"),
  ],
  [{ kind: "set-voice", isOn: true }, words("voice on", "audio on", "tts on", "audio replies on")],
  [
    { kind: "set-voice", isOn: false },
    words("voice off", "audio off", "tts off", "audio replies off", "text only"),
  ],
];

/** What the modes are called in commands. */
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

const byPhrase: ReadonlyMap<string, Command> = new Map(
  [...fixedCommands, ...modeCommands].flatMap(([command, phrases]) =>
    phrases.map((phrase) => [phrase, command] as const),
  ),
);

/** The words that the menu and the help teach, and those for a mode. */
const menuPhrases: ReadonlySet<string> = new Set([
  ...words("menu", "mode", "set language", "languages", "voice", "voice on", "voice off"),
  ...words("status", "help", "start over"),
  ...modeCommands.flatMap(([, phrases]) => phrases),
]);

/** Lower case, single spaces, no punctuation. */
const normalise = (message: string): string =>
  message
    .toLowerCase()
    .replace(/[.,;!?¡¿'"“”]/g, "")
    .replace(/\s+/g, " ")
    .trim();

const setLanguage = /^set (?:my )?language(?: ?:| to\b)?(?: (?<name>.+?))?(?: please)?$/;

/** `set language`, alone or with the name of one. With any other words behind it, it may be a text to translate. */
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
 * The command that a message is, as a whole; `undefined` for everything that is not exactly one.
 *
 * A text in translate mode is what the person wants to have in another language: only what the menu and the help teach is a
 * command there. "Good morning" is translated, and in speak mode read aloud, where anywhere else it is returned.
 */
export const readCommand = (message: string, mode: Mode): Command | undefined => {
  const phrase = normalise(message);
  const known = readPhrase(phrase, mode);
  if (known) return known;
  const languageCommand = readLanguageCommand(phrase, mode);
  if (languageCommand) return languageCommand;
  const text = mode === "translate" ? readMarkedText(message) : readSpeakRequest(message);
  return text === undefined ? undefined : { kind: "speak", text };
};
