import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Mutant, mutantsOf } from "./mutate.ts";

/** A mutant and its file, below the project's folder. */
export interface FileMutant extends Mutant {
  readonly file: string;
}

/** The text of a line of a source file, without spaces around it. @param line from 1 */
export const lineTextOf = (source: string, line: number): string =>
  source.split("\n")[line - 1]?.trim() ?? "";

/** All mutants of files. @param root the project's folder */
export const mutantsOfFiles = async (root: string, files: readonly string[]): Promise<FileMutant[]> => {
  const mutants: FileMutant[] = [];
  for (const file of files) {
    for (const mutant of mutantsOf(file, await readFile(join(root, file), "utf8")))
      mutants.push({ ...mutant, file });
  }
  return mutants;
};

/** Draws without repetition, the same for the same seed. */
export const drawMutants = <Item>(items: readonly Item[], count: number, seed: number): Item[] => {
  const rest = [...items];
  let state = seed >>> 0;
  const next = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const [drawn] = rest.splice(Math.floor(next() * rest.length), 1);
    return drawn;
  }).filter((one) => one !== undefined);
};
