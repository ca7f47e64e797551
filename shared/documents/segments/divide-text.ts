import { onFirstUse } from "../../platform/on-first-use.ts";
/** The longest passage, in UTF-16 units: one call to a model translates at most 5,000 characters. */
export const maxPassageLength = 4_000;

/** A run of words longer than this is split, so that a long passage can be divided. */
const longRun = 1_500;

/** A part of a long run has as many sentences as fit into it. Each of a thousand short ones would cost more memory than its words. */
const maxPartLength = 1_000;

/** A sentence longer than this is split between its words. */
const maxSentenceLength = maxPassageLength / 2;

const sentences = onFirstUse(() => new Intl.Segmenter("en", { granularity: "sentence" }));

const inSentence = new RegExp(
  `[\\s\\S]{1,${maxSentenceLength}}(?:\\s|$)|[\\s\\S]{1,${maxSentenceLength}}`,
  "g",
);

/** Divides a long run at ends of sentences. What has no words is no sentence, and is not sent to a model. */
const partsOf = (text: string): string[] => {
  if (text.length <= longRun || !/\p{L}/u.test(text)) return [text];
  const found = sentences().segment(text);
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > maxPartLength) {
    // Only the sentences at the ends of parts are looked for.
    const last = found.containing(from + maxPartLength);
    if (!last) break;
    const to = last.index > from ? last.index : from + last.segment.length;
    parts.push(text.slice(from, to));
    from = to;
  }
  parts.push(text.slice(from));
  return parts.flatMap((part) => (part.length > maxSentenceLength ? (part.match(inSentence) ?? []) : [part]));
};

/** Splits text into words and the space around them, and long text also at ends of sentences. */
export const divideText = (text: string): string[] =>
  partsOf(text)
    .flatMap((part) => {
      const start = part.length - part.trimStart().length;
      const end = Math.max(start, part.trimEnd().length);
      return [part.slice(0, start), part.slice(start, end), part.slice(end)];
    })
    .filter((part) => part !== "");
