import { createHash, randomBytes } from "node:crypto";
import { audioCharge, audioRefusal } from "../../accounts/limits/audio-quota.ts";
import type { AccountPolicies } from "../../accounts/limits/policies.ts";
import { windowsAt } from "../../accounts/limits/windows.ts";
import type { InboundMessage } from "../../messaging/inbound-message.ts";
import { exists, isNew, type Table } from "../../platform/storage/table.ts";
import { jobExpiry, type StoredJob, storedJob } from "./job.ts";
import { countedAudio, openJobStates } from "./job-states.ts";
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

  const itemOf = (name: JobName, { done: _none, ...item }: StoredJob) => ({ ...jobKeys.job(name), ...item });

  return {
    /** Makes a job of the messaging assistant, which is counted nowhere; one that is there already stays as it is. */
    createForAssistant: async (jobId: string, newJob: NewJob): Promise<void> => {
      const name = { userId: assistantId, jobId };
      await table.putIf(itemOf(name, queuedJob(name, newJob)), isNew);
    },

    /**
     * Makes a job, and counts its recording on the account's month: both or neither.
     *
     * @throws AppError `quota_exceeded`; `unauthenticated` when the account is gone.
     */
    create: async (name: JobName, newJob: NewJob, policyOf: AccountPolicies): Promise<StoredJob> => {
      const job = queuedJob(name, newJob);
      const audio = countedAudio(job, job.audio_milliseconds);
      const { applied, failures } = await table.transact([
        { put: itemOf(name, job), condition: isNew },
        { update: audioCharge(audio, policyOf) },
      ]);
      if (!applied) throw audioRefusal(failures[1]?.item, audio, policyOf, now());
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
      const items = await table.query({
        partition: jobKeys.ofAccount(userId),
        beginsWith: jobKeys.jobs,
        filter: {
          FilterExpression: "is_deleted = :no AND expires_at > :now",
          ExpressionAttributeValues: { ":no": false, ":now": Math.floor(now() / 1_000) },
        },
        descending: true,
        limit,
        after: before === undefined ? undefined : jobKeys.job({ userId, jobId: before }),
      });
      return items.map((item) => storedJob.parse(item));
    },

    /** Counts that planning begins. @returns `undefined` unless the job waits for it. */
    beginPlanning: (name: JobName) =>
      change(name, {
        UpdateExpression: "ADD plannings :one",
        ConditionExpression: "#status = :queued",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":one": 1, ":queued": "queued" },
      }),

    /** Says that a job is planned, so that its pieces can be taken. @returns whether it was this call that said so. */
    start: async (name: JobName, pieces: number): Promise<boolean> => {
      const update = {
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
      };
      const waiting = { ...jobKeys.waiting(name), job_id: name.jobId, expires_at: jobExpiry(now()) };
      return (await table.transact([{ update }, { put: waiting }])).applied;
    },

    /**
     * Counts a piece as transcribed, once.
     *
     * @returns the job afterwards, whoever has counted it; `undefined` when it is over or gone.
     */
    finishPiece: async (name: JobName, index: number, milliseconds: number) => {
      const counted = await change(name, {
        UpdateExpression: "ADD done :piece, done_milliseconds :milliseconds REMOVE waiting",
        ConditionExpression: "#status = :running AND NOT contains(done, :index)",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: {
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
        UpdateExpression: "SET waiting = :waiting",
        ConditionExpression: "#status IN (:queued, :running)",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":waiting": waiting, ":queued": "queued", ":running": "running" },
      }),

    /** @returns whether it was this call that has ended it. */
    complete: async (name: JobName): Promise<boolean> =>
      (await change(name, {
        UpdateExpression: "SET #status = :completed, ended_at = :now",
        ConditionExpression: "#status = :running",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":completed": "completed", ":running": "running", ":now": isoNow() },
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
        UpdateExpression: "SET is_deleted = :yes",
        ConditionExpression: "is_deleted = :no",
        ExpressionAttributeValues: { ":yes": true, ":no": false },
      });
      return deleted !== undefined;
    },

    /** Notes that whoever wants to be called back has been told of the end. */
    finish: (name: JobName) =>
      change(name, {
        UpdateExpression: "SET is_settled = :yes",
        ...exists,
        ExpressionAttributeValues: { ":yes": true },
      }),

    /** Removes what the table has of a job. */
    remove: async (name: JobName): Promise<void> => {
      for (const Key of [jobKeys.waiting(name), jobKeys.job(name)]) {
        await table.delete(Key);
      }
    },
  };
};
