import { languages } from "../../shared/platform/catalogue/languages.ts";

const quoted = /^["“”«'‘](?<text>[\s\S]+)["“”»'’]$/u;

const unquoted = (text: string): string => (quoted.exec(text)?.groups?.["text"] ?? text).trim();

/** `speak: …`, `read aloud: …`, as in the menu. The colon makes it unambiguous. */
const withColon = /^(?:speak|voice|read)(?: (?:this|it))?(?: (?:aloud|out loud|out))?\s*:(?<text>[\s\S]*)$/iu;

const withDash =
  /^(?:speak|voice|read)(?: (?:this|it))?(?: (?:aloud|out loud|out))?\s[-–—]\s(?<text>[\s\S]+)$/iu;

/** `read aloud …`, `speak this out loud …`. */
const aloud = /^(?:speak|read)(?: (?:this|it))? (?:aloud|out loud)\s(?<text>[\s\S]+)$/iu;

/** `read "…"` with nothing after the quotation. */
const quotation = /^(?:speak|voice|read)\s(?<text>["“«][^"“”«»]+["”»])$/iu;

/** `convert this to speech: …`. */
const conversion =
  /^(?:change|convert)(?: this)? (?:in)?to (?:speech|audio|voice|a voice note)(?:\s*:|\s)(?<text>[\s\S]+)$/iu;

const patterns: readonly RegExp[] = [withColon, withDash, aloud, quotation, conversion];

const bare = /^(?:speak|read|voice)(?: (?:this|aloud))?\s*:?$/iu;

const plain = /^(?<verb>speak|read|voice)\s+(?<text>[\s\S]+)$/iu;

/** Matches a text that starts with one of these words or phrases. */
const beginsWith = (...phrases: readonly string[]): RegExp =>
  new RegExp(`^(?:${phrases.join("|")})(?![\\p{L}\\p{M}\\p{N}'’-])`, "iu");

const languageNames = languages.flatMap(({ name, aliases }) =>
  [name, ...aliases].filter((each) => each.length > 3),
);

/**
 * Texts that form an ordinary sentence with the word before them: "speak to a doctor", "speak English with me", "read me a story"
 * and "voice notes do not work" are messages to the assistant.
 */
const ordinary: Readonly<Record<string, readonly RegExp[]>> = {
  speak: [
    beginsWith(
      "to|with|about|on|of|for|from|in|at|up|out|as|like|and|or|is|are|was|only|more|less|slowly|slower|louder|softly|clearly",
      "freely|fluently|the|this|that|it|any|me|us|him|her|them",
      "(?:my|your|our|his|their) (?:own )?(?:mind|language|mother tongue|tongue)",
      "all (?:the )?languages|languages?|well of|(?:good |some )?(?:kiswahili|swahili|english)",
      ...languageNames,
    ),
    /^(?:well|please|now|again)[.!?]*$/iu,
  ],
  read: [
    beginsWith(
      "me|us|him|her|them|to|from|about|on|in|out|up|through|over|between|for|with|and|or|the|this|that|these|those|it|is|are",
      "was|as|only|my|your|our|his|their|a|an|some|any|all|every|each|more|less|books?|\\d+",
    ),
    // A quotation with something after it is a topic.
    /^["“«]/u,
    /\s(?:and|then) (?:tell|summari[sz]e|explain|answer|translate|give|write|list|describe)\s/iu,
  ],
  voice: [
    beginsWith(
      "notes?|messages?|of|on|off|is|are|was|does|doesn['’]t|do|don['’]t|did|has|and|or|to|for|from|in|at|over|with|without|not",
      "won['’]t|isn['’]t|can|cannot|can['’]t|will|should|could|would|please|recordings?|recognition|calls?|mail|actors?|acting",
      "assistant|chat|mode|settings?|reply|replies|quality|speed|my|your|the|this|that",
    ),
  ],
};

/** Returns the text after `speak`, `read` or `voice`, unless the message is an ordinary sentence. */
const plainText = (message: string): string | undefined => {
  const { verb = "", text = "" } = plain.exec(message)?.groups ?? {};
  const isOrdinary = ordinary[verb.toLowerCase()]?.some((pattern) => pattern.test(text)) ?? true;
  return isOrdinary ? undefined : text;
};

/** `convert … to speech`, matched from both ends: one pattern for the whole is slow on hostile texts. */
const conversionStart = /^(?:change|convert)\s/iu;
const conversionEnd = /\s(?:in)?to (?:speech|audio|voice|a voice note)[.!]?$/iu;

const convertedText = (message: string): string | undefined => {
  const start = conversionStart.exec(message);
  const end = conversionEnd.exec(message);
  if (!start || !end) return undefined;
  return message.slice(start[0].length, end.index).trim() || undefined;
};

const isReadable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Returns the text of `speak: …`, which may be empty; `undefined` for all other forms. */
export const readMarkedText = (message: string): string | undefined => {
  const text = withColon.exec(message.trim())?.groups?.["text"];
  return text === undefined ? undefined : unquoted(text.trim());
};

/** Returns the text that a message asks us to read aloud, which may be empty; `undefined` for all other messages. */
export const readSpeakRequest = (message: string): string | undefined => {
  const trimmed = message.trim();
  if (bare.test(trimmed)) return "";
  const text =
    convertedText(trimmed) ??
    patterns
      .map((pattern) => pattern.exec(trimmed)?.groups?.["text"])
      .find((found) => found !== undefined && isReadable(found)) ??
    plainText(trimmed);
  return text === undefined || !isReadable(text) ? undefined : unquoted(text.trim());
};
