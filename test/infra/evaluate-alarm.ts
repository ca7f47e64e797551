import * as z from "zod";
import { evaluateMath, type Operand, type Value } from "./metric-math.ts";

/** A measured value, and when CloudWatch shows it, in minutes; by default at once. */
export interface Sample {
  readonly minute: number;
  readonly value: number;
  readonly seenAt?: number;
}

/** What was measured, by the names of metrics. */
export type Series = Readonly<Record<string, readonly Sample[]>>;

const metricStat = z.object({
  Metric: z.object({ MetricName: z.string() }),
  Stat: z.string(),
  Period: z.number(),
});

const alarmProperties = z.object({
  Threshold: z.number(),
  DatapointsToAlarm: z.number(),
  EvaluationPeriods: z.number(),
  ComparisonOperator: z.string(),
  TreatMissingData: z.enum(["notBreaching", "breaching", "ignore"]),
  MetricName: z.string().optional(),
  Statistic: z.string().optional(),
  ExtendedStatistic: z.string().optional(),
  Period: z.number().optional(),
  Metrics: z
    .array(z.object({ Id: z.string(), Expression: z.string().optional(), MetricStat: metricStat.optional() }))
    .default([]),
});
type AlarmProperties = z.output<typeof alarmProperties>;

const percentile = (values: readonly number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (percent / 100) * (sorted.length - 1);
  const [below = 0, above = below] = sorted.slice(Math.floor(position), Math.floor(position) + 2);
  return below + (above - below) * (position % 1);
};

const aggregate = (values: readonly number[], statistic: string): Value => {
  if (values.length === 0) return undefined;
  if (statistic === "Sum") return values.reduce((sum, value) => sum + value, 0);
  if (statistic === "SampleCount") return values.length;
  if (statistic === "Maximum") return Math.max(...values);
  if (statistic === "Minimum") return Math.min(...values);
  const [, percent] = /^p(\d+)$/.exec(statistic) ?? [];
  if (percent === undefined) throw new Error(`The statistic ${statistic} is not supported here.`);
  return percentile(values, Number(percent));
};

interface Read {
  readonly id: string;
  readonly name: string;
  readonly statistic: string;
}

/** The metrics of an alarm, its expression if it has one, and its period in minutes. */
const sourcesOf = ({ Metrics, MetricName, Statistic, ExtendedStatistic, Period = 0 }: AlarmProperties) => {
  const stats = Metrics.flatMap(({ Id, MetricStat }) => (MetricStat ? [{ Id, ...MetricStat }] : []));
  const [first] = stats;
  if (!first) {
    const read: Read = {
      id: "only",
      name: MetricName ?? "",
      statistic: Statistic ?? ExtendedStatistic ?? "",
    };
    return { reads: [read], expression: "only", minutes: Period / 60 };
  }
  const reads = stats.map(({ Id, Metric, Stat }) => ({ id: Id, name: Metric.MetricName, statistic: Stat }));
  const expression = Metrics.find((metric) => metric.Expression !== undefined)?.Expression ?? first.Id;
  return { reads, expression, minutes: first.Period / 60 };
};

/** The alarm's datapoints in the evaluation range, which is longer than the evaluated periods; the newest is first. */
const datapointsAt = (alarm: AlarmProperties, series: Series, now: number): Value[] => {
  const { reads, expression, minutes } = sourcesOf(alarm);
  const range = alarm.EvaluationPeriods + 2;
  const values = reads.map(({ id, name, statistic }) => {
    const seen = (series[name] ?? []).filter(({ minute, seenAt = minute }) => seenAt < now);
    const periods = Array.from({ length: range }, (_, ago) => {
      const end = now - ago * minutes;
      const inPeriod = seen.filter(({ minute }) => minute >= end - minutes && minute < end);
      return aggregate(
        inPeriod.map(({ value }) => value),
        statistic,
      );
    });
    return { id, periods, hasData: periods.some((value) => value !== undefined) };
  });
  return Array.from({ length: range }, (_, ago) => {
    const operands = values.map(({ id, periods, hasData }): [string, Operand] => [
      id,
      { value: periods[ago], hasData },
    ]);
    return evaluateMath(expression, new Map(operands));
  });
};

const comparisons: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanOrEqualToThreshold: (value, threshold) => value <= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};

/**
 * Whether an alarm rings, as CloudWatch documents it: the newest datapoints that exist count, also those from before the evaluated
 * periods; only when there are too few of them do missing ones count as the alarm says.
 */
const ringsAt = (alarm: AlarmProperties, series: Series, now: number, isRinging: boolean): boolean => {
  const { EvaluationPeriods, TreatMissingData, DatapointsToAlarm, Threshold } = alarm;
  const existing = datapointsAt(alarm, series, now).filter((value) => value !== undefined);
  const newest = existing.slice(0, EvaluationPeriods);
  const missing = EvaluationPeriods - newest.length;
  if (missing > 0 && TreatMissingData === "ignore") return isRinging;
  const compare = comparisons[alarm.ComparisonOperator];
  if (!compare) throw new Error(`The comparison ${alarm.ComparisonOperator} is not supported here.`);
  const breaching = newest.filter((value) => compare(value, Threshold)).length;
  return breaching + (TreatMissingData === "breaching" ? missing : 0) >= DatapointsToAlarm;
};

/**
 * Runs an alarm over made-up measurements; CloudWatch evaluates it every minute over a window that slides.
 *
 * @param properties of the alarm's resource.
 * @returns the minutes at which it rings.
 */
export const ringingMinutes = (
  properties: unknown,
  series: Series,
  { from = 0, to }: { readonly from?: number; readonly to: number },
): number[] => {
  const alarm = alarmProperties.parse(properties);
  const minutes: number[] = [];
  let isRinging = false;
  for (let now = from; now <= to; now += 1) {
    isRinging = ringsAt(alarm, series, now, isRinging);
    if (isRinging) minutes.push(now);
  }
  return minutes;
};
