import { calibrationRows, markedFrom } from "../../../functions/site/quality/calibration-rows.ts";
import type { Evaluation } from "../../../functions/site/quality/evaluation.ts";
import {
  type MeasuredRow,
  qualityRows,
  qualityTasks,
  scoreNumbers,
  scoreText,
} from "../../../functions/site/quality/quality-rows.ts";
import { textsOf } from "../../../shared/pages/texts/languages.ts";
import { numbersIn } from "../../../shared/pages/view/dates.ts";
import type { Calibration } from "../../../shared/platform/catalogue/stage-catalogue.ts";
import type { EvaluationData } from "../data/read-data.ts";
import type { OutputRecord } from "../run/outputs.ts";

const { quality: words } = textsOf.en;
const [scores, seconds] = [scoreNumbers("en"), numbersIn("en", 2)];

const counted = (items: number): string => `${items} ${items === 1 ? "item" : "items"}`;

/** The scores for a terminal: a line for each measured language or direction, and the names of the others. */
export const summaryLines = (evaluation: Evaluation): string[] =>
  qualityTasks.flatMap(({ task, scores: names }) => {
    const { measured: rows, unmeasured } = qualityRows(task, evaluation);
    const shown = ({ name, measured }: MeasuredRow): string => {
      const parts = measured.scores.map((score, index) => {
        const label = names[index];
        return `${label === undefined ? "" : words[label]} ${scoreText(score, scores)}`;
      });
      const without =
        measured.without_output > 0 ? ` (${measured.without_output} more without a result)` : "";
      return `  ${name}: ${parts.join(", ")}; ${counted(measured.items)}${without}, ${seconds.format(measured.median_seconds)} s`;
    };
    return [
      words[task],
      ...rows.map(shown),
      ...(unmeasured.length > 0 ? [`  ${words.notMeasured}: ${unmeasured.join(", ")}`] : []),
    ];
  });

/** How sure transcripts of each language can be. */
export const calibrationLines = (calibration: Calibration): string[] =>
  calibrationRows(calibration).map(({ name, signal, isTooSmall }) => {
    if (isTooSmall) return `  ${name}: too few recordings or words to calibrate`;
    if (!signal) return `  ${name}: no information in what the models report`;
    const { count, right } = markedFrom(0.9, signal);
    const share = count === 0 ? "none" : `${Math.round((100 * right) / count)}% right`;
    return `  ${name}: of ${count} words marked 0.9 or more, ${share}`;
  });

/** Which items the service refused, with its reason, once for each reason. */
export const refusalLines = (
  { items }: Pick<EvaluationData, "items">,
  records: ReadonlyMap<string, OutputRecord>,
): string[] => {
  const refusals = items.flatMap(({ id }) => records.get(id)?.refused ?? []);
  const reasons = Map.groupBy(refusals, ({ status, code, detail }) => `${status} ${code}: ${detail}`);
  return [...reasons].map(([reason, group]) => `${counted(group.length)} refused with ${reason}`);
};
