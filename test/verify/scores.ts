import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { bleuOf, bleuStatistics } from "../../infra/evaluation/scores/bleu.ts";
import { scoreItems } from "../../infra/evaluation/scores/bootstrap.ts";
import { chrfOf, chrfStatistics } from "../../infra/evaluation/scores/chrf.ts";
import { characterErrors, errorRateOf, wordErrors } from "../../infra/evaluation/scores/error-rate.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { type Part, type Verdict, verdictOf } from "./run-parts.ts";
import { createPairs, type Pair } from "./score-pairs.ts";
import { pinnedVersion, pythonTool, runToEnd } from "./tools.ts";

const scoresSchema = z.object({ bleu: z.number(), chrf: z.number(), wer: z.number(), cer: z.number() });
type Scores = z.output<typeof scoresSchema>;

const pairCount = 1_000;
const seed = 20_261_124;
const tolerance = 0.01;

/** Our scores of a corpus. */
const ownScores = (pairs: readonly Pair[]): Scores => {
  const score = (
    statisticsOf: (output: string, reference: string) => number[],
    scoreOf: (statistics: readonly number[]) => number,
  ): number =>
    scoreItems(
      pairs.map(({ output, reference }) => statisticsOf(output, reference)),
      scoreOf,
    ).score;
  return {
    bleu: score(bleuStatistics, bleuOf),
    chrf: score(chrfStatistics, chrfOf),
    wer: score(wordErrors, errorRateOf),
    cer: score(characterErrors, errorRateOf),
  };
};

/** All pairs as one corpus, corpora of ten, and each pair alone. */
const corporaOf = (pairs: readonly Pair[]): (readonly Pair[])[] => [
  pairs,
  ...Array.from({ length: pairs.length / 10 }, (_, index) => pairs.slice(10 * index, 10 * index + 10)),
  ...pairs.map((pair) => [pair]),
];

const names = ["bleu", "chrf", "wer", "cer"] as const;

/** The scores of `npm run evaluate`, next to those of the programs that others use. */
export const scoresPart: Part = {
  name: "sacrebleu and jiwer: scores of npm run evaluate",
  paths: ["infra/evaluation/scores", "test/verify/scores.py"],
  run: async () => {
    const python = await pythonTool("python");
    return withTemporaryDirectory(async (directory): Promise<Verdict> => {
      const corpora = corporaOf(createPairs(pairCount, seed));
      const file = join(directory, "corpora.json");
      await writeFile(file, JSON.stringify(corpora));
      const { code, output } = await runToEnd(python, [join(import.meta.dirname, "scores.py"), file]);
      if (code !== 0) return { kind: "failed", findings: [output.slice(-500)] };
      const expected = z.array(scoresSchema).length(corpora.length).parse(JSON.parse(output));
      const findings = corpora.flatMap((pairs, index) => {
        const [ours, theirs] = [ownScores(pairs), expected[index]];
        return names
          .filter((name) => !(Math.abs(ours[name] - (theirs?.[name] ?? Number.NaN)) <= tolerance))
          .map(
            (name) => `${name} ${ours[name]}, not ${theirs?.[name]}: ${JSON.stringify(pairs.slice(0, 1))}`,
          );
      });
      const versions = await Promise.all(["sacrebleu", "jiwer"].map(pinnedVersion));
      const said = `${versions.join(" and ")} compute the same BLEU, chrF++, WER and CER of ${pairCount} pairs, of tens and of each pair`;
      return verdictOf(findings.slice(0, 20), said);
    });
  },
};
