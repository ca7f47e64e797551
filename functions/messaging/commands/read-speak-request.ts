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
