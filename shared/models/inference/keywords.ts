import type { Segment, Transcription, Word } from "./transcription.ts";

/** Models of the Whisper family read only the last 224 tokens of a prompt. */
const maxPromptTokens = 224;

/** What the end of a longer prompt has at least, next to keywords that would fill all of it. */
const minTextTokens = maxPromptTokens / 2;

const partPattern = /[A-Za-z]+|[^A-Za-z\s]/gu;

/**
 * Estimates how many tokens a text has for Whisper: two Latin letters are one at most, and anything else is at most one for each of its
 * bytes. Of 4,000 lists of names and words in eleven languages, its tokenizer counted none higher, and 4 to 45% lower.
 */
const tokensOf = (text: string): number =>
  (text.match(partPattern) ?? []).reduce(
    (sum, part) => sum + (/^[A-Za-z]/.test(part) ? Math.ceil(part.length / 2) : Buffer.byteLength(part)),
    0,
  );

/** The last entries that have these tokens or fewer together. */
const lastWithin = (entries: readonly string[], tokens: number): string[] => {
  let left = tokens;
  const first = entries.findLastIndex((entry) => {
    // One more for what separates entries.
    left -= tokensOf(entry) + 1;
    return left < 0;
  });
  return entries.slice(first + 1);
};

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** Keywords without blanks around them, each once: where it comes last. */
const distinct = (keywords: readonly string[]): string[] => {
  const byKey = new Map<string, string>();
  for (const keyword of keywords.map((each) => each.trim())) {
    byKey.delete(folded(keyword));
    if (keyword !== "") byKey.set(folded(keyword), keyword);
  }
  return [...byKey.values()];
};

/**
 * Writes the prompt of a model: keywords, then the text. Models read it from its end, so the last ones count most: of more than they
 * read, the first ones are left out. Without keywords the text stays as it is.
 *
 * @returns `undefined` when there is nothing to say.
 */
export const promptWith = (keywords: readonly string[], text = ""): string | undefined => {
  const named = distinct(keywords);
  if (named.length === 0) return text || undefined;
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const free = maxPromptTokens - tokensOf(named.join(", "));
  const end =
    tokensOf(text) > free ? lastWithin(words, Math.max(minTextTokens, free)).join(" ") : text.trim();
  const fitting = lastWithin(named, maxPromptTokens - tokensOf(end));
  return [fitting.join(", "), end].filter((part) => part !== "").join(". ") || undefined;
};

/** A word without case and the marks around it. */
const keyOf = (word: string): string => folded(word).replaceAll(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, "");

const wordsOf = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== "");

/** Where a list of words has another one: the position after its last occurrence; 0 when it has none. */
const lastUse = (words: readonly string[], keyword: readonly string[]): number => {
  for (let end = words.length; end >= keyword.length; end -= 1)
    if (keyword.every((key, index) => words[end - keyword.length + index] === key)) return end;
  return 0;
};

/** Orders keywords by their last use in what was just said: those that it does not have come first, in their own order. */
export const inOrderOfUse = (keywords: readonly string[], said: string): string[] => {
  const words = wordsOf(said).map(keyOf);
  const uses = new Map(keywords.map((keyword) => [keyword, lastUse(words, wordsOf(keyword).map(keyOf))]));
  return keywords.toSorted((one, other) => (uses.get(one) ?? 0) - (uses.get(other) ?? 0));
};

/** Whether one insertion, deletion or replacement makes one text of the other. */
const isOneEdit = (one: readonly string[], other: readonly string[]): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  const found = short.findIndex((letter, index) => letter !== long[index]);
  const at = found < 0 ? short.length : found;
  const rest = long.slice(at + 1);
  const shortRest = short.slice(long.length === short.length ? at + 1 : at);
  return (
    long.length > at && rest.length === shortRest.length && rest.every((each, i) => each === shortRest[i])
  );
};

/** Spellings of a first phoneme that are heard alike. */
const alike: readonly (readonly [RegExp, string])[] = [
  [/^ph/, "f"],
  [/^gy/, "j"],
  [/^(?:ch|ky)/, "C"],
  [/^sh/, "S"],
  [/^c(?=[eiy])/, "s"],
  [/^[cq]/, "k"],
  [/^l/, "r"],
];

const firstPhoneme = (word: string): string => {
  const plain = word.normalize("NFD").replaceAll(/\p{M}/gu, "");
  const [spelling, phoneme] = alike.find(([pattern]) => pattern.test(plain)) ?? [];
  return spelling === undefined ? plain.slice(0, 1) : (phoneme ?? "");
};

/** Shorter keywords are near too many words. */
const minNearLetters = 4;

interface NearMiss {
  /** The position of its first word. */
  readonly at: number;
  readonly length: number;
  readonly keyword: string;
}

/** The words of a text that are one edit from a keyword and start with the same phoneme. */
const nearMisses = (words: readonly string[], keywords: readonly string[]): NearMiss[] => {
  const keys = words.map(keyOf);
  const known = new Set(keywords.map((keyword) => wordsOf(keyword).map(keyOf).join(" ")));
  return keywords.flatMap((keyword) => {
    const parts = wordsOf(keyword).map(keyOf);
    const letters = [...parts.join(" ")];
    if (letters.length < minNearLetters) return [];
    return keys.flatMap((_, at): NearMiss[] => {
      const heard = keys.slice(at, at + parts.length);
      const text = heard.join(" ");
      const isNear =
        heard.length === parts.length &&
        !known.has(text) &&
        Math.abs(text.length - letters.length) <= 2 &&
        firstPhoneme(text) === firstPhoneme(parts.join(" ")) &&
        isOneEdit([...text], letters);
      return isNear ? [{ at, length: parts.length, keyword }] : [];
    });
  });
};

/** Text with a keyword where a near miss was heard; marks around it stay. */
const replaced = (words: readonly string[], { at, length, keyword }: NearMiss): string => {
  const [first = "", last = ""] = [words[at], words[at + length - 1]];
  const before = /^[\p{P}\p{S}]*/u.exec(first)?.[0] ?? "";
  const after = /[\p{P}\p{S}]*$/u.exec(last)?.[0] ?? "";
  return [...words.slice(0, at), before + keyword + after, ...words.slice(at + length)].join(" ");
};

/** What is heard with this probability or more is not questioned. */
const sure = 0.9;

type Heard = Pick<Word, "start" | "end" | "text" | "confidence" | "probability">;

/** Whether a model is sure of what it heard, as far as it says. */
const isSure = ({ confidence, probability }: Pick<Heard, "confidence" | "probability">): boolean =>
  (confidence ?? probability ?? 0) >= sure;

const isWithin =
  ({ start, end }: Pick<Segment, "start" | "end">) =>
  (word: Heard): boolean =>
    word.start + word.end >= 2 * start && word.start + word.end <= 2 * end;

/** Whether the words of a near miss are sure: they themselves where the model reports them, or else their segment. */
const isSureOf = (
  miss: NearMiss,
  said: readonly string[],
  segment: Heard,
  words: readonly Heard[],
): boolean => {
  const heard = said.slice(miss.at, miss.at + miss.length).map(keyOf);
  const own = words.filter(({ text }) => heard.includes(keyOf(text)));
  return own.length < miss.length ? isSure(segment) : own.every(isSure);
};

const listed = (alternatives: readonly string[]) => (alternatives.length > 0 ? { alternatives } : {});

/**
 * Adds keywords that were probably said to segments and words that are not sure: as other texts next to theirs, which stay. A keyword
 * is one edit from what was heard, and starts with the same phoneme.
 */
export const withAlternatives = <Text extends Pick<Transcription, "segments" | "words">>(
  transcription: Text,
  keywords: readonly string[],
): Text => {
  const { segments, words } = transcription;
  const named = distinct(keywords);
  if (named.length === 0) return transcription;
  const ofSegment = (segment: Segment): Segment => {
    const said = wordsOf(segment.text);
    const own = (words ?? []).filter(isWithin(segment));
    const misses = nearMisses(said, named).filter((miss) => !isSureOf(miss, said, segment, own));
    return { ...segment, ...listed(misses.map((miss) => replaced(said, miss))) };
  };
  const ofWord = (word: Word): Word => {
    const said = [word.text.trim()];
    const misses = isSure(word) ? [] : nearMisses(said, named);
    return { ...word, ...listed(misses.map((miss) => replaced(said, miss))) };
  };
  return { ...transcription, segments: segments?.map(ofSegment), words: words?.map(ofWord) };
};
