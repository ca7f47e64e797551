import * as z from "zod";
import { cacheSecret, type ReadSecret } from "../../platform/config/secrets.ts";
import { minuteMilliseconds } from "../../platform/durations.ts";
import { type ModelTask, modelTasks } from "../../platform/telemetry/backend-uses.ts";

/** Members other than the tasks are ignored. */
const inferenceKeys = z.looseRecord(z.enum(modelTasks), z.string().optional());

const cacheMilliseconds = 5 * minuteMilliseconds;

/**
 * The key of a task's server, from the secret that holds them as one JSON object; translation falls back to the key
 * of chat. Read at the start and again every five minutes, so a changed key needs no deployment. The result rejects
 * when the secret has never been read successfully.
 */
export const inferenceKey = (
  secretId: string,
  task: ModelTask,
  read: ReadSecret,
): (() => Promise<string | undefined>) => {
  const keys = cacheSecret({
    name: "model servers' keys",
    maxAgeMilliseconds: cacheMilliseconds,
    load: async () => inferenceKeys.parse(JSON.parse((await read(secretId)) ?? "{}")),
  });
  // If this fails, the first request reads it again.
  keys.get().catch(() => undefined);
  return async () => {
    const keyByTask = await keys.get();
    return keyByTask[task] ?? (task === "translation" ? keyByTask.chat : undefined);
  };
};
