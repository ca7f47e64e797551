import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { AwsConfig } from "../../platform/outbound/aws-config.ts";
import { openAwsJsonService } from "../../platform/outbound/aws-json.ts";
import { originAttributes } from "../../platform/queue/work-through.ts";
import type { JobName } from "./keys.ts";

const ofJob = { userId: z.int(), jobId: z.string() };

/** What the worker of jobs is asked to do. */
export const jobMessage = z.discriminatedUnion("kind", [
  /** Find out into which pieces the recording is cut. Sent before the job is written, so that none is forgotten. */
  z.object({ kind: z.literal("plan"), ...ofJob }),
  /** Work on the next piece that waits, at one of the account's places; sent anew until none waits. */
  z.object({ kind: z.literal("piece"), userId: z.int(), place: z.int() }),
  /** All pieces are transcribed: make one transcript of theirs. */
  z.object({ kind: z.literal("assemble"), ...ofJob }),
  /** The job is over: tell whoever wants to be called back, and clear away what is deleted. */
  z.object({ kind: z.literal("end"), ...ofJob }),
]);
export type JobMessage = z.infer<typeof jobMessage>;

/** Where the worker of jobs is asked for work. */
export interface JobQueue {
  send(message: JobMessage): Promise<void>;
}

/**
 * What is done one after the other: a place of an account has one piece at a time, and the steps of a job do not overtake
 * each other. SQS hands out no message of a group while it waits for the one before.
 */
const groupOf = (message: JobMessage): string =>
  message.kind === "piece" ? `${message.userId}/${message.place}` : `${message.userId}/${message.jobId}`;

/**
 * Takes a job on. The worker is asked before the job is written, and waits for it: whatever fails in between, no job is
 * forgotten, and none is counted that nobody has heard of.
 *
 * @param write writes the job.
 * @returns what `write` does.
 */
export const enqueue = async <Written>(
  name: JobName,
  queue: JobQueue,
  write: () => Promise<Written>,
): Promise<Written> => {
  await queue.send({ kind: "plan", ...name });
  return write();
};

/** The queue over SQS FIFO. */
export const openJobQueue = (queueUrl: string, aws: AwsConfig): JobQueue => {
  const sqs = openAwsJsonService("SQS", aws);
  return {
    send: async (message) => {
      await sqs.call("SendMessage", {
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        MessageGroupId: groupOf(message),
        MessageDeduplicationId: randomUUID(),
        MessageAttributes: originAttributes(),
      });
    },
  };
};
