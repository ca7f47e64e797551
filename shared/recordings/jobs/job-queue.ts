import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { type FifoQueue, openFifoQueue } from "../../platform/queue/fifo-queue.ts";
import type { JobName } from "./keys.ts";

const ofJob = { userId: z.int(), jobId: z.string() };

/** A task of the job worker. */
export const jobMessage = z.discriminatedUnion("kind", [
  /** Plan the pieces of the recording. Sent before the job is written, so no job is forgotten. */
  z.object({
    kind: z.literal("plan"),
    ...ofJob,
    /** Which attempt of an operator sends it, from 1; absent for a new job. */
    retries: z.int().optional(),
  }),
  /** Work on one piece in one of the account's slots. The worker sends it again until no piece is waiting. */
  z.object({ kind: z.literal("piece"), userId: z.int(), place: z.int() }),
  /** Join the pieces that are done into results, and start what follows. */
  z.object({ kind: z.literal("assemble"), ...ofJob }),
  /** Work on targets that are added to a completed job. Sent before they are written. @param extension how often some were added. */
  z.object({ kind: z.literal("extend"), ...ofJob, extension: z.int() }),
  /** The job has ended: send its callback, and remove it if it is deleted. */
  z.object({ kind: z.literal("end"), ...ofJob }),
]);
export type JobMessage = z.infer<typeof jobMessage>;

export interface JobQueue {
  send(message: JobMessage): Promise<void>;
}

/** SQS delivers one message of a group at a time, so a slot works on one piece, and the steps of a job keep their order. */
const groupOf = (message: JobMessage): string =>
  message.kind === "piece" ? `${message.userId}/${message.place}` : `${message.userId}/${message.jobId}`;

/**
 * Enqueues a job before it is written. The worker waits for the write, so a crash in between leaves neither a job without a
 * worker nor a charge without a job.
 *
 * @returns the result of `write`, which writes the job.
 */
export const enqueue = async <Written>(
  name: JobName,
  queue: JobQueue,
  write: () => Promise<Written>,
): Promise<Written> => {
  await queue.send({ kind: "plan", ...name });
  return write();
};

/** Opens the job queue over SQS FIFO. */
export const openJobQueue = (
  queueUrl: string,
  aws: AwsConfig,
): JobQueue & Pick<FifoQueue, "count" | "hide"> => {
  const { send, ...others } = openFifoQueue(queueUrl, aws);
  return { ...others, send: (message) => send(message, groupOf(message), randomUUID()) };
};
