import type {
  EvaluatedDirection,
  EvaluatedIdentification,
  EvaluatedTranscription,
  Evaluation,
  Measured,
} from "../../../functions/site/quality/evaluation.ts";
import type { DataItem, EvaluatedTask } from "../data/item.ts";
import type { EvaluationData } from "../data/read-data.ts";
import type { OutputRecord } from "../run/outputs.ts";
import { bleuOf, bleuStatistics } from "../scores/bleu.ts";
import { minIntervalItems, resamples, type Score, scoreItems, seed } from "../scores/bootstrap.ts";
import { chrfOf, chrfStatistics } from "../scores/chrf.ts";
import { characterErrors, errorRateOf, wordErrors } from "../scores/error-rate.ts";

/** What a server costs, in dollars. */
export interface Prices {
  readonly millionTokens: number;
  readonly audioHour: number;
  /** Of a machine that works only for this run. */
  readonly serverHour: number;
}

/** An item with its output. */
interface Scored<Kind extends DataItem = DataItem> {
  readonly item: Kind;
  readonly output: string;
  readonly record: OutputRecord;
}

interface Group<Kind extends DataItem> {
  readonly scored: readonly Scored<Kind>[];
  readonly withoutOutput: number;
}

/** What the numbers of an evaluation depend on, besides the outputs. */
export interface EvaluationInput {
  readonly data: EvaluationData;
  readonly records: ReadonlyMap<string, OutputRecord>;
  readonly baseUrl: string;
  readonly parallel: number;
  readonly prices: Prices;
}

const round = (value: number, digits = 4): number => Number(value.toFixed(digits));

const percentile = (ordered: readonly number[], share: number): number =>
  ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? 0;

const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length
    ? null
    : known.reduce((sum, value) => sum + value, 0) / known.length;
};

const orNull = (value: number | null, digits?: number): number | null =>
  value === null ? null : round(value, digits);

const charactersOf = (item: DataItem): number | null => {
  if (item.task === "transcription") return null;
  return Array.from(item.task === "translation" ? item.source : item.text).length;
};

/** The dollars of an item: `null` when no price is known for what it used. */
const dollarsOf = ({ item, record }: Scored, { prices, parallel }: EvaluationInput): number | null => {
  const { tokens, audio_seconds, seconds } = record;
  if (item.task === "translation" && tokens === null && prices.millionTokens > 0) return null;
  const parts = [
    ((tokens ?? 0) * prices.millionTokens) / 1_000_000,
    ((audio_seconds ?? 0) * prices.audioHour) / 3_600,
    // Requests at the same time share the machine.
    ((seconds ?? 0) * prices.serverHour) / 3_600 / parallel,
  ];
  const total = parts.reduce((sum, part) => sum + part, 0);
  return total === 0 ? null : total;
};

const measure = <Kind extends DataItem>(
  { scored, withoutOutput }: Group<Kind>,
  input: EvaluationInput,
): Measured => {
  const seconds = scored.map(({ record }) => record.seconds ?? 0).toSorted((one, other) => one - other);
  const mean = (of: (each: Scored) => number | null) => meanOf(scored.map(of));
  return {
    items: scored.length,
    without_output: withoutOutput,
    median_seconds: round(percentile(seconds, 0.5), 3),
    slow_seconds: round(percentile(seconds, 0.95), 3),
    cost_per_item: {
      characters: orNull(
        mean(({ item }) => charactersOf(item)),
        1,
      ),
      tokens: orNull(
        mean(({ record }) => record.tokens),
        1,
      ),
      audio_seconds: orNull(
        mean(({ record }) => record.audio_seconds),
        2,
      ),
      dollars: orNull(
        mean((each) => dollarsOf(each, input)),
        8,
      ),
    },
    servers: [...new Set(scored.flatMap(({ record }) => record.server ?? []))].toSorted(),
  };
};

const score = <Kind extends DataItem>(
  { scored }: Group<Kind>,
  statisticsOf: (each: Scored<Kind>) => number[],
  scoreOf: (statistics: readonly number[]) => number,
): Score => {
  const { score: value, interval } = scoreItems(scored.map(statisticsOf), scoreOf);
  return { score: round(value), interval: interval && [round(interval[0]), round(interval[1])] };
};

const isOf =
  <Task extends EvaluatedTask>(task: Task) =>
  (item: DataItem): item is Extract<DataItem, { task: Task }> =>
    item.task === task;

/** The groups of a task that have at least one output, by their key. Others were not measured. */
const groupsOf = <Task extends EvaluatedTask>(
  task: Task,
  keyOf: (item: Extract<DataItem, { task: Task }>) => string,
  { data, records }: EvaluationInput,
): Group<Extract<DataItem, { task: Task }>>[] => {
  const items = data.items.filter(isOf(task));
  return [...Map.groupBy(items, keyOf)]
    .toSorted(([one], [other]) => one.localeCompare(other, "en"))
    .map(([, group]) => {
      const scored = group.flatMap((item) => {
        const record = records.get(item.id);
        return record && record.output !== null ? [{ item, output: record.output, record }] : [];
      });
      return { scored, withoutOutput: group.length - scored.length };
    })
    .filter(({ scored }) => scored.length > 0);
};

const firstOf = <Kind extends DataItem>({ scored: [first] }: Group<Kind>): Kind => {
  if (!first) throw new Error("A group without outputs has no scores.");
  return first.item;
};

const translations = (input: EvaluationInput): EvaluatedDirection[] =>
  groupsOf(
    "translation",
    ({ source_language, target_language }) => `${source_language} ${target_language}`,
    input,
  ).map((group) => {
    const { source_language, target_language } = firstOf(group);
    return {
      source_language,
      target_language,
      ...measure(group, input),
      chrf: score(group, ({ item, output }) => chrfStatistics(output, item.target), chrfOf),
      bleu: score(group, ({ item, output }) => bleuStatistics(output, item.target), bleuOf),
    };
  });

const transcriptions = (input: EvaluationInput): EvaluatedTranscription[] =>
  groupsOf("transcription", ({ language }) => language, input).map((group) => ({
    language: firstOf(group).language,
    ...measure(group, input),
    wer: score(group, ({ item, output }) => wordErrors(output, item.transcript), errorRateOf),
    cer: score(group, ({ item, output }) => characterErrors(output, item.transcript), errorRateOf),
  }));

/** Per cent of the items whose language is right. */
const accuracyOf = ([right = 0, total = 0]: readonly number[]): number => (100 * right) / total;

const identifications = (input: EvaluationInput): EvaluatedIdentification[] =>
  groupsOf("language_identification", ({ language }) => language, input).map((group) => ({
    language: firstOf(group).language,
    ...measure(group, input),
    accuracy: score(group, ({ item, output }) => [output === item.language ? 1 : 0, 1], accuracyOf),
  }));

/** Scores the outputs of all items of the data. @throws Error when there is no output. */
export const toEvaluation = (input: EvaluationInput): Evaluation => {
  const { data, records, baseUrl } = input;
  const last = data.items
    .flatMap(({ id }) => records.get(id)?.at ?? [])
    .toSorted()
    .at(-1);
  if (last === undefined) throw new Error("The service has returned nothing that could be scored.");
  return {
    version: 1,
    measured_at: last,
    base_url: baseUrl,
    data: { name: data.name, about: data.about },
    bootstrap: { resamples, seed, min_items: minIntervalItems },
    translation: translations(input),
    transcription: transcriptions(input),
    language_identification: identifications(input),
  };
};
