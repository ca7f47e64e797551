import { audioRefund, type CountedAudio } from "../../accounts/limits/audio-quota.ts";
import { exists, type ItemUpdate, type Table } from "../../platform/storage/table.ts";
import { isOver, type JobStatus, jobExpiry, type StoredJob, storedJob } from "./job.ts";
import { assistantId, type JobName, jobKeys } from "./keys.ts";

/** The operation whose usage includes the audio of jobs. */
const jobOperationId = "createJob";

/** Returns what a job counts on its account's month. */
export const countedAudio = (job: StoredJob, milliseconds: number): CountedAudio => ({
  userId: job.user_id,
  operationId: jobOperationId,
  keyId: job.key_id,
  day: job.day,
  milliseconds,
});

/** Reads a job in any state, even a deleted one. */
export const readJob = async (table: Pick<Table, "read">, name: JobName): Promise<StoredJob | undefined> => {
  const item = await table.read({ Key: jobKeys.job(name) });
  return item && storedJob.parse(item);
};

type Change = Omit<ItemUpdate, "Key">;

/** A change that requires a state of the job. */
export const whileIn = (
  status: JobStatus,
  UpdateExpression: string,
  values: Readonly<Record<string, unknown>>,
  condition = "",
) => ({
  UpdateExpression,
  ConditionExpression: `#status = :required${condition}`,
  ExpressionAttributeNames: { "#status": "status" },
  ExpressionAttributeValues: { ":required": status, ...values },
});

/** @returns the job after the change; `undefined` when the condition fails. */
const change = async (table: Table, name: JobName, change: Change): Promise<StoredJob | undefined> => {
  const { applied, item } = await table.update({ Key: jobKeys.job(name), ...change });
  return applied ? storedJob.parse(item) : undefined;
};

interface EarlyEnd {
  readonly status: Extract<JobStatus, "cancelled" | "failed">;
  readonly error?: StoredJob["error"];
  readonly isDeleted: boolean;
}

const endChange = (found: StoredJob, { status, error, isDeleted }: EarlyEnd, now: string): Change => ({
  UpdateExpression: `SET #status = :status, ended_at = :now, is_deleted = :deleted${error ? ", #error = :error" : ""}`,
  ConditionExpression: "#status = :seen AND done_milliseconds = :done",
  ExpressionAttributeNames: { "#status": "status", ...(error ? { "#error": "error" } : {}) },
  ExpressionAttributeValues: {
    ":status": status,
    ":now": now,
    ":deleted": isDeleted,
    ":seen": found.status,
    ":done": found.done_milliseconds,
    ...(error ? { ":error": error } : {}),
  },
});

/**
 * Ends a job early and refunds the audio that was not transcribed, both or neither. The rest stays counted, because callers can get
 * its transcript.
 *
 * @returns whether this call has ended it.
 */
const endEarly = async (table: Table, name: JobName, early: EarlyEnd, now: string): Promise<boolean> => {
  for (;;) {
    const found = await readJob(table, name);
    if (!found || isOver(found)) return false;
    const end = endChange(found, early, now);
    if (name.userId !== assistantId) {
      const refund = audioRefund(countedAudio(found, found.audio_milliseconds - found.done_milliseconds));
      const { applied, failures } = await table.transact([
        { update: { Key: jobKeys.job(name), ...end } },
        { update: refund },
      ]);
      if (applied) return true;
      if (failures[0]?.reason === "condition") continue;
      // The account is gone, so there is nothing to refund.
    }
    if (await change(table, name, end)) return true;
  }
};

/** The changes of a job's state. Each is one write on the condition of the state before it. */
export const jobStates = (table: Table, now: () => number) => {
  const isoNow = (): string => new Date(now()).toISOString();

  return {
    /** Counts that planning starts. @returns `undefined` unless the job is queued. */
    beginPlanning: (name: JobName) =>
      change(table, name, whileIn("queued", "ADD plannings :one", { ":one": 1 })),

    /** Sets a planned job to running, so slots can take its pieces. @returns whether this call has changed it. */
    start: async (name: JobName, pieces: number): Promise<boolean> => {
      const running = whileIn(
        "queued",
        "SET #status = :running, pieces = :pieces, started_at = :now REMOVE waiting",
        { ":running": "running", ":pieces": pieces, ":now": isoNow() },
      );
      const waiting = { ...jobKeys.waiting(name), job_id: name.jobId, expires_at: jobExpiry(now()) };
      const update = { Key: jobKeys.job(name), ...running };
      return (await table.transact([{ update }, { put: waiting }])).applied;
    },

    /** Counts a piece as transcribed, once. @returns the job afterwards; `undefined` when it has ended or is gone. */
    finishPiece: async (name: JobName, index: number, milliseconds: number) => {
      const values = { ":piece": new Set([index]), ":index": index, ":milliseconds": milliseconds };
      const update = "ADD done :piece, done_milliseconds :milliseconds REMOVE waiting";
      const counted = await change(
        table,
        name,
        whileIn("running", update, values, " AND NOT contains(done, :index)"),
      );
      if (counted) return counted;
      const found = await readJob(table, name);
      return found?.status === "running" ? found : undefined;
    },

    /** Stores how long parts of the recording may be from now on, unless a shorter length is stored. */
    shortenParts: (name: JobName, seconds: number) =>
      change(
        table,
        name,
        whileIn(
          "running",
          "SET max_part_seconds = :seconds",
          { ":seconds": seconds },
          " AND (attribute_not_exists(max_part_seconds) OR max_part_seconds > :seconds)",
        ),
      ),

    /** Stores why the job is waiting, for the caller. */
    noteWaiting: (name: JobName, waiting: string) =>
      change(
        table,
        name,
        whileIn(
          "running",
          "SET waiting = :waiting",
          { ":waiting": waiting, ":queued": "queued" },
          " OR #status = :queued",
        ),
      ),

    /** @returns whether this call has ended it. */
    complete: async (name: JobName): Promise<boolean> => {
      const values = { ":completed": "completed", ":now": isoNow() };
      const end = whileIn("running", "SET #status = :completed, ended_at = :now", values);
      return (await change(table, name, end)) !== undefined;
    },

    /** @returns whether this call has ended it. */
    fail: (name: JobName, error: NonNullable<StoredJob["error"]>): Promise<boolean> =>
      endEarly(table, name, { status: "failed", error, isDeleted: false }, isoNow()),

    /** Deletes a job for its owner, and cancels it if it has not ended. @returns `false` when there is no such job. */
    markDeleted: async (name: JobName): Promise<boolean> => {
      if (await endEarly(table, name, { status: "cancelled", isDeleted: true }, isoNow())) return true;
      const deleted = await change(table, name, {
        UpdateExpression: "SET is_deleted = :yes",
        ConditionExpression: "is_deleted = :no",
        ExpressionAttributeValues: { ":yes": true, ":no": false },
      });
      return deleted !== undefined;
    },

    /** Notes that the callback or the assistant's message about the end has been queued. */
    finish: (name: JobName) =>
      change(table, name, {
        UpdateExpression: "SET is_settled = :yes",
        ...exists,
        ExpressionAttributeValues: { ":yes": true },
      }),
  };
};
