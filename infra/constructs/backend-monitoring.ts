import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import {
  type BackendName,
  backendMetric,
  type ModelTask,
  modelTasks,
} from "../../shared/platform/telemetry/backend-uses.ts";
import type { Condition } from "./alarm-conditions.ts";

/** What the functions' logs measure of a backend, in each five minutes. */
export interface BackendMetrics {
  readonly calls: IMetric;
  /** How long 95 of 100 calls take at most; of a streamed answer, until it began. */
  readonly slowMilliseconds: IMetric;
  readonly failures: IMetric;
  /** Of a hundred calls, how many fail; 0 while there are too few of them to tell. */
  readonly failurePercentage: IMetric;
  /** How often a circuit opened, also again after a trial. */
  readonly circuitsOpened: IMetric;
}

/** One failure of a handful of calls at night is no outage. */
const minCalls = 10;

/** @param namespace under which the functions file their metrics. */
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
      expression: `IF(calls >= ${minCalls}, 100 * FILL(failures, 0) / calls, 0)`,
      usingMetrics: { calls, failures },
      period,
    }),
    circuitsOpened: metric("circuit_opened", Stats.SUM),
  };
};

/** Of a hundred calls, so many may fail before somebody is told. */
const maxFailures = 20;

const modelDown = (namespace: string, task: ModelTask): Condition => ({
  description:
    `The model server of the task "${task}" fails so steadily that functions have stopped asking it; its operations ` +
    "answer 503. Start it again, or deploy with the address of another one in " +
    `${task.toUpperCase()}_BASE_URL. The lines \`circuit.opened\` name its host.`,
  runbook: "A model server is down",
  metric: backendMetrics(namespace, task).circuitsOpened,
  threshold: 1,
  datapointsToAlarm: 2,
});

const modelFails = (namespace: string, task: ModelTask): Condition => ({
  description:
    `One in five calls to the model server of the task "${task}" gives no usable answer, and callers get 502 or 503. ` +
    "Read `code` and `reason` of `request.failed` in the logs of the functions that ask it, then the server's own log.",
  runbook: "A model server fails",
  metric: backendMetrics(namespace, task).failurePercentage,
  threshold: maxFailures,
  datapointsToAlarm: 2,
});

/**
 * What 95 of 100 calls of a task stay below while its server keeps up, in milliseconds: of an answer that is streamed, until
 * it begins; else until it is whole. Recordings last for up to hours.
 */
const slowMilliseconds: Readonly<Record<ModelTask, number>> = {
  chat: 30_000,
  translation: 30_000,
  speech: 60_000,
  transcription: 200_000,
};

const modelSlow = (namespace: string, task: ModelTask): Condition => ({
  description:
    `One in twenty calls to the model server of the task "${task}" takes longer than ${slowMilliseconds[task] / 1_000} ` +
    "seconds until its answer begins. The server is loading or overloaded: look at its own queue, and start another one " +
    "behind the same address.",
  runbook: "A model server is slow",
  metric: backendMetrics(namespace, task).slowMilliseconds,
  threshold: slowMilliseconds[task],
  datapointsToAlarm: 3,
});

const platformFails = (namespace: string): Condition => ({
  description:
    "One in five calls to the messaging platform fails, so that people wait for their answers. The lines " +
    "`answer.not_accepted` and `answer.not_sent` of the messaging function say whether our access token has expired, we " +
    "send too fast, or the platform is ill; what was not sent is tried again.",
  runbook: "The messaging platform fails",
  metric: backendMetrics(namespace, "platform").failurePercentage,
  threshold: maxFailures,
  datapointsToAlarm: 2,
});

const capitalized = (word: string): string => word.replace(/^./, (letter) => letter.toUpperCase());

/**
 * The conditions of what the service waits for: each task's model server, and the messaging platform.
 *
 * @param namespace under which the functions file their metrics.
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
