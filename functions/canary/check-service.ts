import { type CheckedTask, checkedTasks, type StatusLog } from "../../shared/platform/status/status-log.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { type CheckTarget, checkHealth, StatusError, taskChecks } from "./checks.ts";

/** What the canary needs. */
export interface CanaryDependencies extends Pick<CheckTarget, "publicBaseUrl"> {
  /** Returns the key of an operator's account, or `undefined`. */
  readonly readKey: () => Promise<string | undefined>;
  readonly log: Pick<StatusLog, "add">;
}

/** What a check has shown: nothing, if the key may not use the task. */
interface Outcome {
  readonly task: CheckedTask;
  readonly works: boolean | undefined;
  readonly error?: unknown;
}

const outcomeOf = async (task: CheckedTask, check: () => Promise<void>): Promise<Outcome> => {
  try {
    await check();
    return { task, works: true };
  } catch (error) {
    const isNotPermitted = error instanceof StatusError && error.code === "insufficient_scope";
    return isNotPermitted ? { task, works: undefined } : { task, works: false, error };
  }
};

const check = async ({ publicBaseUrl, readKey }: CanaryDependencies): Promise<Outcome[]> => {
  const service = await outcomeOf("service", () => checkHealth({ publicBaseUrl }));
  const key = await readKey();
  if (!key) return [service];
  const tasks = checkedTasks.flatMap((task) => (task === "service" ? [] : task));
  // At once: each may take as long as a model that starts.
  const others = tasks.map((task) => outcomeOf(task, () => taskChecks[task]({ publicBaseUrl, key })));
  return [service, ...(await Promise.all(others))];
};

/**
 * Checks that the service responds, and that each task works that the key of an operator's account permits, if there is a key. Notes
 * the outcome for the status page.
 *
 * @throws Error of the first failure; the log lines `canary.failed` have the reason of each.
 */
export const checkService = async (dependencies: CanaryDependencies): Promise<void> => {
  const outcomes = await check(dependencies);
  const failures = outcomes.filter(({ works }) => works === false);
  for (const { task, error } of failures)
    logger.error("canary.failed", { task, reason: describeError(error) });
  const measured = outcomes.filter(({ works }) => works !== undefined);
  await dependencies.log.add(Object.fromEntries(measured.map(({ task, works }) => [task, works])));
  if (failures[0]) throw failures[0].error;
};
