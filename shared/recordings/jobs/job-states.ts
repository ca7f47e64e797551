import type { UntranslatedSegment } from "../../documents/segments/untranslated-segment.ts";
import { exists, type ItemUpdate, type Table, type TableWrite } from "../../platform/storage/table.ts";
import {
  isOver,
  type JobStatus,
  jobExpiry,
  type StoredJob,
  type StoredTranslation,
  storedJob,
} from "./job.ts";
import { jobEndings } from "./job-lists.ts";
import { doneAttribute, type WorkKind, workRefund } from "./job-work.ts";
import { assistantId, type JobName, jobKeys } from "./keys.ts";
import type { JobStage } from "./target.ts";

/** A job's item stores at most this many segments that stayed as they were. */
const maxUntranslated = 500;

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

interface JobEnd {
  readonly status: Extract<JobStatus, "cancelled" | "completed" | "failed">;
  readonly error?: StoredJob["error"];
  readonly isDeleted?: boolean;
  /** The segments that a translation has left as they were. */
  readonly untranslated?: readonly UntranslatedSegment[];
  /** How many stages of targets have results, of a recording whose targets are all done. */
  readonly assembledStages?: number;
}

/** Pieces that are counted in the meantime must not be refunded. */
const sameWork = (found: StoredJob) =>
  found.type === "transcription" && found.characters > 0
    ? { condition: " AND done_characters = :characters", values: { ":characters": found.done_characters } }
    : { condition: "", values: {} };

const endChange = (
  found: StoredJob,
  { status, error, isDeleted = false, untranslated, assembledStages }: JobEnd,
  now: string,
): Change => ({
  UpdateExpression:
    "SET #status = :status, ended_at = :now, is_deleted = :deleted" +
    `${error ? ", #error = :error" : ""}${untranslated ? ", untranslated = :untranslated, untranslated_count = :count" : ""}` +
    `${assembledStages === undefined ? "" : ", assembled_stages = :assembled"}`,
  ConditionExpression: `#status = :seen AND #done = :done${sameWork(found).condition}`,
  ExpressionAttributeNames: {
    "#status": "status",
    "#done": doneAttribute[found.type],
    ...(error ? { "#error": "error" } : {}),
  },
  ExpressionAttributeValues: {
    ":status": status,
    ":now": now,
    ":deleted": isDeleted,
    ":seen": found.status,
    ":done": found.type === "translation" ? found.done_characters : found.done_milliseconds,
    ...sameWork(found).values,
    ...(assembledStages === undefined ? {} : { ":assembled": assembledStages }),
    ...(error ? { ":error": error } : {}),
    ...(untranslated
      ? { ":untranslated": untranslated.slice(0, maxUntranslated), ":count": untranslated.length }
      : {}),
  },
});

/**
 * Ends a job and refunds the work that was not done, both or neither. The rest stays counted, because callers can get its result.
 *
 * @param records what is written together with the end.
 * @returns whether this call has ended it.
 */
const endAndRefund = async (
  table: Table,
  name: JobName,
  end: JobEnd,
  now: string,
  records: readonly TableWrite[] = [],
): Promise<boolean> => {
  for (;;) {
    const found = await readJob(table, name);
    if (!found || isOver(found)) return false;
    const ended = { update: { Key: jobKeys.job(name), ...endChange(found, end, now) } };
    if (name.userId === assistantId) {
      if ((await table.transact([ended])).applied) return true;
      continue;
    }
    const others = [...jobEndings(found, end.status), ...records];
    const refund = { update: workRefund(found) };
    const { applied, failures } = await table.transact([ended, refund, ...others]);
    if (applied) return true;
    if (failures[0]?.reason === "condition") continue;
    // The account is gone, so there is nothing to refund.
    if ((await table.transact([ended, ...others])).applied) return true;
  }
};

/** J2. @param pieces those of the job: more of them replace the entry, and no worker removes it for the fewer before. */
const waitingItem = (name: JobName, pieces: number, now: number) => ({
  ...jobKeys.waiting(name),
  job_id: name.jobId,
  pieces,
  expires_at: jobExpiry(now),
});

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
      const waiting = waitingItem(name, pieces, now());
      const update = { Key: jobKeys.job(name), ...running };
      return (await table.transact([{ update }, { put: waiting }])).applied;
    },

    /** Queues a document's job without the plan of another version, with nothing done, unless it has changed. It stays counted, once. */
    forgetPlan: async (name: JobName, { status, plannings }: StoredTranslation): Promise<void> => {
      const queued = whileIn(
        status,
        "SET #status = :queued, taken = :none, done_characters = :none REMOVE pieces, done, started_at, waiting",
        { ":queued": "queued", ":none": 0, ":plannings": plannings },
        " AND plannings = :plannings AND attribute_exists(pieces)",
      );
      const update = { Key: jobKeys.job(name), ...queued };
      await table.transact([{ update }, { delete: jobKeys.waiting(name) }]);
    },

    /**
     * Starts the next stage of a recording's targets: its pieces follow those before it, and slots can take them.
     *
     * @param stage its first piece has the index that the job had pieces before, so only one call can start it.
     */
    beginStage: async (name: JobName, stage: JobStage, pieces: number, assembled: number): Promise<void> => {
      const running = whileIn(
        "running",
        "SET stages = list_append(if_not_exists(stages, :none), :stage), assembled_stages = :assembled, pieces = :pieces, " +
          "taken = :from",
        {
          ":none": [],
          ":stage": [stage],
          ":assembled": assembled,
          ":pieces": stage.from + pieces,
          ":from": stage.from,
        },
        " AND pieces = :from",
      );
      const waiting = waitingItem(name, stage.from + pieces, now());
      await table.transact([{ update: { Key: jobKeys.job(name), ...running } }, { put: waiting }]);
    },

    /** Counts a piece as done, once. @returns the job afterwards; `undefined` when it has ended or is gone. */
    finishPiece: async (name: JobName, index: number, amount: number, kind: WorkKind = "transcription") => {
      const values = { ":piece": new Set([index]), ":index": index };
      const work = kind === "speech" ? "" : `, ${doneAttribute[kind]} :amount`;
      const update = `ADD done :piece${work} REMOVE waiting`;
      const counted = await change(
        table,
        name,
        whileIn(
          "running",
          update,
          kind === "speech" ? values : { ...values, ":amount": amount },
          " AND NOT contains(done, :index)",
        ),
      );
      if (counted) return counted;
      const found = await readJob(table, name);
      return found?.status === "running" ? found : undefined;
    },

    /** Stores how long parts of the recording may be from now on, unless a shorter length is stored. */
    shortenParts: (name: JobName, seconds: number) => {
      const isShorter = " AND (attribute_not_exists(max_part_seconds) OR max_part_seconds > :seconds)";
      const values = { ":seconds": seconds };
      return change(table, name, whileIn("running", "SET max_part_seconds = :seconds", values, isShorter));
    },

    /** Stores how far the parts of the recording's first piece are, for the caller. */
    noteProgress: (name: JobName, milliseconds: number) => {
      const set = "SET started_milliseconds = :reached REMOVE waiting";
      return change(table, name, whileIn("running", set, { ":reached": milliseconds }));
    },

    /** Stores why the job is waiting, for the caller. */
    noteWaiting: (name: JobName, waiting: string) => {
      const values = { ":waiting": waiting, ":queued": "queued" };
      return change(
        table,
        name,
        whileIn("running", "SET waiting = :waiting", values, " OR #status = :queued"),
      );
    },

    /** Stores the language of a recording that was created without one. */
    noteLanguage: (name: JobName, language: string) =>
      change(table, name, {
        ...whileIn("running", "SET #language = :language", { ":language": language }),
        ExpressionAttributeNames: { "#status": "status", "#language": "language" },
      }),

    /** @returns whether this call has ended it. */
    complete: async (name: JobName): Promise<boolean> => {
      const values = { ":completed": "completed", ":now": isoNow() };
      const end = whileIn("running", "SET #status = :completed, ended_at = :now", values);
      const listed = name.userId === assistantId ? [] : [{ delete: jobKeys.open(name) }];
      return (await table.transact([{ update: { Key: jobKeys.job(name), ...end } }, ...listed])).applied;
    },

    /**
     * Completes a recording with targets, and refunds the characters that its transcript did not have.
     *
     * @returns whether this call has ended it.
     */
    completeTargets: (name: JobName, assembledStages: number): Promise<boolean> =>
      endAndRefund(table, name, { status: "completed", assembledStages }, isoNow()),

    /** Completes a translation, and refunds what was not translated. @returns whether this call has ended it. */
    completeTranslation: (name: JobName, untranslated: readonly UntranslatedSegment[]): Promise<boolean> =>
      endAndRefund(table, name, { status: "completed", untranslated }, isoNow()),

    /** @param end why, and the segments of a document that stayed as they were. @returns whether this call has ended it. */
    fail: (name: JobName, end: Pick<JobEnd, "error" | "untranslated">): Promise<boolean> =>
      endAndRefund(table, name, { ...end, status: "failed" }, isoNow()),

    /**
     * Cancels a job for an operator; its owner still sees it.
     *
     * @param record written together with the end.
     * @returns whether this call has ended it.
     */
    cancel: (name: JobName, record: TableWrite): Promise<boolean> => {
      const error = { code: "cancelled_by_operator", message: "An operator cancelled the job." };
      return endAndRefund(table, name, { status: "cancelled", error }, isoNow(), [record]);
    },

    /** Deletes a job for its owner, and cancels it if it has not ended. @returns `false` when there is no such job. */
    markDeleted: async (name: JobName): Promise<boolean> => {
      if (await endAndRefund(table, name, { status: "cancelled", isDeleted: true }, isoNow())) return true;
      const update = {
        Key: jobKeys.job(name),
        UpdateExpression: "SET is_deleted = :yes",
        ConditionExpression: "is_deleted = :no",
        ExpressionAttributeValues: { ":yes": true, ":no": false },
      };
      const listed = name.userId === assistantId ? [] : [{ delete: jobKeys.failed(name) }];
      return (await table.transact([{ update }, ...listed])).applied;
    },

    /** Notes that the callback or the assistant's message about the end has been queued, unless the job runs again. */
    finish: (name: JobName) =>
      change(table, name, {
        UpdateExpression: "SET is_settled = :yes",
        ConditionExpression: `${exists.ConditionExpression} AND NOT #status IN (:running, :queued)`,
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":yes": true, ":running": "running", ":queued": "queued" },
      }),
  };
};
