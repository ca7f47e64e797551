import type { UntranslatedReason } from "./untranslated-segment.ts";

/** What a model is to translate: the text of one segment, or of several that have the same. */
export interface Passage {
  /** Tags with numbers, such as `<1>`, stand for masks. */
  readonly text: string;
  /** The tags, by the index of the piece that each one stands for. */
  readonly tags: ReadonlyMap<number, string>;
  /** Its code points without the tags. */
  readonly characters: number;
  /** The indexes of its segments. */
  readonly segments: readonly number[];
}

/** The result of a passage: the model's response, or why there is none that fits. */
export type PassageResult =
  | { readonly response: string; readonly isJudged?: false | undefined }
  | { readonly untranslated: UntranslatedReason };

/** In UTF-16 units. Translations begin with the same few letters by chance. */
const [minBeginning, maxBeginning] = [12, 200];

/** A beginning is shared by this many replies or more, and by more than this share of them. */
const [minReplies, minShare] = [3, 1 / 5];

interface Reply {
  readonly source: string;
  readonly text: string;
}

/** The beginnings of a reply that end with a word or with the reply, the shortest first. Tags are no framing. */
const beginningsOf = (text: string): string[] => {
  const untagged = text.slice(0, maxBeginning).split(/<\/?\d/u, 1)[0] ?? "";
  const ends = Array.from(untagged.matchAll(/\s+(?=\S)/gu), ({ 0: blank, index }) => index + blank.length);
  return [...ends, ...(untagged === text ? [text.length] : [])]
    .filter((end) => end >= minBeginning)
    .map((end) => text.slice(0, end));
};

const replyIn = (result: PassageResult | undefined): string | undefined =>
  result && "response" in result && result.isJudged !== false ? result.response.trim() : undefined;

/** How many replies have each beginning. Replies to sources that begin alike count once. */
const countBeginnings = (replies: readonly Reply[]): ReadonlyMap<string, number> => {
  const sources = new Map<string, Set<string>>();
  for (const { source, text } of replies) {
    for (const beginning of beginningsOf(text)) {
      const known = sources.get(beginning);
      const start = source.slice(0, minBeginning);
      if (known) known.add(start);
      else sources.set(beginning, new Set([start]));
    }
  }
  return new Map(Array.from(sources, ([beginning, starts]) => [beginning, starts.size]));
};

/** What a model put in front of its translation: up to a colon or the end of a sentence, if one of the beginnings ends so. */
const framingOf = (beginnings: readonly string[]): string =>
  beginnings.findLast((beginning) => /[:.!?]["”’»)]?\s*$/u.test(beginning)) ?? beginnings.at(-1) ?? "";

/**
 * Removes the beginning that many replies of a document share and their sources do not: so a model announces translations. A passage
 * of which nothing else is left has no words.
 */
export const withoutSharedBeginning = (
  passages: readonly Pick<Passage, "text">[],
  results: readonly (PassageResult | undefined)[],
): (PassageResult | undefined)[] => {
  const replies = passages.flatMap(({ text: source }, index): Reply[] => {
    const text = replyIn(results[index]);
    return text === undefined ? [] : [{ source, text }];
  });
  if (replies.length < minReplies) return [...results];
  const counts = countBeginnings(replies);
  const isShared = (beginning: string): boolean => {
    const count = counts.get(beginning) ?? 0;
    return count >= minReplies && count > minShare * replies.length;
  };
  return results.map((result) => {
    const text = replyIn(result) ?? "";
    const framing = framingOf(beginningsOf(text).filter(isShared));
    if (framing === "") return result;
    const rest = text.slice(framing.length);
    return /[\p{L}\p{N}]/u.test(rest) ? { response: rest } : { untranslated: "empty" };
  });
};
