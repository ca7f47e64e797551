/** `npm run langid -- evaluate <corpora>`: prints the figures of the model's card; fails when a target is missed. */
import { franc } from "franc";
import { identifiableLanguages } from "../../../../shared/models/language-id/identification.ts";
import { loadLanguageModel } from "../../../../shared/models/language-id/model.ts";
import { normalise } from "../../../../shared/models/language-id/normalise.ts";
import { readWeights } from "../../../../shared/models/language-id/weights.ts";
import { readOptions } from "../../../command-line.ts";
import {
  calibrationError,
  type Identifier,
  measureAccuracy,
  measureDecisions,
  measureSpeed,
} from "./evaluation/measurements.ts";
import { measureRejection, measureRelatives } from "./evaluation/rejection.ts";
import * as report from "./evaluation/report.ts";
import { missedTargets } from "./evaluation/targets.ts";
import { domains, testTextsFrom, unseenTexts } from "./evaluation/test-texts.ts";
import { readCorpus, readPhrases } from "./training/corpus.ts";
import { heldOutLanguages, languageOf } from "./training/partition.ts";

const usage = `Usage: npm run langid -- evaluate <corpora> [--once]

Prints the accuracy of the language model on the held-out lines of corpora, which are folders or files. Exits with 1 when
a target is missed; --once only sees whether it works, and judges no target.`;

const { once, positionals } = readOptions(usage, { once: { type: "boolean", default: false } }, true);

const weights = readWeights();
const loadStarted = performance.now();
const model = loadLanguageModel(weights);
const loadMilliseconds = performance.now() - loadStarted;

const lines = readCorpus(positionals);
const open = lines.filter((line) => !line.split.startsWith("test"));
const heldOut = lines.filter((line) => line.split.startsWith("test"));
const withheld = heldOutLanguages(open).evaluation;
const neverSeen = open.filter((line) => withheld.has(languageOf(line)));
const learned = [...open, ...readPhrases()];

const texts = testTextsFrom(heldOut, new Set(learned.map((line) => normalise(line.text))));
if (texts.length === 0) throw new Error("The corpus has no held-out lines (splits that start with `test`).");
const unseen = unseenTexts(texts, learned, "in its language");
const nowhere = unseenTexts(texts, learned, "anywhere");
const shortTexts = texts.filter(({ bucket }) => bucket === "3-10");
const longerTexts = texts.filter(({ bucket }) => bucket !== "3-10");

const ours: Identifier = (text) => model.identify(text).language;
const francAmongSix: Identifier = (text) => franc(text, { only: [...identifiableLanguages], minLength: 1 });
const francAmongAll: Identifier = (text) => franc(text, { minLength: 1 });

const accuracy = measureAccuracy(ours, texts);
const unseenAccuracy = measureAccuracy(ours, unseen);
const microseconds = measureSpeed(ours, texts);
const missed = missedTargets({
  accuracy,
  unseenAccuracy,
  microseconds,
  loadMilliseconds,
  fileBytes: weights.length,
});

const print = (title: string, body: string): void => {
  process.stdout.write(`${title}\n\n${body}\n\n`);
};

print(`Accuracy on all ${texts.length} held-out texts`, report.accuracyTable(accuracy));
print(
  `Accuracy on the ${unseen.length} of them that occur in no training line of their language as whole words`,
  report.accuracyTable(unseenAccuracy),
);
print(
  `Accuracy on the ${nowhere.length} of them that occur in no training line of any language, not even within words`,
  report.accuracyTable(measureAccuracy(ours, nowhere)),
);
print(
  "Compared on all held-out texts",
  report.comparisonTable(
    new Map([
      ["this model", accuracy],
      ["franc 6.2.0, limited to the six", measureAccuracy(francAmongSix, texts)],
      ["franc 6.2.0, as it comes", measureAccuracy(francAmongAll, texts)],
    ]),
  ),
);
print("Confusion, 11 characters and more", report.confusionTable(ours, longerTexts));
print("Confusion, 3 to 10 characters", report.confusionTable(ours, shortTexts));
for (const domain of domains) {
  const ofDomain = texts.filter((text) => text.domain === domain);
  print(
    `What classify does with the six languages, ${domain}`,
    report.decisionTable(measureDecisions(model, ofDomain)),
  );
  print(`Expected calibration error, ${domain}`, `${report.percent(calibrationError(model, ofDomain), 2)}%`);
}
print(
  "What classify does with other languages",
  report.rejectionTable(measureRejection(model, heldOut, neverSeen)),
);
print(
  "What classify does with close relatives of the six, 11 to 50 characters",
  report.relativesTable(measureRelatives(model, heldOut)),
);
print(
  "Time once warm",
  report.speedTable(
    new Map([
      ["this model", microseconds],
      ["franc 6.2.0, limited to the six", measureSpeed(francAmongSix, texts)],
    ]),
  ),
);
print("Load, once per process", `${loadMilliseconds.toFixed(1)} ms for ${weights.length} bytes`);
print("Targets", missed.length === 0 ? "All reached." : missed.join("\n"));
if (missed.length > 0 && !once) process.exitCode = 1;
