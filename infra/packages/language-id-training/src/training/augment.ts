import { pick, type Random } from "./random.ts";

const cropShare = 0.8;
const longestCrop = 8;
const apostropheShare = 0.25;
const engShare = 0.5;
const shortestText = 3;

const crop = (text: string, random: Random): string => {
  const words = text.split(" ");
  const length = 1 + Math.floor(random() ** 1.5 * longestCrop);
  if (length >= words.length) return text;
  const start = Math.floor(random() * (words.length - length + 1));
  const cropped = words.slice(start, start + length).join(" ");
  return cropped.length < shortestText ? text : cropped;
};

/**
 * Turns a clean, normalised sentence into something like what people type: mostly a few words of it, favouring
 * the very few; apostrophes forgotten or made spaces; ŋ, which few keyboards have, written ng or n.
 */
export const augment = (normalised: string, random: Random): string => {
  let text = random() < cropShare ? crop(normalised, random) : normalised;
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
