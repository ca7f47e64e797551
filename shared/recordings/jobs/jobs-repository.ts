import { createHash, randomBytes } from "node:crypto";
import type { AccountPolicies } from "../../accounts/limits/policies.ts";
import { windowsAt } from "../../accounts/limits/windows.ts";
import type { InboundMessage } from "../../messaging/inbound-message.ts";
import { type ItemUpdate, isNew, type Table, type TableWrite } from "../../platform/storage/table.ts";
import {
  jobExpiry,
  type StoredJob,
  type StoredTranscription,
  type StoredTranslation,
  storedJob,
  transcriptionItem,
  translationItem,
} from "./job.ts";
import { jobBeginning, jobReturns, listJobNames } from "./job-lists.ts";
import { jobStates, readJob } from "./job-states.ts";
import { targetsCharge, workCharge, workRefusal } from "./job-work.ts";
import { assistantId, type JobList, type JobName, jobKeys } from "./keys.ts";
import type { TranscriptTarget } from "./target.ts";

type NewWork = Pick<StoredJob, "file_id" | "object_key" | "object_version"> &
  Partial<Pick<StoredJob, "callback_url" | "key_id">>;

/** The parts of a job that its creator chooses. */
export type NewTranscriptionJob = NewWork &
  Pick<StoredTranscription, "facts" | "language" | "timestamps"> &
  Partial<
    Pick<StoredTranscription, "characters" | "keywords" | "languages" | "reply_to" | "speakers" | "targets">
  >;
export type NewTranslationJob = NewWork &
  Pick<StoredTranslation, "type" | "target_language" | "format" | "characters"> &
  Partial<
    Pick<
      StoredTranslation,
      "source_language" | "detected_language" | "columns" | "header" | "retranslate" | "keep_fuzzy"
    >
  >;
export type NewJob = NewTranscriptionJob | NewTranslationJob;

/** UUID version 7 (RFC 9562): the first 48 bits are the time, so ids sort by it. */
const jobIdOf = (milliseconds: number, rest: Buffer): string => {
  const hex = milliseconds.toString(16).padStart(12, "0") + rest.subarray(0, 10).toString("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
};

/** Returns the id of a new job. */
export const newJobId = (now: number): string => jobIdOf(now, randomBytes(10));

/** Returns the id of a voice note's job: the same for each attempt. */
export const jobIdOfMessage = ({
  id,
  sender,
  sentAt = 0,
}: Pick<InboundMessage, "id" | "sender" | "sentAt">): string =>
  jobIdOf(sentAt * 1_000, createHash("sha256").update(`${sender} ${id}`).digest());

const queuedJob = (name: JobName, newJob: NewJob, now: number): StoredJob =>
  storedJob.parse({
    ...newJob,
    id: name.jobId,
    user_id: name.userId,
    status: "queued",
    created_at: new Date(now).toISOString(),
    ...("facts" in newJob ? { audio_milliseconds: Math.round(newJob.facts.durationSeconds * 1_000) } : {}),
    day: windowsAt(now).day,
    expires_at: jobExpiry(now),
  });

const itemOf = (name: JobName, { done: _none, retries: _never, ...item }: StoredJob) => ({
  ...jobKeys.job(name),
  ...item,
});

const extendedJob = (
  { ended_at: _end, waiting: _reason, ...job }: StoredTranscription,
  targets: readonly TranscriptTarget[],
  characters: number,
  now: number,
): StoredTranscription => ({
  ...job,
  status: "running",
  targets: [...job.targets, ...targets],
  extensions: job.extensions + 1,
  characters,
  done_characters: 0,
  characters_day: windowsAt(now).day,
  is_settled: false,
});

/** The update of a job that was completed, finished, and has not changed since it was read. */
const extension = (job: StoredTranscription, extended: StoredTranscription): ItemUpdate => ({
  Key: jobKeys.job({ userId: job.user_id, jobId: job.id }),
  UpdateExpression:
    "SET #status = :running, targets = :targets, extensions = :extensions, characters = :characters, " +
    "done_characters = :none, characters_day = :day, is_settled = :no REMOVE ended_at",
  ConditionExpression:
    "#status = :completed AND is_settled = :yes AND is_deleted = :no AND " +
    "(attribute_not_exists(extensions) OR extensions = :seen)",
  ExpressionAttributeNames: { "#status": "status" },
  ExpressionAttributeValues: {
    ":running": extended.status,
    ":completed": "completed",
    ":targets": extended.targets,
    ":extensions": extended.extensions,
    ":seen": job.extensions,
    ":characters": extended.characters,
    ":none": 0,
    ":day": extended.characters_day,
    ":yes": true,
    ":no": false,
  },
});

/** Earlier versions stored no type, but every translation has a target. */
const isOfType: Readonly<Record<StoredJob["type"], string>> = {
  transcription: " AND attribute_not_exists(target_language)",
  translation: " AND attribute_exists(target_language)",
};

const jobsOf = (
  userId: number,
  limit: number,
  before: string | undefined,
  now: number,
  type?: StoredJob["type"],
) => ({
  partition: jobKeys.ofAccount(userId),
  beginsWith: jobKeys.jobs,
  filter: {
    FilterExpression: `is_deleted = :no AND expires_at > :now${type ? isOfType[type] : ""}`,
    ExpressionAttributeValues: { ":no": false, ":now": Math.floor(now / 1_000) },
  },
  descending: true,
  limit,
  after: before === undefined ? undefined : jobKeys.job({ userId, jobId: before }),
});

/** The change that queues a failed job again. Its pieces are taken again from the first; those that are done are skipped. */
const retryUpdate = (job: StoredJob, day: number) => ({
  Key: jobKeys.job({ userId: job.user_id, jobId: job.id }),
  UpdateExpression:
    "SET #status = :queued, #day = :day, retries = :next, plannings = :none, taken = :none, is_settled = :no" +
    `${"characters_day" in job ? ", characters_day = :day" : ""} REMOVE #error, untranslated, untranslated_count, ended_at, started_at, waiting`,
  ConditionExpression:
    "#status = :failed AND is_settled = :yes AND is_deleted = :no AND " +
    (job.retries === 0 ? "attribute_not_exists(retries)" : "retries = :seen"),
  ExpressionAttributeNames: { "#status": "status", "#error": "error", "#day": "day" },
  ExpressionAttributeValues: {
    ...{ ":queued": "queued", ":failed": "failed", ":day": day, ":next": job.retries + 1, ":none": 0 },
    ...{ ":yes": true, ":no": false },
    ...(job.retries === 0 ? {} : { ":seen": job.retries }),
  },
});

/** Jobs in the table. */
export type JobsRepository = ReturnType<typeof createJobsRepository>;

/** Creates the repository of jobs; access pattern J1 of this folder's README. */
export const createJobsRepository = (table: Table, now: () => number = Date.now) => ({
  ...jobStates(table, now),

  /** Creates a job of the messaging assistant, which is not counted. An existing one stays as it is. */
  createForAssistant: async (jobId: string, newJob: NewTranscriptionJob): Promise<void> => {
    const name = { userId: assistantId, jobId };
    await table.putIf(itemOf(name, queuedJob(name, newJob, now())), isNew);
  },

  /**
   * Creates a job and counts its work on the account's month, both or neither.
   *
   * @throws AppError `quota_exceeded`; `unauthenticated` when the account is gone.
   */
  create: async (name: JobName, newJob: NewJob, policyOf: AccountPolicies): Promise<StoredJob> => {
    const job = queuedJob(name, newJob, now());
    const { applied, failures } = await table.transact([
      { put: itemOf(name, job), condition: isNew },
      { update: workCharge(job, policyOf) },
      jobBeginning(job),
    ]);
    if (!applied) throw workRefusal(failures[1]?.item, job, policyOf, now());
    return job;
  },

  /**
   * Adds targets to a completed transcription, which runs again, and counts their characters on the account's month; both or
   * neither.
   *
   * @param job as it was read.
   * @returns the job; `undefined` when it has changed in the meantime.
   * @throws AppError `quota_exceeded`; `unauthenticated` when the account is gone.
   */
  addTargets: async (
    job: StoredTranscription,
    targets: readonly TranscriptTarget[],
    characters: number,
    policyOf: AccountPolicies,
  ): Promise<StoredTranscription | undefined> => {
    const extended = extendedJob(job, targets, characters, now());
    const { applied, failures } = await table.transact([
      { update: extension(job, extended) },
      { update: targetsCharge(extended, policyOf) },
      jobBeginning(extended),
    ]);
    if (applied) return extended;
    if (failures[0]) return undefined;
    throw workRefusal(failures[1]?.item, extended, policyOf, now());
  },

  /**
   * Queues a failed job again, with the pieces that are done, and counts the rest on the account's present month: all or nothing.
   *
   * @param job as it was read.
   * @param record written together with it.
   * @returns `false` when the job has changed meanwhile.
   * @throws AppError as `create`.
   */
  retry: async (job: StoredJob, record: TableWrite, policyOf: AccountPolicies): Promise<boolean> => {
    const { day } = windowsAt(now());
    const charged = { ...job, day, ...("characters_day" in job ? { characters_day: day } : {}) };
    const { applied, failures } = await table.transact([
      { update: retryUpdate(job, day) },
      { update: workCharge(charged, policyOf) },
      ...jobReturns(job),
      record,
    ]);
    if (applied) return true;
    if (failures[0]?.reason === "condition") return false;
    throw workRefusal(failures[1]?.item, charged, policyOf, now());
  },

  /** Names a speaker of a recording; without a name, the label stays. @returns whether the recording exists. */
  nameSpeaker: async (name: JobName, label: string, speakersName: string | undefined): Promise<boolean> => {
    const { applied } = await table.update({
      Key: jobKeys.job(name),
      UpdateExpression:
        speakersName === undefined ? "REMOVE speaker_names.#label" : "SET speaker_names.#label = :name",
      ConditionExpression: "attribute_exists(speaker_names) AND is_deleted = :no",
      ExpressionAttributeNames: { "#label": label },
      ExpressionAttributeValues: {
        ":no": false,
        ...(speakersName === undefined ? {} : { ":name": speakersName }),
      },
    });
    return applied;
  },

  /** Reads a job in any state, even a deleted one. */
  read: (name: JobName): Promise<StoredJob | undefined> => readJob(table, name),

  /** Reads a job that its owner may see. */
  find: async (name: JobName): Promise<StoredJob | undefined> => {
    const found = await readJob(table, name);
    return found && !found.is_deleted && found.expires_at * 1_000 > now() ? found : undefined;
  },

  /** Lists the jobs of an account, newest first. @param before only jobs that are older than the one with this id. */
  list: async (userId: number, limit: number, before: string | undefined): Promise<StoredJob[]> => {
    const items = await table.query(jobsOf(userId, limit, before, now()));
    return items.map((item) => storedJob.parse(item));
  },

  /** The same for jobs that transcribe. */
  listTranscriptions: async (
    userId: number,
    limit: number,
    before: string | undefined,
  ): Promise<StoredTranscription[]> => {
    const items = await table.query(jobsOf(userId, limit, before, now(), "transcription"));
    return items.map((item) => transcriptionItem.parse(item));
  },

  /** The same for jobs that translate. */
  listTranslations: async (
    userId: number,
    limit: number,
    before: string | undefined,
  ): Promise<StoredTranslation[]> => {
    const items = await table.query(jobsOf(userId, limit, before, now(), "translation"));
    return items.map((item) => translationItem.parse(item));
  },

  /** Lists jobs of all accounts, the newest first, in any state. @param before as in `list`. */
  listAll: (list: JobList, limit: number, before: string | undefined): Promise<JobName[]> =>
    listJobNames(table, list, limit, before),

  /** Removes a job from the table. */
  remove: async (name: JobName): Promise<void> => {
    if (name.userId !== assistantId) await table.deleteAll([jobKeys.open(name), jobKeys.failed(name)]);
    await table.delete(jobKeys.waiting(name));
    await table.delete(jobKeys.job(name));
  },
});
