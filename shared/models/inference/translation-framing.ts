/** What is translated: the source, trimmed, and the English names of its languages. */
export interface FramedTranslation {
  readonly source: string;
  readonly sourceLanguage: string | undefined;
  readonly targetLanguage: string;
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const linesOf = (text: string): string[] => text.split(/\n+/u).filter((line) => line.trim() !== "");

/** Whether a text has more of something than its source, so that the model has added one. */
const hasAdded = (text: string, source: string, pattern: RegExp): boolean =>
  countOf(text, pattern) > countOf(source, pattern);

const fence = /^```[\w-]*[ \t]*\n([\s\S]*?)\n?```$/u;

const withoutFence = (text: string, { source }: FramedTranslation): string =>
  source.includes("```") ? text : (fence.exec(text)?.[1] ?? text);

/** What models are used to mark a reply with, as if it were XML. */
const mark = /^<(translation|translated_text|target|output|answer|response|result|text)>([\s\S]*)<\/\1>$/iu;

const withoutMark = (text: string, { source }: FramedTranslation): string => {
  const [, name = "", inside] = mark.exec(text) ?? [];
  return inside === undefined || source.toLowerCase().includes(`<${name.toLowerCase()}`) ? text : inside;
};

/** English words of consent, in front of a translation into another language. */
const consent = /^(sure|certainly|of course|absolutely|okay)(?: thing)?\s?[!,.]\s+(?=\S)/iu;

const withoutConsent = (text: string, { source, targetLanguage }: FramedTranslation): string => {
  const word = consent.exec(text)?.[1];
  const isOwn = targetLanguage === "English" || source.toLowerCase().includes(word?.toLowerCase() ?? "");
  return isOwn ? text : text.replace(consent, "");
};

/** A trailing note, in brackets or as a paragraph of its own, also in italics. */
const noteInBrackets =
  /[*_]{0,3}(?:\(\s?[*_]{0,3}note\b[\s\S]*\)|\[\s?[*_]{0,3}note\b[\s\S]*\])[*_.]{0,3}$/iu;
const noteParagraph = /\n\s*[*_]{0,3}note\b[*_]{0,3}\s?:[\s\S]*$/iu;

const withoutNote = (text: string, { source }: FramedTranslation): string => {
  if (/\bnote\b/iu.test(source)) return text;
  const unbracketed = hasAdded(text, source, /[([]/gu) ? text.replace(noteInBrackets, "") : text;
  return hasAdded(unbracketed, source, /\n+/gu) ? unbracketed.replace(noteParagraph, "") : unbracketed;
};

/** The first words in bold, as Markdown has it. */
const boldLabel = /^\*\*([^*\n]{1,100}?)(?::\*\*|\*\*:)/u;

/** Words that chat models put in front of a translation, in English, before a colon. */
const announcement =
  /^(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n:]{0,40}[,.!]?\s*)?(?:here(?:'s|’s| is| are| you go)\b[^\n:]{0,100}|(?:the |my )?(?:\w+ )?(?:translation|translated (?:text|version|sentence))\b[^\n:]{0,100}|(?:the )?(?:answer|output|response|result)|(?:sure|certainly|of course)[^\n:]{0,40})\s*:\s*/iu;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");

const labels = new Map<string, RegExp>();

/** The name of a language before a colon. Each pattern is compiled once. */
const labelOf = (language: string): RegExp => {
  const known = labels.get(language);
  if (known) return known;
  const label = new RegExp(`^(?:in )?${escaped(language)}(?: translation| version)?\\s*:\\s*`, "iu");
  labels.set(language, label);
  return label;
};

/** Such words, or the name of the target language. */
const announcementIn = (text: string, language: string): string =>
  labelOf(language).exec(text)?.[0] ?? announcement.exec(text)?.[0] ?? "";

const withoutAnnouncement = (text: string, framed: FramedTranslation): string => {
  const { source, targetLanguage } = framed;
  if (!text.includes(":")) return text;
  const plain = source.includes("**") ? text : text.replace(boldLabel, "$1:");
  const announced = announcementIn(plain, targetLanguage);
  const isOwn = announcementIn(source, targetLanguage) !== "" || !hasAdded(plain, source, /:/gu);
  return announced !== "" && !isOwn ? plain.slice(announced.length) : text;
};

/** A first line that ends with a colon and is followed by something. */
const leadingLine = /^[^\n:]{1,200}:[ \t]*\n+(?=\S)/u;

/** Where the source has no colon and fewer lines, such a line is no part of its translation. */
const withoutLeadingLine = (text: string, { source }: FramedTranslation): string =>
  source.includes(":") || linesOf(text).length <= linesOf(source).length
    ? text
    : text.replace(leadingLine, "");

const quotationMark = /["`'“”‘’«»„‹›「」]/u;

/** Pairs of quotation marks. */
const quotationMarks = ['""', "''", "``", "“”", "‘’", "«»", "„“", "„”", "‹›", "「」"];

const withoutQuotationMarks = (text: string, { source }: FramedTranslation): string => {
  const bold = source.includes("**") ? undefined : /^\*\*([^*]+)\*\*$/u.exec(text)?.[1];
  if (bold !== undefined) return bold;
  const [first = "", last = ""] = [text.at(0), text.at(-1)];
  if (text.length < 3 || !quotationMarks.includes(`${first}${last}`)) return text;
  const inside = text.slice(1, -1);
  const isOnePair = !inside.includes(first) && !inside.includes(last);
  return isOnePair && !quotationMark.test(source.at(0) ?? "") ? inside : text;
};

/** The source as a model repeats it: alone, in quotation marks, in brackets, or behind the name of its language. */
const repeatedSource = ({ source, sourceLanguage }: FramedTranslation): string => {
  const label = `(?:(?:${escaped(sourceLanguage ?? "source")}|original|source|text)\\s*:\\s*)?`;
  return `${label}["“'‘]?${escaped(source)}["”'’]?`;
};

/** A source that is repeated in front of its translation or behind it, with what separates the two. */
const withoutSource = (text: string, framed: FramedTranslation): string => {
  const { source } = framed;
  if (!/\s/u.test(source) || text.length <= source.length || !text.includes(source)) return text;
  const repeated = repeatedSource(framed);
  const separator = "\\s*(?:\\n|[-=]+>|→|=|–|—|:|(?<=\\s)-(?=\\s))\\s*";
  const before = new RegExp(`^${repeated}${separator}(\\S[\\s\\S]*)$`, "iu").exec(text)?.[1];
  const behind = new RegExp(`^([\\s\\S]*\\S)\\s*(?:\\(${repeated}\\)|\\n\\s*${repeated})$`, "iu").exec(
    text,
  )?.[1];
  const inBrackets = new RegExp(`^${repeated}\\s*\\(([^()]*\\S[^()]*)\\)[.!?]?$`, "iu").exec(text)?.[1];
  return before ?? behind ?? inBrackets ?? text;
};

const layers = [
  withoutFence,
  withoutMark,
  withoutAnnouncement,
  withoutConsent,
  withoutNote,
  withoutSource,
  withoutLeadingLine,
  withoutQuotationMarks,
];

/** A model frames its reply in a few ways at a time. */
const maxLayers = 5;

/**
 * Removes what is certainly no part of a translation: a code fence, a mark of XML, words of consent, a line that announces it, a note about it, a repeated source, and
 * quotation marks around all of it that the source does not have.
 *
 * @returns the translation, trimmed; empty if the reply was nothing else.
 */
export const withoutFraming = (reply: string, framed: FramedTranslation): string => {
  const trimmed = { ...framed, source: framed.source.trim() };
  let text = reply.trim();
  for (let layer = 0; layer < maxLayers; layer++) {
    const before = text;
    for (const remove of layers) text = remove(text, trimmed).trim();
    if (text === before) break;
  }
  return text;
};
