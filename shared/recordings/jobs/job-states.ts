import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { audioRefund, type CountedAudio } from "../../accounts/limits/audio-quota.ts";
import { cancellationCodes, type Table, writeTogether } from "../../platform/storage/table.ts";
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

/** Whether a change was not made because of what stands in the table. */
export const conditionFailed = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException ||
  cancellationCodes(error).includes("ConditionalCheckFailed");

/** How the state of a job is read and changed: each change on the condition of the state before it. */
export const openJobStates = ({ client, name: TableName }: Table, now: () => number) => {
  const isoNow = (): string => new Date(now()).toISOString();

  /** A job in whatever state, also one that its owner has deleted. */
  const read = async (job: JobName): Promise<StoredJob | undefined> => {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: jobKeys.job(job), ConsistentRead: true }),
    );
    return Item && storedJob.parse(Item);
  };

  /** @returns the job after the change; `undefined` when its state was in the way. */
  const change = async (
    job: JobName,
    expressions: {
      readonly update: string;
      readonly condition: string;
      readonly names?: Record<string, string>;
      readonly values?: Record<string, unknown>;
    },
  ): Promise<StoredJob | undefined> => {
    const { update, condition, names, values } = expressions;
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: jobKeys.job(job),
          UpdateExpression: update,
          ConditionExpression: condition,
          ...(names ? { ExpressionAttributeNames: names } : {}),
          ...(values ? { ExpressionAttributeValues: values } : {}),
          ReturnValues: "ALL_NEW",
        }),
      );
      return storedJob.parse(Attributes);
    } catch (error) {
      if (conditionFailed(error)) return undefined;
      throw error;
    }
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
        Update: {
          TableName,
          Key: jobKeys.job(job),
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
        },
      };
      try {
        if (job.userId !== assistantId) {
          await writeTogether({ client }, [end, { Update: { TableName, ...refund } }]);
          return true;
        }
      } catch (failure) {
        const [ofJob, ofAccount] = cancellationCodes(failure);
        if (ofJob === "ConditionalCheckFailed") continue;
        // Otherwise the account is gone, and with it what was counted on its month.
        if (ofAccount !== "ConditionalCheckFailed") throw failure;
      }
      const ended = await change(job, {
        update: end.Update.UpdateExpression,
        condition: end.Update.ConditionExpression,
        names: end.Update.ExpressionAttributeNames,
        values: end.Update.ExpressionAttributeValues,
      });
      if (ended) return true;
    }
  };

  return { read, change, endEarly, isoNow };
};
