import { writeFileSync } from "node:fs";

import { encodeWeights } from "../../../../../shared/language-id/weights-format.ts";
import { readCorpus } from "./corpus.ts";
import { readPhrases } from "./phrases.ts";
import { trainModel } from "./train-model.ts";

const destination = new URL("../../../../../shared/language-id/weights.bin", import.meta.url);

const started = performance.now();
const weights = trainModel(readCorpus(process.argv.slice(2)), readPhrases());
const file = encodeWeights(weights);
writeFileSync(destination, file);
process.stdout.write(
  `Wrote ${destination.pathname}: ${file.length} bytes, temperature ${weights.temperature.toFixed(2)}, ` +
    `in ${((performance.now() - started) / 1000).toFixed(0)} s.\n`,
);
