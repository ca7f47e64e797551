/** `npm run langid -- evaluate-source <corpora>`: measures the model of source languages; fails when a target is missed. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { normalise } from "../../../../shared/models/language-id/normalise.ts";
import { createClassProbabilities } from "../../../../shared/models/source-language/detector.ts";
import {
  detectableLanguages,
  modelledLanguages,
} from "../../../../shared/models/source-language/languages.ts";
import { decodeSparseWeights, readSparseWeights } from "../../../../shared/models/source-language/weights.ts";
import { translationLanguages } from "../../../../shared/platform/catalogue/languages.ts";
import { readOptions } from "../../../command-line.ts";
import {
  type AccuracyOfLanguage,
  judge,
  macroAccuracy,
  measureReliability,
  measureSourceAccuracy,
  measureWithheld,
  type Reliability,
} from "./evaluation/source-measurements.ts";
import * as report from "./evaluation/source-report.ts";
import { countLines, minHeldOutLines, sourceTextsFrom } from "./evaluation/source-texts.ts";
import { readCorpus, readPhrases } from "./training/corpus.ts";
import { languageOf } from "./training/partition.ts";

const usage = `Usage: npm run langid -- evaluate-source <corpora> [--write] [--once]

Measures the model of source languages on the held-out lines of corpora, which are folders or files. --write puts the figures into
the model's card. Exits with 1 when a target is missed; --once only sees whether it works, and judges no target.`;

const { once, write, positionals } = readOptions(
  usage,
  { once: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
  true,
);

const minMacroAccuracy = 0.88;
const minPrecision = 0.95;
/** Less, because Swahili stories with the label Masaaba weigh more in an even mix. */
const minEvenPrecision = 0.9;
const maxFileBytes = 300_000;

const codes = translationLanguages.map(({ code }) => code);
const stored = readSparseWeights();
const lines = readCorpus(positionals);
const heldOut = lines.filter(({ split }) => split.startsWith("test"));
const learned = [...lines.filter(({ split }) => !split.startsWith("test")), ...readPhrases()];
const texts = sourceTextsFrom(heldOut, new Set(learned.map(({ text }) => normalise(text))));
if (texts.length === 0) throw new Error("The corpus has no held-out lines (splits that start with `test`).");

const lineCounts = countLines(heldOut);
const withTexts = codes.filter((code) => lineCounts.has(code));
const measured = withTexts.filter((code) => (lineCounts.get(code) ?? 0) >= minHeldOutLines);
const judged = judge(createClassProbabilities(decodeSparseWeights(stored)), texts);
const accuracy: readonly AccuracyOfLanguage[] = measureSourceAccuracy(judged, measured);
const reliability: readonly Reliability[] = measured.map((code) =>
  measureReliability(judged, code, withTexts),
);
const isDetectable = (code: string): boolean => detectableLanguages.some((language) => language === code);

const missed = [
  ...(macroAccuracy(accuracy, "21-50") >= minMacroAccuracy
    ? []
    : [`21-50 characters: macro accuracy is below ${100 * minMacroAccuracy}%.`]),
  ...detectableLanguages.flatMap((code) => {
    const found = reliability.find(({ language }) => language === code);
    if (!found) return [`${code}: has fewer than ${minHeldOutLines} held-out lines.`];
    const precision = found.results.right / found.results.total;
    return [
      ...(precision >= minPrecision ? [] : [`${code}: precision is below ${100 * minPrecision}%.`]),
      ...(found.evenPrecision >= minEvenPrecision
        ? []
        : [`${code}: precision in an even mix is below ${100 * minEvenPrecision}%.`]),
    ];
  }),
  ...(stored.length > maxFileBytes ? [`The weights file is larger than ${maxFileBytes} bytes.`] : []),
];

const foreign = judged.filter(({ language }) => !codes.includes(language));
const unmeasured = codes.filter((code) => !measured.includes(code));
const figures = report.figures({
  digest: createHash("sha256").update(stored).digest("hex"),
  bytes: stored.length,
  textCount: texts.length,
  accuracy,
  reliability,
  isDetectable,
  lineCounts,
  unmeasured,
  isModelled: (code) => modelledLanguages.includes(code),
  foreignLanguages: new Set(heldOut.map(languageOf).filter((language) => !codes.includes(language))).size,
  withheld: measureWithheld(foreign, isDetectable),
});

process.stdout.write(`${figures}\n\n${missed.length === 0 ? "All targets reached." : missed.join("\n")}\n`);
if (write) {
  const card = new URL("../../../../shared/models/source-language/README.md", import.meta.url);
  writeFileSync(card, report.replaceFigures(readFileSync(card, "utf8"), figures));
}
if (missed.length > 0 && !once) process.exitCode = 1;
