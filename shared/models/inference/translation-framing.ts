/** Words that chat models put around a translation, in English whatever the languages are. */
const announcement =
  /^(?:(?:sure|certainly|of course|okay|ok)\b[^\n:]{0,40}[,.!]?\s*)?(?:here(?:'s|’s| is| are)\b[^\n:]{0,80}|(?:the )?(?:translation|translated text|translated version|answer|output|response)\b[^\n:]{0,60})\s*:\s*/iu;

/** Any first line that ends with a colon and is followed by something. */
const leadingLine = /^[^\n:]{1,100}:[ \t]*\n+(?=\S)/u;

const fence = /^```[\w-]*[ \t]*\n([\s\S]*?)\n?```$/u;

/** Pairs of quotation marks. */
const quotationMarks = ['""', "''", "“”", "‘’", "«»", "„“", "„”", "‹›", "「」"];

const noteInBrackets = /\s*(?:\(\s*note\b[^()]*\)|\[\s*note\b[^[\]]*\])\s*$/iu;
const noteParagraph = /\n\s*\n\s*\**note\b\**\s*:[\s\S]*$/iu;

const withoutFence = (text: string, source: string): string =>
  source.includes("```") ? text : (fence.exec(text)?.[1] ?? text);

const hasNote = (source: string): boolean => /\bnote\b/iu.test(source);

const withoutNote = (text: string, source: string): string =>
  hasNote(source) ? text : text.replace(noteInBrackets, "").replace(noteParagraph, "");

/** The first words in bold, as Markdown has it. */
const boldStart = /^\*\*([^*\n]{1,100}?)(:?)\*\*(:?)/u;

const withoutBoldLabel = (text: string, source: string): string =>
  source.includes("**") ? text : text.replace(boldStart, "$1$2$3");

/** @param target the English name of the language, which some models put in front of the translation. */
const withoutAnnouncement = (text: string, source: string, target: string): string => {
  const label = `${target}:`.toLowerCase();
  const unmarked = withoutBoldLabel(text, source);
  if (unmarked !== text && announcement.test(unmarked)) return withoutAnnouncement(unmarked, source, target);
  const isLabelled = text.toLowerCase().startsWith(label) && !source.toLowerCase().startsWith(label);
  if (isLabelled) return text.slice(label.length);
  const announced = announcement.exec(text)?.[0];
  if (announced && !announcement.test(source)) return text.slice(announced.length);
  // Without a colon or a second line in the source, its translation has no such line.
  if (source.includes(":") || source.includes("\n")) return text;
  return text.replace(leadingLine, "");
};

const withoutQuotationMarks = (text: string, source: string): string => {
  const [first = "", last = ""] = [text.at(0), text.at(-1)];
  if (text.length < 3 || !quotationMarks.includes(`${first}${last}`)) return text;
  const inside = text.slice(1, -1);
  const isOnePair = !inside.includes(first) && !inside.includes(last);
  return isOnePair && !/^["'“”‘’«»„‹›「」]/u.test(source) ? inside : text;
};

/** A source that is repeated in front of its translation, with what separates the two. */
const withoutSource = (text: string, source: string): string => {
  if (!/\s/u.test(source)) return text;
  const rest = [source, `"${source}"`, `“${source}”`]
    .filter((start) => text.startsWith(start))
    .map((start) => /^\s*(?:\n|[-=]?>|→|=|–|—|:)\s*(\S[\s\S]*)$/u.exec(text.slice(start.length))?.[1]);
  return rest.find((each) => each !== undefined) ?? text;
};

/** A model frames its reply in a few ways at a time. */
const maxLayers = 5;

/**
 * Removes what is certainly no part of a translation: a code fence, a line that announces it, a note about it, a repeated source, and
 * quotation marks around all of it that the source does not have.
 *
 * @param target the English name of the target language.
 * @returns the translation, trimmed; empty if nothing else was there.
 */
export const withoutFraming = (reply: string, source: string, target: string): string => {
  const original = source.trim();
  let text = reply.trim();
  for (let layer = 0; layer < maxLayers; layer++) {
    const before = text;
    text = withoutFence(text, original).trim();
    text = withoutAnnouncement(text, original, target).trim();
    text = withoutNote(text, original).trim();
    text = withoutSource(text, original).trim();
    text = withoutQuotationMarks(text, original).trim();
    if (text === before) break;
  }
  return text;
};
