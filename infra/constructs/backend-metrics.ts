import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { type BackendName, backendMetric } from "../../shared/telemetry/backend-uses.ts";

/** What the functions' logs measure of a backend, in each five minutes. */
export interface BackendMetrics {
  readonly calls: IMetric;
  /** How long 95 of 100 calls take at most; of a streamed answer, until it began. */
  readonly slowMilliseconds: IMetric;
  readonly failures: IMetric;
  /** Of a hundred calls, how many fail; 0 while there are too few of them to tell. */
  readonly failurePercentage: IMetric;
  /** How often a function began to leave the backend alone, or went on after a trial. */
  readonly circuitsOpened: IMetric;
}

/** One failure of a handful of calls at night is no outage. */
const fewestCalls = 10;

/** @param namespace under which the functions file their metrics: the name of their stack. */
export const backendMetrics = (namespace: string, backend: BackendName): BackendMetrics => {
  const period = Duration.minutes(5);
  const metric = (measure: Parameters<typeof backendMetric>[1], statistic: string): Metric =>
    new Metric({
      namespace,
      metricName: backendMetric(backend, measure),
      statistic,
      period,
      label: backend,
    });
  const calls = metric("milliseconds", Stats.SAMPLE_COUNT);
  const failures = metric("failures", Stats.SUM);
  return {
    calls,
    slowMilliseconds: metric("milliseconds", Stats.percentile(95)),
    failures,
    failurePercentage: new MathExpression({
      label: `${backend}: failed calls, percent`,
      // Where nothing fails, nothing is written.
      expression: `IF(calls >= ${fewestCalls}, 100 * FILL(failures, 0) / calls, 0)`,
      usingMetrics: { calls, failures },
      period,
    }),
    circuitsOpened: metric("circuit_opened", Stats.SUM),
  };
};
