import { AppError } from "../../../shared/platform/errors/app-error.ts";

const proverbs = ["Amazzi tegawunya."];

/** The first proverb with a word. @throws AppError `not_found` when there is none. */
export const findProverb = (word: string): string => {
  const found = proverbs.find((proverb) => proverb.toLowerCase().includes(word.toLowerCase()));
  if (found === undefined) throw new AppError("not_found");
  return found;
};
