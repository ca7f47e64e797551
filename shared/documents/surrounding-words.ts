/** What a model is shown of a text before and after, in UTF-16 units. */
const maxContext = 500;

/** Returns the words before and after one of several texts, without tags of documents; `undefined` where there are none. */
export const surroundingWords = (
  textAt: (index: number) => string | undefined,
  index: number,
): string | undefined => {
  const wordsAt = (position: number): string =>
    (textAt(position) ?? "").replaceAll(/<\/?\d+\/?>/g, "").trim();
  const parts = [wordsAt(index - 1).slice(-maxContext), wordsAt(index + 1).slice(0, maxContext)];
  return parts.filter((part) => /\p{L}/u.test(part)).join("\n") || undefined;
};
