import { fill } from "../../../shared/pages/texts/languages.ts";
import { Badge, DataTable, EmptyState, Facts } from "../../../shared/pages/view/components.tsx";
import { dayOf, numbersIn } from "../../../shared/pages/view/dates.ts";
import { useFrame } from "../../../shared/pages/view/frame.ts";
import type { CalibratedSignal, Calibration } from "../../../shared/platform/catalogue/stage-catalogue.ts";
import { CalibrationCurve } from "./calibration-curve.tsx";
import { calibrationRows } from "./calibration-rows.ts";
import { type Evaluation, isFresh } from "./evaluation.ts";
import {
  hasPrices,
  type MeasuredRow,
  type QualityTask,
  qualityRows,
  qualityTasks,
  type ScoreName,
  scoreNumbers,
  scoreText,
} from "./quality-rows.ts";

const useNumbers = () => {
  const { language } = useFrame();
  return {
    scores: scoreNumbers(language),
    counts: numbersIn(language),
    seconds: numbersIn(language, 2),
    dollars: numbersIn(language, 6),
  };
};

const Items = ({ measured }: Pick<MeasuredRow, "measured">) => {
  const { quality: words } = useFrame().texts;
  const { counts } = useNumbers();
  const { items, without_output: without } = measured;
  return (
    <span>
      {counts.format(items)}
      {without > 0 && <span class="soft"> {fill(words.without, { count: counts.format(without) })}</span>}
    </span>
  );
};

const Scores = ({
  task,
  scores,
  rows,
}: {
  readonly task: QualityTask;
  readonly scores: readonly ScoreName[];
  readonly rows: readonly MeasuredRow[];
}) => {
  const { quality: words, languages } = useFrame().texts;
  const numbers = useNumbers();
  const isPriced = hasPrices(rows);
  return (
    <DataTable
      caption={words[task]}
      isCaptionShown={false}
      isStacked
      columns={[
        { label: task === "translation" ? words.direction : languages.language },
        ...scores.map((score) => ({ label: words[score] })),
        { label: words.items },
        { label: words.seconds },
        ...(isPriced ? [{ label: words.dollars }] : []),
      ]}
      rows={rows.map(({ name, measured }) => {
        const { dollars } = measured.cost_per_item;
        return [
          name,
          ...measured.scores.map((score) => scoreText(score, numbers.scores)),
          <Items key="items" measured={measured} />,
          numbers.seconds.format(measured.median_seconds),
          ...(isPriced ? [dollars === null ? "" : numbers.dollars.format(dollars)] : []),
        ];
      })}
    />
  );
};

const Task = ({
  task,
  scores,
  evaluation,
}: {
  readonly task: QualityTask;
  readonly scores: readonly ScoreName[];
  readonly evaluation: Evaluation;
}) => {
  const { quality: words } = useFrame().texts;
  const { measured, unmeasured } = qualityRows(task, evaluation);
  return (
    <div class="section stack">
      <h2>{words[task]}</h2>
      {measured.length > 0 && <Scores task={task} scores={scores} rows={measured} />}
      {unmeasured.length > 0 && (
        <p class="soft">
          <strong>{words.notMeasured}:</strong> {unmeasured.join(", ")}
        </p>
      )}
    </div>
  );
};

const About = ({ evaluation, now }: { readonly evaluation: Evaluation; readonly now: number }) => {
  const { texts, language } = useFrame();
  const { quality: words } = texts;
  const { data, measured_at, bootstrap } = evaluation;
  return (
    <>
      <Facts
        facts={[
          [
            words.measuredOn,
            <>
              {dayOf(measured_at, language)}{" "}
              {isFresh(evaluation, now) ? (
                <Badge kind="good">{words.fresh}</Badge>
              ) : (
                <Badge kind="warning">{words.old}</Badge>
              )}
            </>,
          ],
          [words.data, data.name],
          ...(data.about === "" ? [] : [[words.aboutData, data.about] as const]),
        ]}
      />
      <p class="soft">{fill(words.howToRead, { count: bootstrap.min_items })}</p>
    </>
  );
};

/** How often words of a language are right, by what they were marked with. */
const CalibratedWords = ({ name, signal }: { readonly name: string; readonly signal: CalibratedSignal }) => {
  const { quality: words } = useFrame().texts;
  const { counts } = useNumbers();
  const percent = (share: number): string => `${Math.round(100 * share)}%`;
  return (
    <>
      <h3>{name}</h3>
      <CalibrationCurve label={fill(words.curveOf, { name })} checks={signal.checks} />
      <DataTable
        caption={name}
        isCaptionShown={false}
        isStacked
        columns={[{ label: words.marked }, { label: words.right }, { label: words.words }]}
        rows={signal.checks.map(({ from, to, count, right }) => [
          `${percent(from)}–${percent(to)}`,
          percent(right / count),
          counts.format(count),
        ])}
      />
    </>
  );
};

/** How sure transcripts are, language by language. */
const Confidence = ({ calibration }: { readonly calibration: Calibration }) => {
  const { texts, language } = useFrame();
  const { quality: words } = texts;
  const rows = calibrationRows(calibration);
  const namesOf = (isTooSmall: boolean): string =>
    rows
      .filter((row) => row.signal === null && row.isTooSmall === isTooSmall)
      .map(({ name }) => name)
      .join(", ");
  const missing = [
    [words.noInformation, namesOf(false)],
    [words.tooFew, namesOf(true)],
  ].filter(([, names]) => names !== "");
  return (
    <div class="section stack">
      <h2>{words.confidence}</h2>
      <p class="soft">
        {fill(words.confidenceText, {
          date: dayOf(calibration.measured_at, language),
          data: calibration.data.name,
        })}
      </p>
      {rows.map(({ name, signal }) => signal && <CalibratedWords key={name} name={name} signal={signal} />)}
      {missing.map(([label, names]) => (
        <p key={label} class="soft">
          <strong>{label}</strong> {names}
        </p>
      ))}
    </div>
  );
};

/** The scores of the stage's models, or that nothing was measured. */
export const Quality = ({
  evaluation,
  calibration,
  now,
}: {
  readonly evaluation: Evaluation | undefined;
  readonly calibration?: Calibration | undefined;
  readonly now: number;
}) => {
  const { quality: words } = useFrame().texts;
  return (
    <>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {evaluation === undefined ? (
        <EmptyState title={words.none}>
          <p>{words.noneText}</p>
        </EmptyState>
      ) : (
        <>
          <About evaluation={evaluation} now={now} />
          {qualityTasks.map(({ task, scores }) => (
            <Task key={task} task={task} scores={scores} evaluation={evaluation} />
          ))}
        </>
      )}
      {calibration && <Confidence calibration={calibration} />}
    </>
  );
};
