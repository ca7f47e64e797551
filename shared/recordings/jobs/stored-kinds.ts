import { daySeconds } from "../../platform/durations.ts";
import { jobsFolder, jobsFolderOf } from "../../platform/storage/object-store.ts";
import {
  type DataOwner,
  type ItemKind,
  type ObjectKind,
  onlyAttributes,
} from "../../platform/storage/stored-kinds.ts";
import { jobLifetimeDays } from "./job.ts";
import { assistantJobKeyPrefix, jobKeyPrefix, jobKeys } from "./keys.ts";

const lasts = { seconds: jobLifetimeDays * daySeconds } as const;
const erased = {
  by: "partition",
  of: ({ id }: DataOwner) => [jobKeys.ofAccount(id)],
  first: true,
} as const;

/** J1 to J6 of this folder's README. */
export const jobKinds: readonly ItemKind[] = [
  {
    id: "J1",
    what: "A job: its status, its choices, the names of its file and of the people who speak, names and terms in its recording, and the address of its callback",
    about: "account",
    keys: [jobKeyPrefix, "JOB#"],
    lasts,
    erased: {
      ...erased,
      leadsTo: ({ SK }) => {
        const name = { jobId: SK.slice(jobKeys.jobs.length) };
        return [jobKeys.open(name), jobKeys.failed(name)];
      },
    },
    exported: {
      file: "jobs.json",
      row: onlyAttributes(
        ...["id", "type", "status", "created_at", "started_at", "ended_at", "language", "languages"],
        ...[
          "source_language",
          "detected_language",
          "target_language",
          "format",
          "characters",
          "audio_milliseconds",
          "speaker_names",
          "keywords",
          "file_id",
          "callback_url",
          "error",
        ],
      ),
    },
  },
  {
    id: "J2",
    what: "That a job is waiting",
    about: "account",
    keys: [jobKeyPrefix, "WAITING#"],
    lasts,
    erased,
    exported: { never: "It repeats what jobs.json contains." },
  },
  {
    id: "J3",
    what: "The part of a job that is in progress",
    about: "account",
    keys: [jobKeyPrefix, "PLACE#"],
    lasts,
    erased,
    exported: { never: "It repeats what jobs.json contains." },
  },
  {
    id: "J1 of the assistant",
    what: "A job for a long voice note to the WhatsApp assistant",
    about: "person",
    keys: [assistantJobKeyPrefix, ""],
    lasts,
    erased: {
      by: "none",
      why: "A phone number is no account. An operator deletes it on request.",
    },
    exported: { never: "A phone number is no account." },
  },
  {
    id: "J5, J6",
    what: "That a job has not ended, or has failed, so that operators see it",
    about: "account",
    keys: [`${jobKeyPrefix}OPEN`, "JOB#"],
    lasts,
    erased: { by: "leader", leader: "J1" },
    exported: { never: "It repeats what jobs.json contains." },
  },
  {
    id: "J4",
    what: "How fast jobs of all accounts were done in an hour",
    about: "service",
    keys: [`${jobKeyPrefix}SPEED`, "HOUR#"],
    lasts,
    erased: { by: "none", why: "It is about no one." },
    exported: { never: "It is about no one." },
  },
];

/** Recordings, documents and results of jobs. */
export const jobFiles: ObjectKind = {
  id: "jobs",
  what: "The recordings and documents of jobs, until they are completed, and the transcripts and translations",
  about: "account",
  folder: jobsFolder,
  lasts,
  erased: { by: "folder", of: ({ id }) => [jobsFolderOf(id)] },
  // Plans and pieces are steps on the way to the result.
  exported: { folder: "jobs/", includes: (name) => !/\/(?:plan\.json|pieces\/.*|parts\/.*)$/.test(name) },
};
