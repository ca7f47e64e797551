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

/** Returns the write that counts a new job on its account's month. When it fails, {@link workRefusal} returns the reason. */
export const workCharge = (job: StoredJob, policyOf: AccountPolicies): ItemUpdate =>
  job.type === "translation"
    ? characterCharge(charactersOf(job, job.characters), policyOf)
    : audioCharge(audioOf(job, job.audio_milliseconds), policyOf);

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
    ? characterRefusal(access, charactersOf(job, job.characters), policyOf, now)
    : audioRefusal(access, audioOf(job, job.audio_milliseconds), policyOf, now);
