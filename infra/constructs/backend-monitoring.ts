import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { serverSettings } from "../../shared/platform/config/model-servers.ts";
import {
  backendMetric,
  type MeasuredName,
  type ModelTask,
  modelTasks,
} from "../../shared/platform/telemetry/backend-uses.ts";
import { type Condition, ifEnough } from "./alarm-conditions.ts";

/** The metrics of a backend, from the functions' logs, in periods of five minutes. */
export interface BackendMetrics {
  readonly calls: IMetric;
  /** The 95th percentile of the calls' durations; of a streamed response, until its start. */
  readonly slowMilliseconds: Metric;
  readonly failures: IMetric;
  /** The percentage of calls that fail; 0 when there are too few calls to judge. */
  readonly failurePercentage: IMetric;
  /** How often a circuit opened, including after a failed trial. */
  readonly circuitsOpened: IMetric;
}

/** One failure in a few calls at night is no outage. */
const minCalls = 10;

/** @param namespace of the functions' metrics. */
export const backendMetrics = (namespace: string, backend: MeasuredName): BackendMetrics => {
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
      // The functions write no zeros.
      expression: `IF(calls >= ${minCalls}, 100 * FILL(failures, 0) / calls, 0)`,
      usingMetrics: { calls, failures },
      period,
    }),
    circuitsOpened: metric("circuit_opened", Stats.SUM),
  };
};

/** An alarm starts at this percentage of failed calls. */
const alarmingPercentage = 20;

const modelDown = (namespace: string, task: ModelTask): Condition => ({
  description:
    `No model server of the task "${task}" responds, and the functions have stopped calling them; its operations respond ` +
    "with 503. Restart one, or deploy with the address of another in " +
    `${serverSettings[task].baseUrl} or ${serverSettings[task].list}. The lines \`circuit.opened\` name their hosts.`,
  runbook: "A model server is down",
  metric: backendMetrics(namespace, task).circuitsOpened,
  threshold: 1,
  datapointsToAlarm: 2,
});

const modelFails = (namespace: string, task: ModelTask): Condition => ({
  description:
    `One in five calls to the model servers of the task "${task}" gets no usable response, so callers get 502 or 503. ` +
    "Read `code` and `reason` of `request.failed` in the logs of the functions that call it, then the server's own log.",
  runbook: "A model server fails",
  metric: backendMetrics(namespace, task).failurePercentage,
  threshold: alarmingPercentage,
  datapointsToAlarm: 2,
});

/**
 * The 95th percentile of a task's calls stays below this while its server keeps up, in milliseconds: until the start of a streamed
 * response, or the end of a whole one. Recordings may last hours.
 */
const slowMilliseconds: Readonly<Record<ModelTask, number>> = {
  chat: 30_000,
  translation: 30_000,
  speech: 60_000,
  transcription: 200_000,
};

const modelSlow = (namespace: string, task: ModelTask): Condition => ({
  description:
    `One in twenty calls to the model servers of the task "${task}" takes longer than ${slowMilliseconds[task] / 1_000} ` +
    "seconds to start its response. The server is loading or overloaded: check its own queue, and start another server " +
    "at the same address.",
  runbook: "A model server is slow",
  // With fewer, one slow call would be the slowest twentieth.
  metric: ifEnough(20, backendMetrics(namespace, task).slowMilliseconds),
  threshold: slowMilliseconds[task],
  datapointsToAlarm: 3,
});

const platformFails = (namespace: string): Condition => ({
  description:
    "One in five calls to the messaging platform fails, so people wait for their replies. The lines " +
    "`answer.not_accepted` and `answer.not_sent` of the messaging function say whether our access token has expired, we " +
    "send too fast, or the platform has a fault. Replies that were not sent are retried.",
  runbook: "The messaging platform fails",
  metric: backendMetrics(namespace, "platform").failurePercentage,
  threshold: alarmingPercentage,
  datapointsToAlarm: 2,
});

const capitalized = (word: string): string => word.replace(/^./, (letter) => letter.toUpperCase());

/**
 * The conditions of each task's model server, and of the messaging platform.
 *
 * @param namespace of the functions' metrics.
 */
export const backendConditions = (namespace: string): Readonly<Record<string, Condition>> => ({
  ...Object.fromEntries(
    modelTasks.flatMap((task) => [
      [`${capitalized(task)}Down`, modelDown(namespace, task)],
      [`${capitalized(task)}Fails`, modelFails(namespace, task)],
      [`${capitalized(task)}Slow`, modelSlow(namespace, task)],
    ]),
  ),
  PlatformFails: platformFails(namespace),
});
