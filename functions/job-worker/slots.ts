import * as z from "zod";
import { exists, isNew, type Table } from "../../shared/platform/storage/table.ts";
import { jobExpiry } from "../../shared/recordings/jobs/job.ts";
import { whileIn } from "../../shared/recordings/jobs/job-states.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobKeys } from "../../shared/recordings/jobs/keys.ts";

const slotItem = z.object({
  job_id: z.string(),
  index: z.int(),
  /** Starts without a known end: the worker was killed. */
  begun: z.int().default(0),
  /** Failed attempts of the model. */
  failures: z.int().default(0),
  /** Unix milliseconds: the first failure, when the model became unreachable, and the next attempt. */
  failing_since: z.int().optional(),
  down_since: z.int().optional(),
  due_at: z.int().default(0),
});

/** The piece in a slot. */
export interface HeldPiece extends Omit<z.output<typeof slotItem>, "job_id"> {
  readonly name: JobName;
}

/** What to remember about a piece for its next attempt. */
export type NextAttempt = Pick<HeldPiece, "due_at" | "failures"> &
  Partial<Pick<HeldPiece, "down_since" | "failing_since">>;

const waitingItem = z.object({ job_id: z.string() });

const readSlot = async (table: Table, userId: number, slot: number): Promise<HeldPiece | undefined> => {
  const item = await table.read({ Key: jobKeys.slot(userId, slot) });
  if (!item) return undefined;
  const { job_id: jobId, ...held } = slotItem.parse(item);
  return { name: { userId, jobId }, ...held };
};

/** Returns the account's oldest job with waiting pieces. */
const firstWaiting = async (table: Table, userId: number): Promise<JobName | undefined> => {
  const [first] = await table.query({
    partition: jobKeys.ofAccount(userId),
    beginsWith: jobKeys.waitingJobs,
    limit: 1,
  });
  return first && { userId, jobId: waitingItem.parse(first).job_id };
};

/** Removes the entry of a job whose pieces are all taken, unless the job has more of them in the meantime. */
const removeWaiting = async (table: Table, name: JobName, pieces: number | undefined): Promise<void> => {
  if (pieces === undefined) return table.delete(jobKeys.waiting(name));
  await table.deleteIf(jobKeys.waiting(name), {
    ConditionExpression: "attribute_not_exists(pieces) OR pieces = :pieces",
    ExpressionAttributeValues: { ":pieces": pieces },
  });
};

/** Moves a piece into a slot, unless another slot was faster or the job has ended: then the caller looks again. */
const takePiece = async (
  table: Table,
  held: Pick<HeldPiece, "index" | "name">,
  slot: number,
  isLast: boolean,
  now: number,
) => {
  const { name, index } = held;
  const taken = whileIn("running", "ADD taken :one", { ":one": 1, ":index": index }, " AND taken = :index");
  await table.transact([
    { update: { Key: jobKeys.job(name), ...taken } },
    {
      put: { ...jobKeys.slot(name.userId, slot), job_id: name.jobId, index, expires_at: jobExpiry(now) },
      condition: isNew,
    },
    ...(isLast ? [{ delete: jobKeys.waiting(name) }] : []),
  ]);
};

const postponement = ({ failures, due_at, down_since: down, failing_since: failing }: NextAttempt) => {
  const sets = ["begun = :none", "failures = :failures", "due_at = :due"];
  if (down !== undefined) sets.push("down_since = :down");
  if (failing !== undefined) sets.push("failing_since = :failing");
  return {
    UpdateExpression: `SET ${sets.join(", ")}${down === undefined ? " REMOVE down_since" : ""}`,
    ...exists,
    ExpressionAttributeValues: {
      ":none": 0,
      ":failures": failures,
      ":due": due_at,
      ...(down === undefined ? {} : { ":down": down }),
      ...(failing === undefined ? {} : { ":failing": failing }),
    },
  };
};

/**
 * The slots of accounts. An account has a fixed number of them, and each holds one piece at a time. The queue delivers one message of a
 * slot at a time, so no other worker changes the slot.
 */
export type Slots = ReturnType<typeof createSlots>;

/** Creates the slots in the service's table; access patterns J2 and J3 of the README in `shared/recordings/jobs`. */
export const createSlots = (
  table: Table,
  jobs: Pick<JobsRepository, "read">,
  now: () => number = Date.now,
) => ({
  /**
   * Returns the piece in the slot, which a killed worker may have left there, or moves the account's next waiting piece into it.
   *
   * @returns `undefined` when no piece is waiting.
   */
  take: async (userId: number, slot: number): Promise<HeldPiece | undefined> => {
    for (;;) {
      const held = await readSlot(table, userId, slot);
      if (held) return held;
      const name = await firstWaiting(table, userId);
      if (!name) return undefined;
      const job = await jobs.read(name);
      if (job?.status !== "running" || job.pieces === undefined || job.taken >= job.pieces) {
        await removeWaiting(table, name, job?.pieces);
      } else {
        await takePiece(table, { name, index: job.taken }, slot, job.taken + 1 === job.pieces, now());
      }
    }
  },

  /** Counts a start of the work on the piece. @returns the starts without a known end. */
  begin: async (userId: number, slot: number): Promise<number> => {
    const { applied, item } = await table.update({
      Key: jobKeys.slot(userId, slot),
      UpdateExpression: "ADD begun :one",
      ...exists,
      ExpressionAttributeValues: { ":one": 1 },
    });
    if (!applied) throw new Error("The account was deleted in the meantime.");
    return slotItem.parse(item).begun;
  },

  /** Stores when to attempt the piece again. Does nothing when the account was deleted in the meantime. */
  postpone: async (userId: number, slot: number, next: NextAttempt): Promise<void> => {
    await table.update({ Key: jobKeys.slot(userId, slot), ...postponement(next) });
  },

  /** Forgets the failures at a part of the piece when that part is transcribed. */
  proceed: async (userId: number, slot: number): Promise<void> => {
    await table.update({
      Key: jobKeys.slot(userId, slot),
      UpdateExpression: "REMOVE begun, failures, due_at, down_since, failing_since",
      ...exists,
    });
  },

  /** Empties the slot. */
  clear: (userId: number, slot: number): Promise<void> => table.delete(jobKeys.slot(userId, slot)),
});
