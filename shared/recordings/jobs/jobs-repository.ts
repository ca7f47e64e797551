import { createHash, randomBytes } from "node:crypto";
import { DeleteCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { audioCharge, audioRefusal } from "../../accounts/limits/audio-quota.ts";
import type { AccountPolicies } from "../../accounts/limits/policies.ts";
import { windowsAt } from "../../accounts/limits/windows.ts";
import type { InboundMessage } from "../../messaging/inbound-message.ts";
import {
  cancellationCodes,
  cancelledItems,
  type Table,
  writeTogether,
} from "../../platform/storage/table.ts";
import { jobExpiry, type StoredJob, storedJob } from "./job.ts";
import { conditionFailed, countedAudio, openJobStates } from "./job-states.ts";
import { assistantId, type JobName, jobKeys } from "./keys.ts";

/** What a job is made from. */
export type NewJob = Pick<
  StoredJob,
  "facts" | "file_id" | "language" | "object_key" | "object_version" | "timestamps"
> &
  Partial<Pick<StoredJob, "callback_url" | "key_id" | "reply_to">>;

/** UUID version 7 (RFC 9562): its first 48 bits are the time, so that ids sort by it. */
const jobIdOf = (milliseconds: number, rest: Buffer): string => {
  const hex = milliseconds.toString(16).padStart(12, "0") + rest.subarray(0, 10).toString("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
};

/** The id of a job that is made now. */
export const newJobId = (now: number): string => jobIdOf(now, randomBytes(10));

/** The id of the job that a voice note becomes: the same however often that is tried. */
export const jobIdOfMessage = ({
  id,
  sender,
  sentAt = 0,
}: Pick<InboundMessage, "id" | "sender" | "sentAt">): string =>
  jobIdOf(sentAt * 1_000, createHash("sha256").update(`${sender} ${id}`).digest());

/** Jobs in the table. Every change is on the condition that the job is in a state from which it may follow. */
export type JobsRepository = ReturnType<typeof createJobsRepository>;

/** The repository of jobs over the service's table; access pattern J1 of this folder's README. */
export const createJobsRepository = (table: Table, now: () => number = Date.now) => {
  const { client, name: TableName } = table;
  const { read, change, endEarly, isoNow } = openJobStates(table, now);

  const queuedJob = (name: JobName, newJob: NewJob): StoredJob => {
    const time = now();
    return storedJob.parse({
      ...newJob,
      id: name.jobId,
      user_id: name.userId,
      status: "queued",
      created_at: new Date(time).toISOString(),
      audio_milliseconds: Math.round(newJob.facts.durationSeconds * 1_000),
      day: windowsAt(time).day,
      expires_at: jobExpiry(time),
    });
  };

  const newItem = (name: JobName, { done: _none, ...item }: StoredJob) => ({
    TableName,
    Item: { ...jobKeys.job(name), ...item },
    ConditionExpression: "attribute_not_exists(PK)",
  });

  return {
    /** Makes a job of the messaging assistant, which is counted nowhere; one that is there already stays as it is. */
    createForAssistant: async (jobId: string, newJob: NewJob): Promise<void> => {
      const name = { userId: assistantId, jobId };
      try {
        await client.send(new PutCommand(newItem(name, queuedJob(name, newJob))));
      } catch (error) {
        if (!conditionFailed(error)) throw error;
      }
    },

    /**
     * Makes a job, and counts its recording on the account's month: both or neither.
     *
     * @throws AppError `quota_exceeded`; `unauthenticated` when the account is gone.
     */
    create: async (name: JobName, newJob: NewJob, policyOf: AccountPolicies): Promise<StoredJob> => {
      const job = queuedJob(name, newJob);
      const audio = countedAudio(job, job.audio_milliseconds);
      try {
        await writeTogether({ client }, [
          { Put: newItem(name, job) },
          {
            Update: {
              TableName,
              ...audioCharge(audio, policyOf),
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            },
          },
        ]);
      } catch (error) {
        if (!cancellationCodes(error).includes("ConditionalCheckFailed")) throw error;
        throw audioRefusal(cancelledItems(error)[1], audio, policyOf, now());
      }
      return job;
    },

    /** A job in whatever state, also one that its owner has deleted: for those who work on it. */
    read,

    /** A job as its owner may see it. */
    find: async (name: JobName): Promise<StoredJob | undefined> => {
      const found = await read(name);
      return found && !found.is_deleted && found.expires_at * 1_000 > now() ? found : undefined;
    },

    /**
     * The jobs of an account, the newest first.
     *
     * @param before the id of a job: only older ones are given.
     */
    list: async (userId: number, limit: number, before: string | undefined): Promise<StoredJob[]> => {
      const jobs: StoredJob[] = [];
      let last = before === undefined ? undefined : jobKeys.job({ userId, jobId: before });
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :partition AND begins_with(SK, :jobs)",
            FilterExpression: "is_deleted = :no AND expires_at > :now",
            ExpressionAttributeValues: {
              ":partition": jobKeys.ofAccount(userId),
              ":jobs": jobKeys.jobs,
              ":no": false,
              ":now": Math.floor(now() / 1_000),
            },
            ScanIndexForward: false,
            ConsistentRead: true,
            Limit: limit,
            ...(last ? { ExclusiveStartKey: last } : {}),
          }),
        );
        jobs.push(...Items.map((item) => storedJob.parse(item)));
        last = LastEvaluatedKey && z.object({ PK: z.string(), SK: z.string() }).parse(LastEvaluatedKey);
      } while (last && jobs.length < limit);
      return jobs.slice(0, limit);
    },

    /** Counts that planning begins. @returns `undefined` unless the job waits for it. */
    beginPlanning: (name: JobName) =>
      change(name, {
        update: "ADD plannings :one",
        condition: "#status = :queued",
        names: { "#status": "status" },
        values: { ":one": 1, ":queued": "queued" },
      }),

    /** Says that a job is planned, so that its pieces can be taken. @returns whether it was this call that said so. */
    start: async (name: JobName, pieces: number): Promise<boolean> => {
      try {
        await writeTogether({ client }, [
          {
            Update: {
              TableName,
              Key: jobKeys.job(name),
              UpdateExpression: "SET #status = :running, pieces = :pieces, started_at = :now REMOVE waiting",
              ConditionExpression: "#status = :queued",
              ExpressionAttributeNames: { "#status": "status" },
              ExpressionAttributeValues: {
                ":running": "running",
                ":queued": "queued",
                ":pieces": pieces,
                ":now": isoNow(),
              },
            },
          },
          {
            Put: {
              TableName,
              Item: {
                ...jobKeys.waiting(name),
                job_id: name.jobId,
                expires_at: jobExpiry(now()),
              },
            },
          },
        ]);
        return true;
      } catch (error) {
        if (conditionFailed(error)) return false;
        throw error;
      }
    },

    /**
     * Counts a piece as transcribed, once.
     *
     * @returns the job afterwards, whoever has counted it; `undefined` when it is over or gone.
     */
    finishPiece: async (name: JobName, index: number, milliseconds: number) => {
      const counted = await change(name, {
        update: "ADD done :piece, done_milliseconds :milliseconds REMOVE waiting",
        condition: "#status = :running AND NOT contains(done, :index)",
        names: { "#status": "status" },
        values: {
          ":piece": new Set([index]),
          ":index": index,
          ":milliseconds": milliseconds,
          ":running": "running",
        },
      });
      if (counted) return counted;
      const found = await read(name);
      return found?.status === "running" ? found : undefined;
    },

    /** Tells the caller why nothing goes on at the moment. */
    noteWaiting: (name: JobName, waiting: string) =>
      change(name, {
        update: "SET waiting = :waiting",
        condition: "#status IN (:queued, :running)",
        names: { "#status": "status" },
        values: { ":waiting": waiting, ":queued": "queued", ":running": "running" },
      }),

    /** @returns whether it was this call that has ended it. */
    complete: async (name: JobName): Promise<boolean> =>
      (await change(name, {
        update: "SET #status = :completed, ended_at = :now",
        condition: "#status = :running",
        names: { "#status": "status" },
        values: { ":completed": "completed", ":running": "running", ":now": isoNow() },
      })) !== undefined,

    /** @returns whether it was this call that has ended it. */
    fail: (name: JobName, error: NonNullable<StoredJob["error"]>): Promise<boolean> =>
      endEarly(name, "failed", { error, isDeleted: false }),

    /**
     * Deletes a job for its owner; one that is not over is cancelled with it.
     *
     * @returns `false` when there is none, or somebody else has just deleted it.
     */
    markDeleted: async (name: JobName): Promise<boolean> => {
      if (await endEarly(name, "cancelled", { isDeleted: true })) return true;
      const deleted = await change(name, {
        update: "SET is_deleted = :yes",
        condition: "is_deleted = :no",
        values: { ":yes": true, ":no": false },
      });
      return deleted !== undefined;
    },

    /** Notes that whoever wants to be called back has been told of the end. */
    finish: (name: JobName) =>
      change(name, {
        update: "SET is_settled = :yes",
        condition: "attribute_exists(PK)",
        values: { ":yes": true },
      }),

    /** Removes what the table has of a job. */
    remove: async (name: JobName): Promise<void> => {
      for (const Key of [jobKeys.waiting(name), jobKeys.job(name)]) {
        await client.send(new DeleteCommand({ TableName, Key }));
      }
    },
  };
};
