import { jobsFolderOf } from "../../platform/storage/object-store.ts";

/** Partition keys of jobs begin with it; permissions go by it. */
export const jobKeyPrefix = "JOBS#";

/** Whose jobs those of the messaging assistant are: ids of accounts begin with 1. Nothing is counted for them, or listed. */
export const assistantId = 0;

/** Partition keys of the assistant's jobs begin with it, and no account's. */
export const assistantJobKeyPrefix = `${jobKeyPrefix}${assistantId}`;

/** A job, and whose it is: what others ask for by its id is not there. */
export interface JobName {
  readonly userId: number;
  /** Of UUID version 7: ids sort by the time at which jobs were made. */
  readonly jobId: string;
}

const partition = (userId: number): string => `${jobKeyPrefix}${userId}`;

/** The key table of this folder's README, in code. No other file spells a key. */
export const jobKeys = {
  /** J1: a job. */
  job: ({ userId, jobId }: JobName) => ({ PK: partition(userId), SK: `JOB#${jobId}` }),
  /** J2: that a job has pieces which nobody works on yet. */
  waiting: ({ userId, jobId }: JobName) => ({ PK: partition(userId), SK: `WAITING#${jobId}` }),
  /** J3: the piece on which one of an account's places is at work. */
  slot: (userId: number, slot: number) => ({ PK: partition(userId), SK: `PLACE#${slot}` }),
  /** Everything of an account's jobs. */
  ofAccount: partition,
  jobs: "JOB#",
  waitingJobs: "WAITING#",
};

/** Where a job keeps what it makes. */
export const jobObjects = {
  folder: ({ userId, jobId }: JobName): string => `${jobsFolderOf(userId)}${jobId}/`,
  plan: (name: JobName): string => `${jobObjects.folder(name)}plan.json`,
  piece: (name: JobName, index: number): string =>
    `${jobObjects.folder(name)}pieces/${String(index).padStart(4, "0")}.json`,
  result: (name: JobName): string => `${jobObjects.folder(name)}result.json`,
};
