import { lengthBuckets } from "../training/length-buckets.ts";
import type { Tally } from "./measurements.ts";
import { percent, table } from "./report.ts";
import { type AccuracyOfLanguage, macroAccuracy, type Reliability } from "./source-measurements.ts";

const bucketNames = lengthBuckets.map(({ name }) => name);

const percentOf = ({ right, total }: Tally): string => (total === 0 ? "-" : percent(right / total));

const accuracyTable = (rows: readonly AccuracyOfLanguage[]): string =>
  table([
    ["most likely language right, %", ...bucketNames],
    ...rows.map(({ language, byBucket }) => [
      language,
      ...bucketNames.map((name) => {
        const tally = byBucket.get(name) ?? { right: 0, total: 0 };
        return tally.total === 0 ? "-" : `${percentOf(tally)} (${tally.total})`;
      }),
    ]),
    ["mean", ...bucketNames.map((name) => percent(macroAccuracy(rows, name), 2))],
  ]);

/** What the card contains. */
export interface SourceFigures {
  /** SHA-256 of the weights file. */
  readonly digest: string;
  readonly bytes: number;
  readonly textCount: number;
  readonly accuracy: readonly AccuracyOfLanguage[];
  readonly reliability: readonly Reliability[];
  readonly isDetectable: (code: string) => boolean;
  readonly lineCounts: ReadonlyMap<string, number>;
  /** Languages of translation with too little held-out text. */
  readonly unmeasured: readonly string[];
  readonly isModelled: (code: string) => boolean;
  /** How many other languages there are held-out texts of. */
  readonly foreignLanguages: number;
  readonly withheld: ReadonlyMap<string, Tally>;
}

const reliabilityTable = ({
  reliability,
  isDetectable,
  lineCounts,
  unmeasured,
  isModelled,
}: SourceFigures): string =>
  table([
    ["language", "lines", "results", "precision, %", "even mix, %", "found 3-10", "11-20", "21-50", "51-100"]
      .concat("most often mistaken")
      .concat("`source_language`"),
    ...reliability.map(({ language, results, evenPrecision, found, mistaken }) => [
      language,
      String(lineCounts.get(language) ?? 0),
      String(results.total),
      percentOf(results),
      percent(evenPrecision),
      ...bucketNames.slice(0, 4).map((name) => percent(found.get(name), 0)),
      mistaken ? `${mistaken[0]} ${mistaken[1]}` : "-",
      isDetectable(language) ? "detected" : "null",
    ]),
    ...unmeasured.map((language) => [
      language,
      String(lineCounts.get(language) ?? 0),
      ...(isModelled(language) ? ["not measured", "-"] : ["no data", "-"]),
      ...["-", "-", "-", "-", "-", "-", "null"],
    ]),
  ]);

/** The figures of the card, in Markdown. */
export const figures = (measured: SourceFigures): string =>
  [
    `Weights: ${measured.bytes} bytes, SHA-256 \`${measured.digest}\`. Texts: ${measured.textCount}.`,
    reliabilityTable(measured),
    accuracyTable(measured.accuracy),
    table([
      [`no result for ${measured.foreignLanguages} other languages, %`, ...bucketNames],
      [
        "all their texts",
        ...bucketNames.map((name) => percentOf(measured.withheld.get(name) ?? { right: 0, total: 0 })),
      ],
    ]),
  ].join("\n\n");

const start = "<!-- figures: npm run langid -- evaluate-source <corpora> --write -->";
const end = "<!-- end of figures -->";

/** Puts figures into a card, between its two marks. @throws Error when the card lacks them */
export const replaceFigures = (card: string, text: string): string => {
  const [before, rest] = card.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error("The card has no marks for figures.");
  return `${before}${start}\n\n${text}\n\n${end}${after}`;
};
