/** `npm run langid -- train-order <corpora>`: trains the model of word order and writes its weights. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { orderWeightsFile } from "../../../../shared/models/spoken-language/word-order.ts";
import { readOptions } from "../../../command-line.ts";
import { readCorpus } from "./training/corpus.ts";
import { trainOrder } from "./training/order-regression.ts";
import { createRandom } from "./training/random.ts";

const usage = `Usage: npm run langid -- train-order <corpora> [--epochs 10] [--output FILE]

Trains the model of word order on corpora, which are folders or files. Writes its weights where the functions are built from.`;

const { epochs, output, positionals } = readOptions(
  usage,
  {
    epochs: { type: "string", default: "10" },
    output: { type: "string", default: fileURLToPath(orderWeightsFile) },
  },
  true,
);
const weights = trainOrder(readCorpus(positionals), Number(epochs), createRandom(1));
writeFileSync(output, weights);
process.stdout.write(`Wrote ${output}: ${weights.length} bytes.\n`);
