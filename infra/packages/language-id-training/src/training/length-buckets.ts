import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
import { createRandom, type Random, shuffled } from "./random.ts";

/** A range of lengths in UTF-16 units, both ends included. */
export interface LengthBucket {
  readonly name: string;
  readonly minLength: number;
  readonly maxLength: number;
}

export const lengthBuckets: readonly LengthBucket[] = [
  { name: "3-10", minLength: 3, maxLength: 10 },
  { name: "11-20", minLength: 11, maxLength: 20 },
  { name: "21-50", minLength: 21, maxLength: 50 },
  { name: "51-100", minLength: 51, maxLength: 100 },
  { name: "101-200", minLength: 101, maxLength: 200 },
];

const cropAttempts = 8;

/** A run of whole words of the required length, or `undefined` when the text has none at the tried positions. */
const cropTo = (text: string, { minLength, maxLength }: LengthBucket, random: Random): string | undefined => {
  const words = text.split(" ").filter((word) => word !== "");
  for (let attempt = 0; attempt < cropAttempts; attempt++) {
    const start = Math.floor(random() * words.length);
    const wanted = minLength + Math.floor(random() * (maxLength - minLength + 1));
    let end = start;
    let length = -1;
    while (end < words.length && length < wanted) {
      const next = length + 1 + (words[end]?.length ?? 0);
      if (next > maxLength) break;
      length = next;
      end++;
    }
    if (length >= minLength) return words.slice(start, end).join(" ");
  }
  return undefined;
};

const letterCount = (text: string): number => normalise(text).replace(/[ ']/g, "").length;

/**
 * Makes texts of each length from lines: a line that has the length as it is, other lines cropped to whole words.
 * No two texts of a bucket are the same once normalised, and each has at least three letters.
 *
 * @param maxPerBucket how many texts a bucket gets at most
 */
export const textsByLength = (
  lines: readonly string[],
  maxPerBucket: number,
): ReadonlyMap<string, readonly string[]> => {
  const random = createRandom(7);
  const order = shuffled(lines, random);
  return new Map(
    lengthBuckets.map((bucket) => {
      const texts = new Map<string, string>();
      for (const line of order) {
        if (texts.size >= maxPerBucket) break;
        const fits = line.length >= bucket.minLength && line.length <= bucket.maxLength;
        const text = fits ? line : cropTo(line, bucket, random);
        if (text === undefined || letterCount(text) < 3) continue;
        const key = normalise(text);
        if (!texts.has(key)) texts.set(key, text);
      }
      return [bucket.name, [...texts.values()]];
    }),
  );
};
