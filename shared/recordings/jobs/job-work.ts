import {
  audioCount,
  audioRefusal,
  type CountedAudio,
  hasAudioLeft,
} from "../../accounts/limits/audio-quota.ts";
import {
  type CountedCharacters,
  characterCount,
  characterRefusal,
} from "../../accounts/limits/character-quota.ts";
import { type MonthlyCount, monthlyCharge, monthlyRefund } from "../../accounts/limits/monthly-quota.ts";
import type { AccountPolicies } from "../../accounts/limits/policies.ts";
import type { AppError } from "../../platform/errors/app-error.ts";
import type { Item, ItemUpdate } from "../../platform/storage/table.ts";
import type { StoredJob } from "./job.ts";

/** The operation whose usage includes the work of jobs. */
const operationId = "createJob";

/** What the pieces of jobs do. Each kind has a model of its own. */
export type WorkKind = "transcription" | "translation" | "speech";

/** How much work a job is, and how much of it is done. */
export interface JobWork {
  readonly total: number;
  readonly done: number;
}

const nothing: JobWork = { total: 0, done: 0 };

/** The milliseconds of a job's recording; nothing once targets are added to its transcript. */
const audioWork = (job: StoredJob): JobWork =>
  job.type === "transcription" && job.extensions === 0
    ? { total: job.audio_milliseconds, done: job.done_milliseconds }
    : nothing;

/** The characters of a job's document, or those that the translations of its recording may have. */
const characterWork = ({ characters: total, done_characters: done }: StoredJob): JobWork => ({
  total,
  // More than what was counted is not counted.
  done: Math.min(total, done),
});

/** Returns the work of a kind: milliseconds of a recording for transcription, characters for the others. */
export const workOf = (job: StoredJob, kind: WorkKind = job.type): JobWork => {
  if (kind === "transcription") return audioWork(job);
  if (kind === "translation") return characterWork(job);
  const isSpoken = job.type === "transcription" && job.targets.some(({ format }) => format === "audio");
  return isSpoken ? { total: job.characters, done: 0 } : nothing;
};

/** The attribute of a job that counts what is done; speaking is not counted on its own. */
export const doneAttribute: Readonly<Record<Exclude<WorkKind, "speech">, string>> = {
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
  ...(job.type === "transcription" && job.characters_day !== undefined ? { day: job.characters_day } : {}),
  characters,
});

/** What is counted of a job: some of its milliseconds and characters. */
interface CountedWork {
  readonly milliseconds: number;
  readonly characters: number;
}

/** What remains to be done of a job. */
const pendingWork = (job: StoredJob): CountedWork => {
  const [audio, characters] = [audioWork(job), characterWork(job)];
  return { milliseconds: audio.total - audio.done, characters: characters.total - characters.done };
};

const countsOf = (job: StoredJob, { milliseconds, characters }: CountedWork): MonthlyCount[] => [
  ...(job.type === "transcription" ? [audioCount(audioOf(job, milliseconds))] : []),
  ...(job.type === "translation" || characters > 0 ? [characterCount(charactersOf(job, characters))] : []),
];

/** Returns the write that counts what a job will do on its account's month. When it fails, {@link workRefusal} returns the reason. */
export const workCharge = (job: StoredJob, policyOf: AccountPolicies): ItemUpdate =>
  monthlyCharge(countsOf(job, pendingWork(job)), policyOf);

/** Returns the write that counts the characters of targets that are added to a job. */
export const targetsCharge = (job: StoredJob, policyOf: AccountPolicies): ItemUpdate =>
  monthlyCharge([characterCount(charactersOf(job, job.characters))], policyOf);

/** Returns the write that deducts what was not done of a job. */
export const workRefund = (job: StoredJob): ItemUpdate => monthlyRefund(countsOf(job, pendingWork(job)));

/** Returns why a job, or its added targets, were not counted. @param access the access item of its account; `undefined` when there is none. */
export const workRefusal = (
  access: Item | undefined,
  job: StoredJob,
  policyOf: AccountPolicies,
  now: number,
): AppError => {
  const { milliseconds, characters } = pendingWork(job);
  const audio = audioOf(job, milliseconds);
  const isCharacters =
    job.type === "translation" ||
    job.extensions > 0 ||
    (access !== undefined && hasAudioLeft(access, audio, policyOf));
  return isCharacters
    ? characterRefusal(access, charactersOf(job, characters), policyOf, now)
    : audioRefusal(access, audio, policyOf, now);
};
