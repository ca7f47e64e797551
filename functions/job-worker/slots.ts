import * as z from "zod";
import { exists, isNew, type Table } from "../../shared/platform/storage/table.ts";
import { jobExpiry } from "../../shared/recordings/jobs/job.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobKeys } from "../../shared/recordings/jobs/keys.ts";

const slotItem = z.object({
  job_id: z.string(),
  index: z.int(),
  /** How often the piece was begun without it being known how that ended: its worker was killed. */
  begun: z.int().default(0),
  /** How often the model has failed at it. */
  failures: z.int().default(0),
  /** Milliseconds of Unix time: since when it fails, since when the model is out of reach, and when to try again. */
  failing_since: z.int().optional(),
  down_since: z.int().optional(),
  due_at: z.int().default(0),
});

/** The piece that one of an account's places is at work on. */
export interface HeldPiece extends Omit<z.output<typeof slotItem>, "job_id"> {
  readonly name: JobName;
}

/** What is remembered of a piece that is to be tried again. */
export type NextAttempt = Pick<HeldPiece, "due_at" | "failures"> &
  Partial<Pick<HeldPiece, "down_since" | "failing_since">>;

const waitingItem = z.object({ job_id: z.string() });

/**
 * The places of accounts: each has as many as it may have pieces under way, and each works on one piece at a time. The queue
 * lets one message of a place be worked on at a time, so that nobody else changes a place meanwhile.
 */
export type Slots = ReturnType<typeof createSlots>;

/** The places in the service's table; access patterns J2 and J3 of the README in `shared/recordings/jobs`. */
export const createSlots = (
  table: Table,
  jobs: Pick<JobsRepository, "read">,
  now: () => number = Date.now,
) => {
  const read = async (userId: number, slot: number): Promise<HeldPiece | undefined> => {
    const item = await table.read({ Key: jobKeys.slot(userId, slot) });
    if (!item) return undefined;
    const { job_id: jobId, ...held } = slotItem.parse(item);
    return { name: { userId, jobId }, ...held };
  };

  /** The job of the account that waits longest. */
  const firstWaiting = async (userId: number): Promise<JobName | undefined> => {
    const [first] = await table.query({
      partition: jobKeys.ofAccount(userId),
      beginsWith: jobKeys.waitingJobs,
      limit: 1,
    });
    return first && { userId, jobId: waitingItem.parse(first).job_id };
  };

  /** Takes a piece for a place: the job says that it is taken, and the place that it has it, or neither. */
  const takePiece = async (name: JobName, slot: number, index: number, isLast: boolean) => {
    const update = {
      Key: jobKeys.job(name),
      UpdateExpression: "ADD taken :one",
      ConditionExpression: "#status = :running AND taken = :index",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":one": 1, ":running": "running", ":index": index },
    };
    const held = {
      ...jobKeys.slot(name.userId, slot),
      job_id: name.jobId,
      index,
      expires_at: jobExpiry(now()),
    };
    // Should another place have been faster, or the job be over, whoever asks looks again.
    await table.transact([
      { update },
      { put: held, condition: isNew },
      ...(isLast ? [{ delete: jobKeys.waiting(name) }] : []),
    ]);
  };

  return {
    /**
     * The piece that the place has, also one that an earlier worker left behind; or the next that waits, which is the
     * place's from then on.
     *
     * @returns `undefined` when none waits.
     */
    take: async (userId: number, slot: number): Promise<HeldPiece | undefined> => {
      for (;;) {
        const held = await read(userId, slot);
        if (held) return held;
        const name = await firstWaiting(userId);
        if (!name) return undefined;
        const job = await jobs.read(name);
        if (job?.status !== "running" || job.pieces === undefined || job.taken >= job.pieces) {
          await table.delete(jobKeys.waiting(name));
        } else {
          await takePiece(name, slot, job.taken, job.taken + 1 === job.pieces);
        }
      }
    },

    /** Counts that the work on its piece begins. @returns how often that was so without an end. */
    begin: async (userId: number, slot: number): Promise<number> => {
      const { applied, item } = await table.update({
        Key: jobKeys.slot(userId, slot),
        UpdateExpression: "ADD begun :one",
        ...exists,
        ExpressionAttributeValues: { ":one": 1 },
      });
      if (!applied) throw new Error("The account was deleted meanwhile.");
      return slotItem.parse(item).begun;
    },

    /** Remembers when the piece is to be tried again. */
    postpone: async (userId: number, slot: number, next: NextAttempt): Promise<void> => {
      const { down_since: down, failing_since: failing } = next;
      const sets = ["begun = :none", "failures = :failures", "due_at = :due"];
      if (down !== undefined) sets.push("down_since = :down");
      if (failing !== undefined) sets.push("failing_since = :failing");
      // Does nothing when the account was deleted meanwhile.
      await table.update({
        Key: jobKeys.slot(userId, slot),
        UpdateExpression: `SET ${sets.join(", ")}${down === undefined ? " REMOVE down_since" : ""}`,
        ...exists,
        ExpressionAttributeValues: {
          ":none": 0,
          ":failures": next.failures,
          ":due": next.due_at,
          ...(down === undefined ? {} : { ":down": down }),
          ...(failing === undefined ? {} : { ":failing": failing }),
        },
      });
    },

    /** The place has no piece any more. */
    clear: (userId: number, slot: number): Promise<void> => table.delete(jobKeys.slot(userId, slot)),
  };
};
