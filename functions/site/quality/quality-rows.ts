import { identifiableLanguages } from "../../../shared/models/language-id/identification.ts";
import { type ConsoleLanguage, localeOf } from "../../../shared/pages/texts/languages.ts";
import {
  findLanguage,
  transcriptionLanguages,
  translationLanguages,
} from "../../../shared/platform/catalogue/languages.ts";
import type { EvaluatedDirection, EvaluatedScore, Evaluation, Measured } from "./evaluation.ts";

/** The tasks in the order of the page, with the names of their scores. */
export const qualityTasks = [
  { task: "translation", scores: ["chrf", "bleu"] },
  { task: "transcription", scores: ["wer", "cer"] },
  { task: "language_identification", scores: ["accuracy"] },
] as const;
export type QualityTask = (typeof qualityTasks)[number]["task"];

/** The name of a score in the file and in the texts of the page. */
export type ScoreName = (typeof qualityTasks)[number]["scores"][number];

/** A language or direction with its scores, in the order of the task's. */
export interface MeasuredRow {
  /** Such as `English → Luganda`. */
  readonly name: string;
  readonly measured: Measured & { readonly scores: readonly EvaluatedScore[] };
}

/** Every language of a task: with its scores, or as one that was not measured. There is never an average in their stead. */
export interface QualityRows {
  readonly measured: readonly MeasuredRow[];
  /** Names; `→ Acholi` was only not measured as a target, and `Acholi →` only not as a source. */
  readonly unmeasured: readonly string[];
}

const nameOf = (code: string): string => findLanguage(code)?.name ?? code;

/** The names of the languages by code, with those that only the evaluation has. */
const namesWith = (known: readonly string[], measured: readonly string[]): (readonly [string, string])[] =>
  [...new Set([...known, ...measured])]
    .map((code) => [code, nameOf(code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, "en"));

const byName = (one: MeasuredRow, other: MeasuredRow): number => one.name.localeCompare(other.name, "en");

const directionRows = (name: string, into: readonly EvaluatedDirection[]): MeasuredRow[] =>
  into
    .map(({ chrf, bleu, ...measured }) => ({
      name: `${nameOf(measured.source_language)} → ${name}`,
      measured: { ...measured, scores: [chrf, bleu] },
    }))
    .toSorted(byName);

const translationRows = ({ translation }: Evaluation): QualityRows => {
  const languages = namesWith(
    translationLanguages.map(({ code }) => code),
    translation.flatMap(({ source_language, target_language }) => [source_language, target_language]),
  ).map(([code, name]) => ({
    name,
    into: translation.filter(({ target_language }) => target_language === code),
    isSource: translation.some(({ source_language }) => source_language === code),
  }));
  const missing = ({ name, into, isSource }: (typeof languages)[number]): string[] => {
    if (into.length === 0) return [isSource ? `→ ${name}` : name];
    return isSource ? [] : [`${name} →`];
  };
  return {
    measured: languages.flatMap(({ name, into }) => directionRows(name, into)),
    unmeasured: languages.flatMap(missing),
  };
};

const languageRows = <Entry extends Measured & { readonly language: string }>(
  known: readonly string[],
  entries: readonly Entry[],
  scoresOf: (entry: Entry) => readonly EvaluatedScore[],
): QualityRows => {
  const measured = entries.map((entry) => ({
    name: nameOf(entry.language),
    measured: { ...entry, scores: scoresOf(entry) },
  }));
  const codes = new Set(entries.map(({ language }) => language));
  const others = namesWith(
    known.filter((code) => !codes.has(code)),
    [],
  );
  return { measured: measured.toSorted(byName), unmeasured: others.map(([, name]) => name) };
};

/** Every language of a task. */
export const qualityRows = (task: QualityTask, evaluation: Evaluation): QualityRows => {
  if (task === "translation") return translationRows(evaluation);
  if (task === "language_identification") {
    return languageRows(identifiableLanguages, evaluation.language_identification, ({ accuracy }) => [
      accuracy,
    ]);
  }
  return languageRows(
    transcriptionLanguages.map(({ code }) => code),
    evaluation.transcription,
    ({ wer, cer }) => [wer, cer],
  );
};

/** Scores always have one digit after the point. */
export const scoreNumbers = (language: ConsoleLanguage): Intl.NumberFormat =>
  new Intl.NumberFormat(localeOf(language), { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A score with its interval, such as `41.2 (38.0–44.1)`. */
export const scoreText = ({ score, interval }: EvaluatedScore, number: Intl.NumberFormat): string =>
  interval
    ? `${number.format(score)} (${interval.map((bound) => number.format(bound)).join("–")})`
    : number.format(score);

/** Whether any language has a price. */
export const hasPrices = (rows: readonly MeasuredRow[]): boolean =>
  rows.some(({ measured }) => measured.cost_per_item.dollars !== null);
