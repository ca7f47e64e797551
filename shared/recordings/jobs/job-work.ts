import {
  audioCharge,
  audioRefund,
  audioRefusal,
  type CountedAudio,
} from "../../accounts/limits/audio-quota.ts";
import {
  type CountedCharacters,
  characterCharge,
  characterRefund,
  characterRefusal,
} from "../../accounts/limits/character-quota.ts";
import type { AccountPolicies } from "../../accounts/limits/policies.ts";
import type { AppError } from "../../platform/errors/app-error.ts";
import type { Item, ItemUpdate } from "../../platform/storage/table.ts";
import type { StoredJob } from "./job.ts";

/** The operation whose usage includes the work of jobs. */
const operationId = "createJob";

/** How much work a job is, and how much of it is done: milliseconds of its recording, or characters of its document. */
export interface JobWork {
  readonly total: number;
  readonly done: number;
}

export const workOf = (job: StoredJob): JobWork =>
  job.type === "translation"
    ? { total: job.characters, done: job.done_characters }
    : { total: job.audio_milliseconds, done: job.done_milliseconds };

/** The attribute of a job that counts what is done. */
export const doneAttribute: Readonly<Record<StoredJob["type"], string>> = {
  transcription: "done_milliseconds",
  translation: "done_characters",
};

const countedOn = ({ user_id: userId, key_id: keyId, day }: StoredJob) => ({
  userId,
  operationId,
  keyId,
  day,
});

const audioOf = (job: StoredJob, milliseconds: number): CountedAudio => ({ ...countedOn(job), milliseconds });

const charactersOf = (job: StoredJob, characters: number): CountedCharacters => ({
  ...countedOn(job),
  characters,
});

/** Returns what remains to be done, in the job's unit. */
export const pendingWork = (job: StoredJob): number => workOf(job).total - workOf(job).done;

/**
 * Returns the write that counts what a job will do on its account's month. When it fails, {@link workRefusal} returns the
 * reason.
 */
export const workCharge = (job: StoredJob, policyOf: AccountPolicies): ItemUpdate =>
  job.type === "translation"
    ? characterCharge(charactersOf(job, pendingWork(job)), policyOf)
    : audioCharge(audioOf(job, pendingWork(job)), policyOf);

/** Returns the write that deducts what was not done. @param amount milliseconds or characters. */
export const workRefund = (job: StoredJob, amount: number): ItemUpdate =>
  job.type === "translation" ? characterRefund(charactersOf(job, amount)) : audioRefund(audioOf(job, amount));

/** Returns why a job was not counted. @param access the access item of its account; `undefined` when there is none. */
export const workRefusal = (
  access: Item | undefined,
  job: StoredJob,
  policyOf: AccountPolicies,
  now: number,
): AppError =>
  job.type === "translation"
    ? characterRefusal(access, charactersOf(job, pendingWork(job)), policyOf, now)
    : audioRefusal(access, audioOf(job, pendingWork(job)), policyOf, now);
