import { type Mode, modes } from "../conversation/conversation.ts";
import { readSpeakRequest } from "./read-speak-request.ts";

/** Something that is done without asking a model. */
export type Command =
  | { readonly kind: "greet" | "menu" | "start-over" | "cancel" | "help" | "status" | "languages" }
  | { readonly kind: "choose-language" | "choose-mode" | "voice-settings" }
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

/** Lower case, single spaces, no punctuation. */
const normalise = (message: string): string =>
  message
    .toLowerCase()
    .replace(/[.,;!?¡¿'"“”]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** The command that a message is, as a whole; `undefined` for everything that is not exactly one. */
export const readCommand = (message: string): Command | undefined => {
  const phrase = normalise(message);
  const known = byPhrase.get(phrase);
  if (known) return known;
  if (/^set language\b/.test(phrase)) return { kind: "choose-language" };
  const text = readSpeakRequest(message);
  return text === undefined ? undefined : { kind: "speak", text };
};
