import { jobsFolderOf } from "../../platform/storage/object-store.ts";

/** The prefix of the partition keys of jobs, which permissions use. */
export const jobKeyPrefix = "JOBS#";

/** The owner of the messaging assistant's jobs, which are neither counted nor listed. Account ids start with 1. */
export const assistantId = 0;

/** The prefix of the assistant's partition key. No account's key starts with it. */
export const assistantJobKeyPrefix = `${jobKeyPrefix}${assistantId}`;

/** Identifies a job. The account is part of it, so no caller can read another account's job by its id. */
export interface JobName {
  readonly userId: number;
  /** A UUID of version 7, which sorts by the job's time of creation. */
  readonly jobId: string;
}

const partition = (userId: number): string => `${jobKeyPrefix}${userId}`;

const speedPartitions = {
  transcription: `${jobKeyPrefix}SPEED`,
  translation: `${jobKeyPrefix}SPEED-TRANSLATION`,
  speech: `${jobKeyPrefix}SPEED-SPEECH`,
} as const;
const speedHours = "HOUR#";

const listPartitions = { open: `${jobKeyPrefix}OPEN`, failed: `${jobKeyPrefix}FAILED` } as const;

/** The lists of jobs of all accounts. */
export type JobList = keyof typeof listPartitions;

/** The key table of this folder's README in code. No other file contains a key. */
export const jobKeys = {
  /** J1: a job. */
  job: ({ userId, jobId }: JobName) => ({ PK: partition(userId), SK: `JOB#${jobId}` }),
  /** J2: a job with pieces that no slot has taken yet. */
  waiting: ({ userId, jobId }: JobName) => ({ PK: partition(userId), SK: `WAITING#${jobId}` }),
  /** J3: the piece in one of the account's slots. */
  slot: (userId: number, slot: number) => ({ PK: partition(userId), SK: `PLACE#${slot}` }),
  /** J4: how fast jobs of a type were done in an hour, counted from 1970. */
  speed: (type: keyof typeof speedPartitions, hour: number) => ({
    PK: speedPartitions[type],
    SK: `${speedHours}${hour}`,
  }),
  speeds: (type: keyof typeof speedPartitions) => ({
    partition: speedPartitions[type],
    beginsWith: speedHours,
  }),
  /** J5: a job that has not ended, for the operators' list. */
  open: ({ jobId }: Pick<JobName, "jobId">) => ({ PK: listPartitions.open, SK: `JOB#${jobId}` }),
  /** J6: a job that failed, for the operators' list. */
  failed: ({ jobId }: Pick<JobName, "jobId">) => ({ PK: listPartitions.failed, SK: `JOB#${jobId}` }),
  ofAccount: partition,
  jobs: "JOB#",
  waitingJobs: "WAITING#",
};

/** The objects of a job in the bucket. */
export const jobObjects = {
  folder: ({ userId, jobId }: JobName): string => `${jobsFolderOf(userId)}${jobId}/`,
  /** The recording, until the job ends: uploads expire earlier. */
  recording: (name: JobName): string => `${jobObjects.folder(name)}recording`,
  plan: (name: JobName): string => `${jobObjects.folder(name)}plan.json`,
  piece: (name: JobName, index: number): string =>
    `${jobObjects.folder(name)}pieces/${String(index).padStart(4, "0")}.json`,
  /** The transcripts of a piece's parts, until all of it is transcribed. */
  parts: (name: JobName, index: number): string =>
    `${jobObjects.folder(name)}parts/${String(index).padStart(4, "0")}.json`,
  result: (name: JobName): string => `${jobObjects.folder(name)}result.json`,
  /** The pieces of a stage of targets. @param from the index of its first piece. */
  stagePlan: (name: JobName, from: number): string =>
    `${jobObjects.folder(name)}plans/${String(from).padStart(4, "0")}.json`,
  /** The translated segments of a recording. */
  translation: (name: JobName, language: string): string =>
    `${jobObjects.folder(name)}translations/${language}.json`,
  /** How each of them is spoken. */
  spokenParts: (name: JobName, language: string): string =>
    `${jobObjects.folder(name)}speech/${language}.json`,
  speech: (name: JobName, language: string): string => `${jobObjects.folder(name)}speech/${language}.ogg`,
};
