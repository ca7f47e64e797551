import { type FileMutant, lineTextOf } from "./draw-mutants.ts";
import { mutantsOf } from "./mutate.ts";
import type { Verdict } from "./run-mutants.ts";

/** A mutant as the log of a run names it. */
export interface LoggedMutant {
  readonly verdict: Verdict;
  readonly file: string;
  readonly line: number;
  readonly change: string;
}

/** A mutant of an earlier run that still exists. */
export interface RemainingMutant extends FileMutant {
  readonly earlier: Verdict;
}

/** Reads what a run has written to standard error: `survived <file>:<line>  <change>`. */
export const parseLog = (log: string): LoggedMutant[] =>
  [...log.matchAll(/^(tests|types|survived) +(\S+):(\d+) {2}(.+)$/gm)].map(
    ([, verdict = "", file = "", line, change = ""]) => ({
      verdict: verdict === "tests" || verdict === "types" ? verdict : "survived",
      file,
      line: Number(line),
      change,
    }),
  );

const readIfThere = (read: (file: string) => string, file: string): string | undefined => {
  try {
    return read(file);
  } catch {
    return undefined;
  }
};

/**
 * Finds the mutants of an earlier run in the present code: the same change, in a line of the same file with the same text, wherever
 * that line is now. Of several such lines it is the one with the same rank.
 *
 * @param readEarlier the text of a file as the earlier run had it; an error when there is none
 * @param readNow the text of the file now; an error when it is gone
 */
export const findRemaining = (
  logged: readonly LoggedMutant[],
  readEarlier: (file: string) => string,
  readNow: (file: string) => string,
): RemainingMutant[] =>
  logged.flatMap(({ verdict, file, line, change }) => {
    const [before, now] = [readIfThere(readEarlier, file), readIfThere(readNow, file)];
    if (before === undefined || now === undefined) return [];
    const text = lineTextOf(before, line);
    const sameIn = (source: string) =>
      mutantsOf(file, source).filter(
        (mutant) => mutant.change === change && lineTextOf(source, mutant.line) === text,
      );
    const rank = sameIn(before).findIndex((mutant) => mutant.line === line);
    const found = rank < 0 ? undefined : sameIn(now)[rank];
    return found ? [{ ...found, file, earlier: verdict }] : [];
  });
