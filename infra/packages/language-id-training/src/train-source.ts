/** `npm run langid -- train-source <corpora> --words <folder>`: trains the model of source languages and writes its weights. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { sourceClassCount } from "../../../../shared/models/source-language/languages.ts";
import {
  encodeSparseWeights,
  type SparseWeights,
  sparseWeightsFile,
} from "../../../../shared/models/source-language/weights.ts";
import { readOptions } from "../../../command-line.ts";
import { type CorpusLine, readCorpus, readPhrases } from "./training/corpus.ts";
import { prune } from "./training/prune.ts";
import { createRandom } from "./training/random.ts";
import { trainRegression } from "./training/softmax-regression.ts";
import { createSourceSampler } from "./training/source-sampler.ts";
import { readWordLists, type WordList } from "./training/word-lists.ts";

/** How much the training does. The defaults made the weights in the repository. */
interface SourceTrainingOptions {
  readonly sampleCount: number;
  readonly storedWeights: number;
  readonly seed: number;
}

const defaultOptions: SourceTrainingOptions = { sampleCount: 4_000_000, storedWeights: 360_000, seed: 1 };

/** Trains the model. The same lines, lists and options produce the same weights. */
export const trainSourceModel = (
  lines: readonly CorpusLine[],
  wordLists: readonly WordList[],
  options: SourceTrainingOptions = defaultOptions,
): SparseWeights => {
  const draw = createSourceSampler(lines, wordLists);
  const { sampleCount, storedWeights, seed } = options;
  const regression = trainRegression(
    draw,
    { classCount: sourceClassCount, sampleCount, minGradient: 0.003 },
    createRandom(seed),
  );
  return prune(regression, storedWeights);
};

const usage = `Usage: npm run langid -- train-source <corpora> [--words FOLDER] [--samples 4000000] [--output FILE]

Trains the model of source languages on corpora, which are folders or files, and on the word lists of UNILEX, whose folder
data/frequency is FOLDER; without them, results are worse. Writes its weights where the functions are built from.`;

if (import.meta.main) {
  const { samples, output, words, positionals } = readOptions(
    usage,
    {
      words: { type: "string" },
      samples: { type: "string", default: String(defaultOptions.sampleCount) },
      output: { type: "string", default: fileURLToPath(sparseWeightsFile) },
    },
    true,
  );
  const started = performance.now();
  const options = { ...defaultOptions, sampleCount: Number(samples) };
  const wordLists = words === undefined ? [] : readWordLists(words);
  const lines = [...readCorpus(positionals), ...readPhrases()];
  const file = encodeSparseWeights(trainSourceModel(lines, wordLists, options));
  writeFileSync(output, file);
  process.stdout.write(
    `Wrote ${output}: ${file.length} bytes, in ${((performance.now() - started) / 1000).toFixed(0)} s.\n`,
  );
}
