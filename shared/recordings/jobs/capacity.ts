import * as z from "zod";
import { daySeconds, hourMilliseconds } from "../../platform/durations.ts";
import type { Table } from "../../platform/storage/table.ts";
import { isOver, type StoredJob } from "./job.ts";
import { jobKeys } from "./keys.ts";

/** How many pieces an account may have in progress: one with long recordings leaves half of the capacity to all others. */
export const slotsPerAccount = (piecesAtOnce: number): number => Math.ceil(piecesAtOnce / 2);

const lifetimeSeconds = 30 * daySeconds;

const hourItem = z.object({ audio_milliseconds: z.number(), work_milliseconds: z.number() });

/** How fast recordings are transcribed, by hour. */
export type JobSpeeds = ReturnType<typeof createJobSpeeds>;

/** Creates the record of speeds; access pattern J4 of this folder's README. */
export const createJobSpeeds = (table: Pick<Table, "query" | "update">, now: () => number = Date.now) => ({
  /** Notes an attempt of a worker. @param audioMilliseconds what it transcribed; 0 when the model ran out of time. */
  note: async (audioMilliseconds: number, workMilliseconds: number): Promise<void> => {
    await table.update({
      Key: jobKeys.speed(Math.floor(now() / hourMilliseconds)),
      UpdateExpression: "ADD audio_milliseconds :audio, work_milliseconds :work SET expires_at = :expiry",
      ExpressionAttributeValues: {
        ":audio": Math.round(audioMilliseconds),
        ":work": Math.round(workMilliseconds),
        ":expiry": Math.floor(now() / 1_000) + lifetimeSeconds,
      },
    });
  },

  /**
   * Returns the seconds of recordings that one slot transcribes in a second, in the last two hours with work; `undefined` when
   * nothing was transcribed.
   */
  read: async (): Promise<number | undefined> => {
    const items = await table.query({ ...jobKeys.speeds, descending: true, limit: 2 });
    const hours = items.map((item) => hourItem.parse(item));
    const audio = hours.reduce((sum, { audio_milliseconds: each }) => sum + each, 0);
    const work = hours.reduce((sum, { work_milliseconds: each }) => sum + each, 0);
    return audio > 0 && work > 0 ? audio / work : undefined;
  },
});

/** What the time of a new job depends on. */
export interface Workload {
  /** The account's jobs; those that have ended do not count. */
  readonly jobs: readonly StoredJob[];
  /** The length of the new recording. */
  readonly seconds: number;
  /** All messages in the job queue. Each is one slot that waits for its turn. */
  readonly messages: number;
  readonly piecesAtOnce: number;
  /** As {@link JobSpeeds.read} returns it. */
  readonly speed: number;
}

/**
 * Estimates when a new job would be completed, in seconds. Its account's jobs come before it, and its slots take turns with all
 * others. Each job sends a message for each slot of its account, so an account has a share of the turns by its jobs.
 */
export const estimateSeconds = ({ jobs, seconds, messages, piecesAtOnce, speed }: Workload): number => {
  const before = jobs.filter((job) => !isOver(job));
  const milliseconds = before.reduce((sum, job) => sum + job.audio_milliseconds - job.done_milliseconds, 0);
  const slots = slotsPerAccount(piecesAtOnce);
  const turns = (messages + slots) / (piecesAtOnce * (before.length + 1));
  return ((milliseconds / 1_000 + seconds) / (speed * slots)) * Math.max(1, turns);
};
