import * as z from "zod";
import { daySeconds, hourMilliseconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { isOver, type StoredJob } from "./job.ts";
import { type WorkKind, workOf } from "./job-work.ts";
import { jobKeys } from "./keys.ts";

/** How many pieces an account may have in progress: one with long recordings leaves half of the capacity to all others. */
export const slotsPerAccount = (piecesAtOnce: number): number => Math.ceil(piecesAtOnce / 2);

const lifetimeSeconds = 30 * daySeconds;

const hourItem = z.looseObject({ work_milliseconds: z.number() });

/** The unit of a kind's work, as the record of speeds stores it. */
const unitOf: Readonly<Record<WorkKind, string>> = {
  transcription: "audio_milliseconds",
  translation: "characters",
  speech: "characters",
};

type SpeedTable = Pick<Table, "query" | "update">;

const speedOf = (type: WorkKind, table: SpeedTable, now: () => number) => ({
  /** Notes an attempt of a worker. @param amount milliseconds of audio, or characters; 0 when the model ran out of time. */
  note: async (amount: number, workMilliseconds: number): Promise<void> => {
    await table.update({
      Key: jobKeys.speed(type, Math.floor(now() / hourMilliseconds)),
      UpdateExpression: `ADD ${unitOf[type]} :amount, work_milliseconds :work SET expires_at = :expiry`,
      ExpressionAttributeValues: {
        ":amount": Math.round(amount),
        ":work": Math.round(workMilliseconds),
        ":expiry": Math.floor(now() / 1_000) + lifetimeSeconds,
      },
    });
  },

  /**
   * Returns the work that one slot does in a millisecond, in the last two hours with work: milliseconds of recordings, or characters;
   * `undefined` when nothing was done.
   */
  read: async (): Promise<number | undefined> => {
    const items = await table.query({ ...jobKeys.speeds(type), descending: true, limit: 2 });
    const hours = items.map((item) => hourItem.parse(item));
    const done = hours.reduce((sum, hour) => sum + z.number().catch(0).parse(hour[unitOf[type]]), 0);
    const work = hours.reduce((sum, { work_milliseconds: each }) => sum + each, 0);
    return done > 0 && work > 0 ? done / work : undefined;
  },
});

/** How fast work of a kind is done, by hour. */
export type JobSpeed = ReturnType<typeof speedOf>;

/** Creates the records of the speeds of all kinds of work; access pattern J4 of this folder's README. */
export const createJobSpeeds = (
  table: SpeedTable,
  now: () => number = Date.now,
): Readonly<Record<WorkKind, JobSpeed>> => ({
  transcription: speedOf("transcription", table, now),
  translation: speedOf("translation", table, now),
  speech: speedOf("speech", table, now),
});

/** What the time of a new job depends on. */
export interface Workload {
  readonly type: WorkKind;
  /** The account's jobs; those that have ended, or have no such work, do not count. */
  readonly jobs: readonly StoredJob[];
  /** The work of the new job, in the unit of its type: milliseconds or characters. */
  readonly amount: number;
  /** All messages in the job queue. Each is one slot that waits for its turn. */
  readonly messages: number;
  readonly piecesAtOnce: number;
  /** As {@link JobSpeed.read} returns it. */
  readonly speed: number;
}

/**
 * Estimates when a new job would be completed, in seconds. Its account's jobs come before it, and its slots take turns with all
 * others. Each job sends a message for each slot of its account, so an account has a share of the turns by its jobs.
 */
export const estimateSeconds = ({ type, jobs, amount, messages, piecesAtOnce, speed }: Workload): number => {
  const before = jobs.filter((job) => !isOver(job));
  const waiting = before
    .map((job) => workOf(job, type))
    .reduce((sum, { total, done }) => sum + total - done, 0);
  const slots = slotsPerAccount(piecesAtOnce);
  const turns = (messages + slots) / (piecesAtOnce * (before.length + 1));
  return ((waiting + amount) / (speed * slots) / 1_000) * Math.max(1, turns);
};
