import { type Mode, modes } from "./conversation.ts";

/** Quotation marks around a whole text. */
const quoted = /^["“”«'‘](?<text>[\s\S]+)["“”»'’]$/u;

const unquoted = (text: string): string => (quoted.exec(text)?.groups?.["text"] ?? text).trim();

/** `speak: …`, `read aloud: …`, `voice - …`: a mark after the word leaves no doubt. */
const marked =
  /^(?:speak|voice|read)(?: (?:this|it))?(?: (?:aloud|out loud|out))?(?:\s*:|\s[-–—]\s)\s*(?<text>[\s\S]+)$/iu;

/** `read aloud …`, `speak this out loud …`. */
const aloud = /^(?:speak|read)(?: (?:this|it))? (?:aloud|out loud)\s(?<text>[\s\S]+)$/iu;

/** `read "…"`, and nothing behind the quotation. */
const quotation = /^(?:speak|voice|read)\s(?<text>["“«][^"“”«»]+["”»])$/iu;

/** `convert this to speech: …`. */
const conversion =
  /^(?:change|convert)(?: this)? (?:in)?to (?:speech|audio|voice|a voice note)(?:\s*:|\s)(?<text>[\s\S]+)$/iu;

/**
 * `speak …` alone, which people learn from the menu. It counts only when what follows does not make an ordinary sentence
 * of it: "speak to a doctor", "speak about rain", "speak English with me" are said to the assistant, not to be read out.
 */
const spoken =
  /^speak\s(?!\s*(?:to|with|about|on|of|for|from|in|at|up|out|as|like|and|or|is|are|was|only|more|less|slowly|slower|louder|softly|clearly|freely|well|good|when|if|because|while|so|then|not|the|this|that|what|any|all|you|your|my|me|us|him|her|them|please|english|luganda|acholi|ateso|lugbara|runyank\w+|swahili|kiswahili|languages?)\b)(?<text>[^?]+)$/iu;

const patterns: readonly RegExp[] = [marked, aloud, quotation, conversion, spoken];

const bare = /^(?:speak|read|voice)(?: (?:this|aloud))?\s*:?$/iu;

/** `convert … to speech`: looked for from both ends, because a pattern for the whole takes long on hostile texts. */
const conversionStart = /^(?:change|convert)\s/iu;
const conversionEnd = /\s(?:in)?to (?:speech|audio|voice|a voice note)[.!]?$/iu;

const convertedText = (message: string): string | undefined => {
  const start = conversionStart.exec(message);
  const end = conversionEnd.exec(message);
  if (!start || !end) return undefined;
  return message.slice(start[0].length, end.index).trim() || undefined;
};

/**
 * The text that a message asks to be read aloud; an empty one when the message only says so. `undefined` for everything
 * else: "read me a story" and "voice notes do not work" are things one says in a chat.
 */
export const readSpeakRequest = (message: string): string | undefined => {
  const trimmed = message.trim();
  if (bare.test(trimmed)) return "";
  const text =
    convertedText(trimmed) ??
    patterns.map((pattern) => pattern.exec(trimmed)?.groups?.["text"]).find((found) => found !== undefined);
  return text === undefined ? undefined : unquoted(text.trim());
};

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
