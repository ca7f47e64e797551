import { audioRefund, type CountedAudio } from "../../accounts/limits/audio-quota.ts";
import type { ItemUpdate, Table } from "../../platform/storage/table.ts";
import { isOver, type JobStatus, type StoredJob, storedJob } from "./job.ts";
import { assistantId, type JobName, jobKeys } from "./keys.ts";

/** On whose row of the usage the seconds of jobs are shown. */
const jobOperationId = "createJob";

/** What a job counts on its account's month. */
export const countedAudio = (job: StoredJob, milliseconds: number): CountedAudio => ({
  userId: job.user_id,
  operationId: jobOperationId,
  keyId: job.key_id,
  day: job.day,
  milliseconds,
});

/** How the state of a job is read and changed: each change on the condition of the state before it. */
export const openJobStates = (table: Table, now: () => number) => {
  const isoNow = (): string => new Date(now()).toISOString();

  /** A job in whatever state, also one that its owner has deleted. */
  const read = async (job: JobName): Promise<StoredJob | undefined> => {
    const item = await table.read({ Key: jobKeys.job(job) });
    return item && storedJob.parse(item);
  };

  /** @returns the job after the change; `undefined` when its state was in the way. */
  const change = async (job: JobName, change: Omit<ItemUpdate, "Key">): Promise<StoredJob | undefined> => {
    const { applied, item } = await table.update({ Key: jobKeys.job(job), ...change });
    return applied ? storedJob.parse(item) : undefined;
  };

  /**
   * Ends a job before its time, and takes off its account's month what was not transcribed: both or neither. What was may be
   * had, so that it is paid for.
   *
   * @returns whether it was this call that has ended it.
   */
  const endEarly = async (
    job: JobName,
    status: Extract<JobStatus, "cancelled" | "failed">,
    { error, isDeleted }: { readonly error?: StoredJob["error"]; readonly isDeleted: boolean },
  ): Promise<boolean> => {
    for (;;) {
      const found = await read(job);
      if (!found || isOver(found)) return false;
      const refund = audioRefund(countedAudio(found, found.audio_milliseconds - found.done_milliseconds));
      const end = {
        UpdateExpression: `SET #status = :status, ended_at = :now, is_deleted = :deleted${error ? ", #error = :error" : ""}`,
        ConditionExpression: "#status = :seen AND done_milliseconds = :done",
        ExpressionAttributeNames: { "#status": "status", ...(error ? { "#error": "error" } : {}) },
        ExpressionAttributeValues: {
          ":status": status,
          ":now": isoNow(),
          ":deleted": isDeleted,
          ":seen": found.status,
          ":done": found.done_milliseconds,
          ...(error ? { ":error": error } : {}),
        },
      };
      if (job.userId !== assistantId) {
        const { applied, failures } = await table.transact([
          { update: { Key: jobKeys.job(job), ...end } },
          { update: refund },
        ]);
        if (applied) return true;
        const [ofJob] = failures;
        if (ofJob?.reason === "condition") continue;
        // Otherwise the account is gone, and with it what was counted on its month.
      }
      if (await change(job, end)) return true;
    }
  };

  return { read, change, endEarly, isoNow };
};
