import { identifiableLanguages } from "../../../../../shared/models/language-id/identification.ts";
import { lengthBuckets } from "../training/length-buckets.ts";
import { type AccuracyRow, confusionMatrix, type DecisionRow, type Identifier } from "./measurements.ts";
import type { RejectionRow, RelativeRow } from "./rejection.ts";
import { domains, type TestText } from "./test-texts.ts";

/** A share as a percentage with one decimal; a dash when there is none. */
export const percent = (share: number | undefined, decimals = 1): string =>
  share === undefined || Number.isNaN(share) ? "-" : (100 * share).toFixed(decimals);

/** Lays rows out as a Markdown table whose columns also line up in a terminal. The first row is the head. */
export const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${cells.join(" | ")} |`;
  });
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
};

const bucketNames = lengthBuckets.map(({ name }) => name);

/** Accuracy per length and language, with the number of texts where it is small enough to matter. */
export const accuracyTable = (rows: readonly AccuracyRow[]): string =>
  table([
    ["%", "macro", ...identifiableLanguages],
    ...rows.map(({ domain, bucket, macro, byLanguage }) => [
      `${domain} ${bucket}`,
      percent(macro, 2),
      ...identifiableLanguages.map((language) => {
        const { right, total } = byLanguage.get(language) ?? { right: 0, total: 0 };
        return total === 0 ? "-" : `${percent(right / total)} (${total})`;
      }),
    ]),
  ]);

/** Macro accuracy of several identifiers, per domain and length. */
export const comparisonTable = (compared: ReadonlyMap<string, readonly AccuracyRow[]>): string =>
  table([
    [
      "macro %",
      ...domains.flatMap((domain) =>
        bucketNames.map((bucket) => `${domain.replace("-domain", "")} ${bucket}`),
      ),
    ],
    ...[...compared].map(([name, rows]) => [name, ...rows.map(({ macro }) => percent(macro))]),
  ]);

export const confusionTable = (identify: Identifier, texts: readonly TestText[]): string => {
  const matrix = confusionMatrix(identify, texts);
  return table([
    ["truth \\ answer", ...identifiableLanguages],
    ...identifiableLanguages.map((truth) => [
      truth,
      ...identifiableLanguages.map((prediction) => String(matrix.get(truth)?.get(prediction) ?? 0)),
    ]),
  ]);
};

export const decisionTable = (rows: readonly DecisionRow[]): string =>
  table([
    ["%", ...rows.map(({ bucket }) => bucket)],
    ["answered", ...rows.map(({ decided }) => percent(decided))],
    ["of those right", ...rows.map(({ right }) => percent(right))],
  ]);

export const rejectionTable = (rows: readonly RejectionRow[]): string =>
  table([
    ["withheld, %", ...bucketNames],
    ...rows.map(({ name, withheld }) => [
      name,
      ...bucketNames.map((bucket) => {
        const cell = withheld.get(bucket);
        return cell === undefined ? "-" : `${percent(cell.share)} (${cell.total})`;
      }),
    ]),
  ]);

/** The three most frequent results for each close relative. */
export const relativesTable = (rows: readonly RelativeRow[]): string =>
  table([
    ["language (texts)", "answers, %"],
    ...rows.map(({ language, total, predictions }) => [
      `${language} (${total})`,
      predictions
        .slice(0, 3)
        .map(([prediction, count]) => `${prediction ?? "withheld"} ${percent(count / total, 0)}`)
        .join(", "),
    ]),
  ]);

export const speedTable = (compared: ReadonlyMap<string, ReadonlyMap<string, number>>): string =>
  table([
    ["µs a text", ...bucketNames],
    ...[...compared].map(([name, times]) => [
      name,
      ...bucketNames.map((bucket) => times.get(bucket)?.toFixed(1) ?? "-"),
    ]),
  ]);
