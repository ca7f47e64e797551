import { accountKinds } from "../accounts/access/stored-kinds.ts";
import { exportFiles, exportKinds } from "../accounts/export/stored-kinds.ts";
import { limitKinds } from "../accounts/limits/stored-kinds.ts";
import { noticeKinds } from "../accounts/notices/stored-kinds.ts";
import { operatorKinds } from "../accounts/operators/stored-kinds.ts";
import { requestKinds } from "../accounts/requests/stored-kinds.ts";
import { sessionKinds } from "../accounts/sessions/stored-kinds.ts";
import { tierKinds } from "../accounts/tiers/stored-kinds.ts";
import { idempotencyKinds, responseObjects } from "../http/idempotency/stored-kinds.ts";
import { messagingKinds } from "../messaging/stored-kinds.ts";
import { modelKinds } from "../models/health/stored-kinds.ts";
import { dayMilliseconds, daySeconds } from "../platform/durations.ts";
import { statusKinds } from "../platform/status/stored-kinds.ts";
import { erasureList } from "../platform/storage/erasures.ts";
import { speechFolder, speechFolderOf } from "../platform/storage/object-store.ts";
import type { DataOwner, ObjectKind, OtherKind, StoredKinds } from "../platform/storage/stored-kinds.ts";
import { callbackKinds } from "../recordings/callbacks/stored-kinds.ts";
import { jobFiles, jobKinds } from "../recordings/jobs/stored-kinds.ts";
import { transcriptionFiles, transcriptionKinds } from "../recordings/saved-transcriptions/stored-kinds.ts";
import { uploadFiles, uploadKinds } from "../recordings/uploads/stored-kinds.ts";

/** Returns every day of an account, and one more: the clocks of two machines may differ at midnight. */
const daysOf = ({ created_at: createdAt }: DataOwner, now: number): Date[] => {
  const first = Date.parse(createdAt.slice(0, 10));
  const days = Math.floor((now - first) / dayMilliseconds) + 2;
  return Array.from({ length: days }, (_, index) => new Date(first + index * dayMilliseconds));
};

const speech: ObjectKind = {
  id: "speech",
  what: "Speech that was synthesised and stored",
  about: "account",
  folder: speechFolder,
  lasts: { setting: "SPEECH_LIFETIME_DAYS" },
  erased: {
    by: "folder",
    of: (owner) => daysOf(owner, Date.now()).map((day) => speechFolderOf(owner.id, day)),
  },
  exported: { folder: "speech/" },
};

/** How long a queue retains what no worker could handle. */
export const deadLetterDays = 14;

const queued = {
  about: "account",
  elsewhere: "queue",
  lasts: { seconds: deadLetterDays * daySeconds },
  exported: { never: "It repeats what is stored elsewhere, for the seconds until it is handled." },
} as const;

const passing = {
  by: "none",
  why: "It is handled within seconds; only what fails for good stays, until it expires.",
} as const;

const others: readonly OtherKind[] = [
  {
    ...queued,
    id: "mail queue",
    what: "Mails that are about to be sent: the number of the account, or the address, and the kind of mail",
    erased: passing,
  },
  {
    ...queued,
    id: "job queue",
    what: "The next steps of jobs: the numbers of account and job",
    erased: passing,
  },
  {
    ...queued,
    id: "callback queue",
    what: "Callbacks that are about to be sent: their address, and the job without its transcript",
    erased: passing,
  },
  {
    ...queued,
    id: "export queue",
    what: "Exports that are about to be prepared: the number of the account",
    erased: passing,
  },
  {
    ...queued,
    id: "message queue",
    about: "person",
    what: "Messages to the WhatsApp assistant that wait for a reply",
    erased: passing,
  },
  {
    id: "logs",
    what: "A line for each request: its time, operation, status and ID, and the number of the account; never texts, audio, passwords or keys",
    about: "account",
    elsewhere: "logs",
    lasts: { setting: "LOG_RETENTION_DAYS" },
    erased: { by: "none", why: "Logs name accounts by their number only, and expire." },
    exported: { never: "usage.csv counts the same requests." },
  },
  {
    id: "access log",
    what: "A line of API Gateway for each request: its time, route, status and ID, the number of the account, and the internet address",
    about: "account",
    elsewhere: "logs",
    lasts: { setting: "LOG_RETENTION_DAYS" },
    erased: {
      by: "none",
      why: "It shows who attacks the service, names accounts by their number only, and expires.",
    },
    exported: { never: "usage.csv counts the same requests." },
  },
  {
    id: "storage access logs",
    what: "A line for each download and upload of a file: its time, name and internet address",
    about: "account",
    elsewhere: "logs",
    lasts: { seconds: 90 * daySeconds },
    erased: { by: "none", why: "They expire." },
    exported: { never: "They name files only, which the export contains." },
  },
  {
    id: "backups",
    what: "Backups of the table, to restore it after a mistake",
    about: "account",
    elsewhere: "backups",
    lasts: { seconds: 35 * daySeconds },
    erased: { by: "none", why: "They cannot be changed, and expire." },
    exported: { never: "They repeat what is in the table." },
  },
];

/**
 * Everything that the service stores. The deletion of accounts, their export, permissions, life cycle rules, the table of
 * `/privacy` and of the handbook read this list, and tests compare it with what is stored.
 */
export const storedKinds: StoredKinds = {
  items: [
    ...accountKinds,
    ...operatorKinds,
    ...sessionKinds,
    ...exportKinds,
    ...limitKinds,
    ...idempotencyKinds,
    ...jobKinds,
    ...callbackKinds,
    ...uploadKinds,
    ...transcriptionKinds,
    ...messagingKinds,
    ...modelKinds,
    ...noticeKinds,
    ...requestKinds,
    ...statusKinds,
    ...tierKinds,
  ],
  objects: [uploadFiles, responseObjects, jobFiles, transcriptionFiles, exportFiles, speech, erasureList],
  others,
};
