import { normalise } from "../../../../../shared/models/language-id/normalise.ts";
import type { LabelledLine } from "./partition.ts";
import { pick, type Random } from "./random.ts";

/** Half of the samples are about as short as what the model finds hardest. */
const shortShare = 0.5;
const minCrop = 3;
const maxShortCrop = 10;
/** Of the other half, this share is cropped to some words. */
const cropShare = 0.8;
const maxWords = 8;
const apostropheShare = 0.25;
const engShare = 0.5;

/** Whole words of 3 to 10 characters from a random place; a longer word stays whole, and what is shorter is not cropped. */
const cropShort = (text: string, random: Random): string => {
  const words = text.split(" ");
  let end = Math.floor(random() * words.length);
  const wanted = minCrop + Math.floor(random() * (maxShortCrop - minCrop + 1));
  let cropped = words[end++] ?? "";
  while (end < words.length && cropped.length < wanted) {
    const longer = `${cropped} ${words[end++]}`;
    if (longer.length > maxShortCrop) break;
    cropped = longer;
  }
  return cropped.length < minCrop ? text : cropped;
};

const crop = (text: string, random: Random): string => {
  const words = text.split(" ");
  const length = 1 + Math.floor(random() ** 1.5 * maxWords);
  if (length >= words.length) return text;
  const start = Math.floor(random() * (words.length - length + 1));
  const cropped = words.slice(start, start + length).join(" ");
  return cropped.length < minCrop ? text : cropped;
};

/**
 * Turns a clean, normalised sentence into something like what people type: mostly a few words of it, favouring
 * the very few; apostrophes forgotten or made spaces; ŋ, which few keyboards have, written ng or n.
 */
export const augment = (normalised: string, random: Random): string => {
  let text = normalised;
  if (random() < shortShare) text = cropShort(normalised, random);
  else if (random() < cropShare) text = crop(normalised, random);
  if (text.includes("'") && random() < apostropheShare) {
    text = text
      .replaceAll("'", pick(["", "", " "], random))
      .replace(/ {2,}/g, " ")
      .trim();
  }
  if (text.includes("ŋ") && random() < engShare) {
    text = text.replaceAll("ŋ", pick(["ng", "ng", "n"], random));
  }
  return text;
};

/** One example to learn from: normalised text and its class. */
export interface Sample {
  readonly text: string;
  readonly classIndex: number;
}

/** A source with n lines is drawn in proportion to n^0.7: small sources count more than their size, not equally. */
const tempering = 0.7;
/**
 * How much more a source is drawn than its lines would have it: less for a list of words, in which no sentence is,
 * and more for the phrases, which are few and what people say first.
 */
const sourceShares: ReadonlyMap<string, number> = new Map([
  ["unilex", 0.4],
  ["phrases", 2],
]);
const minCharacters = 3;

/** A choice, and how often it is drawn. */
export interface Weighted<Item> {
  readonly item: Item;
  readonly weight: number;
}

/** Picks one of the choices, each in proportion to its weight. */
export const pickWeighted = <Item>(choices: readonly Weighted<Item>[], random: Random): Item => {
  let remaining = random() * choices.reduce((sum, choice) => sum + choice.weight, 0);
  for (const choice of choices) {
    remaining -= choice.weight;
    if (remaining < 0) return choice.item;
  }
  return pick(choices, random).item;
};

/** The texts of each group of lines, in their normalised form. */
export const groupsOf = (lines: readonly LabelledLine[]): readonly Weighted<readonly string[]>[] =>
  [...Map.groupBy(lines, ({ group }) => group)]
    .map(([group, members]) => {
      const texts = members
        .map(({ line }) => normalise(line.text))
        .filter((text) => text.length >= minCharacters);
      return { item: texts, weight: texts.length ** tempering * (sourceShares.get(group) ?? 1) };
    })
    .filter(({ weight }) => weight > 0);

/**
 * Draws samples without end: first a class, then a source within it, then a line, which is augmented.
 *
 * @param classWeights how often each class is drawn, if there are lines of it
 */
export const createSampler = (lines: readonly LabelledLine[], classWeights: readonly number[]) => {
  const classes = [...Map.groupBy(lines, ({ classIndex }) => classIndex)]
    .map(([classIndex, members]) => ({
      item: { classIndex, groups: groupsOf(members) },
      weight: classWeights[classIndex] ?? 0,
    }))
    .filter(({ item }) => item.groups.length > 0);
  return (random: Random): Sample => {
    const { classIndex, groups } = pickWeighted(classes, random);
    return { text: augment(pick(pickWeighted(groups, random), random), random), classIndex };
  };
};
