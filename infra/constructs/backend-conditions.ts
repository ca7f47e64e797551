import { type ModelTask, modelTasks } from "../../shared/telemetry/backend-uses.ts";
import type { Condition } from "./alarm-condition.ts";
import { backendMetrics } from "./backend-metrics.ts";

/** Of a hundred calls, so many may fail before somebody is told. */
const mostFailures = 20;

const modelDown = (namespace: string, task: ModelTask): Condition => ({
  description:
    `The model server of the task "${task}" fails so steadily that functions have stopped asking it; its operations ` +
    "answer 503. Start it again, or deploy with the address of another one in " +
    `${task.toUpperCase()}_BASE_URL. The lines \`backend.left_alone\` name its host.`,
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
  threshold: mostFailures,
  datapointsToAlarm: 2,
});

const platformFails = (namespace: string): Condition => ({
  description:
    "One in five calls to the messaging platform fails, so that people wait for their answers. The lines " +
    "`answer.not_accepted` and `answer.not_sent` of the messaging function say whether our access token has expired, we " +
    "send too fast, or the platform is ill; what was not sent is tried again.",
  runbook: "The messaging platform fails",
  metric: backendMetrics(namespace, "platform").failurePercentage,
  threshold: mostFailures,
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
    ]),
  ),
  PlatformFails: platformFails(namespace),
});
