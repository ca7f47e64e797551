/** `npm run langid -- train <corpora>`: trains the model and writes its weights where the functions are built from. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  classCount,
  encodeWeights,
  type Weights,
  weightsFile,
} from "../../../../shared/models/language-id/weights.ts";
import { readOptions } from "../../../command-line.ts";
import { fitTemperature } from "./training/calibrate.ts";
import { type CorpusLine, readCorpus, readPhrases } from "./training/corpus.ts";
import { label, partition } from "./training/partition.ts";
import { quantise } from "./training/quantise.ts";
import { createRandom } from "./training/random.ts";
import { createSampler } from "./training/sampler.ts";
import { trainRegression } from "./training/softmax-regression.ts";

/** How much the training does. The defaults made the weights in the repository. */
interface TrainingOptions {
  readonly sampleCount: number;
  readonly storedBuckets: number;
  readonly seed: number;
}

const defaultOptions: TrainingOptions = { sampleCount: 2_560_000, storedBuckets: 70_000, seed: 1 };

/** The six languages alike, and everything else, which is far more varied, two and a half times as often. */
const classWeights = [1, 1, 1, 1, 1, 1, 2.5];

/**
 * Trains the model. The same lines and options produce the same weights.
 *
 *
 * @param lines the corpus; lines of other splits than `train` and `valid` are ignored
 * @param phrases lines that are all trained on
 */
export const trainModel = (
  lines: readonly CorpusLine[],
  phrases: readonly CorpusLine[],
  options: TrainingOptions = defaultOptions,
): Weights => {
  const { training, development } = partition(lines);
  const draw = createSampler([...training, ...phrases.map(label)], classWeights);
  const regression = trainRegression(
    draw,
    { classCount, sampleCount: options.sampleCount },
    createRandom(options.seed),
  );
  const uncalibrated = quantise(regression, options.storedBuckets, 1);
  return { ...uncalibrated, temperature: fitTemperature(uncalibrated, development).temperature };
};

const usage = `Usage: npm run langid -- train <corpora> [--samples 2560000] [--output FILE]

Trains the language model on corpora, which are folders or files, and writes its weights where the functions are built from.`;

if (import.meta.main) {
  const { samples, output, positionals } = readOptions(
    usage,
    {
      samples: { type: "string", default: String(defaultOptions.sampleCount) },
      output: { type: "string", default: fileURLToPath(weightsFile) },
    },
    true,
  );
  const started = performance.now();
  const options = { ...defaultOptions, sampleCount: Number(samples) };
  const weights = trainModel(readCorpus(positionals), readPhrases(), options);
  const file = encodeWeights(weights);
  writeFileSync(output, file);
  process.stdout.write(
    `Wrote ${output}: ${file.length} bytes, temperature ${weights.temperature.toFixed(2)}, ` +
      `in ${((performance.now() - started) / 1000).toFixed(0)} s.\n`,
  );
}
