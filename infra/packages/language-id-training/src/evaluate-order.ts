/** `npm run langid -- evaluate-order <corpora>`: prints how often a judgement of spoken languages is right on held-out lines. */
import { readFileSync } from "node:fs";
import { sourceLanguageDetectorOnDemand } from "../../../../shared/models/source-language/detector.ts";
import { type Hearing, judgeLanguages } from "../../../../shared/models/spoken-language/judge-language.ts";
import {
  createWordOrder,
  orderedLanguages,
  orderedWords,
  orderWeightsFile,
} from "../../../../shared/models/spoken-language/word-order.ts";
import { readOptions } from "../../../command-line.ts";
import { type CorpusLine, readCorpus } from "./training/corpus.ts";
import { createRandom, pick, type Random, shuffled } from "./training/random.ts";

const usage = `Usage: npm run langid -- evaluate-order <corpora>

Prints, for passages of held-out lines in each language and the same length of mixed words in two others, how often the passage is
judged to be what is spoken, in per cent: where the model was surer of the right language, and where it was surer of the wrong ones.`;

const lengths = [5, 10, 20, 40, 70];
/** At a usual pace. */
const wordsPerSecond = 2.3;

const { positionals } = readOptions(usage, {}, true);
const tools = {
  detector: sourceLanguageDetectorOnDemand(),
  wordOrder: createWordOrder(new Int8Array(readFileSync(orderWeightsFile))),
};

const hearing = (language: string, words: readonly string[], averageLogProbability: number): Hearing => {
  const details = {
    ...{ averageLogProbability, seek: undefined, tokens: undefined, temperature: undefined },
    ...{ compressionRatio: undefined, noSpeechProbability: undefined },
  };
  const text = words.join(" ");
  const segments = [{ start: 0, end: words.length / wordsPerSecond, text, details }];
  return { language, transcription: { text, segments } };
};

const passagesOf = (lines: readonly CorpusLine[], length: number): string[][] => {
  const words = lines.flatMap(({ text }) => orderedWords(text));
  const count = Math.floor(words.length / length);
  return Array.from({ length: count }, (_, index) => words.slice(index * length, (index + 1) * length));
};

/** How often the language of passages is found, in per cent. */
const shareRight = (
  passages: ReadonlyMap<string, readonly string[][]>,
  spoken: string,
  { wrong, random }: { readonly wrong: () => number; readonly random: Random },
): number => {
  const own = passages.get(spoken) ?? [];
  const right = own.filter((passage) => {
    const known = [...passages].flatMap(([each, texts]) => (each === spoken || !texts.length ? [] : [each]));
    const others = shuffled(known, random).slice(0, 2);
    const hearings = shuffled(
      [
        hearing(spoken, passage, -0.4),
        ...others.map((other) =>
          hearing(other, shuffled(pick(passages.get(other) ?? [], random), random), wrong()),
        ),
      ],
      random,
    );
    return judgeLanguages(hearings, passage.length / wordsPerSecond, tools).language === spoken;
  });
  return (100 * right.length) / own.length;
};

const lines = readCorpus(positionals).filter(
  ({ split, source, language }) =>
    split.startsWith("test") && orderedLanguages.includes(language) && /salt|asp|udhr/.test(source),
);
const header = ["words", ...orderedLanguages].map((name) => name.padStart(12));
process.stdout.write(`${header.join("")}\n`);
for (const length of lengths) {
  const random = createRandom(length);
  const passages = new Map(
    orderedLanguages.map((language) => [
      language,
      passagesOf(
        shuffled(
          lines.filter((line) => line.language === language),
          random,
        ),
        length,
      ),
    ]),
  );
  const cells = orderedLanguages.map((language) => {
    const usual = shareRight(passages, language, { wrong: () => -0.55 - 0.4 * random(), random });
    const reversed = shareRight(passages, language, { wrong: () => -0.25 - 0.1 * random(), random });
    return `${usual.toFixed(1)} ${reversed.toFixed(1)}`.padStart(12);
  });
  process.stdout.write(`${String(length).padStart(12)}${cells.join("")}\n`);
}
