import * as z from "zod";
import type { AudioFacts } from "../../audio/reading/container.ts";
import { documentFormats, translatedName } from "../../documents/document-formats.ts";
import { untranslatedSegment } from "../../documents/segments/untranslated-segment.ts";
import { inboundMessage } from "../../messaging/inbound-message.ts";
import { daySeconds } from "../../platform/durations.ts";
import { jobStage, transcriptTarget } from "./target.ts";

/** How long a job and its result are stored. */
export const jobLifetimeDays = 30;

/** The expiry of a job that is created at this time, in Unix seconds. */
export const jobExpiry = (milliseconds: number): number =>
  Math.floor(milliseconds / 1_000) + jobLifetimeDays * daySeconds;

/** The code of ISO 639 for the language of a recording that is not determined yet, and of silence. */
export const undeterminedLanguage = "und";

export const jobStatuses = ["queued", "running", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const isOver = ({ status }: { readonly status: JobStatus }): boolean =>
  status !== "queued" && status !== "running";

/** The stored form of `AudioFacts`. */
const audioFacts = z
  .object({
    container: z.enum(["wav", "mp3", "adts", "ogg", "mp4", "webm", "flac"]),
    mediaType: z.string(),
    fileExtension: z.string(),
    codec: z.string(),
    durationSeconds: z.number(),
    sampleRate: z.number().optional(),
    channels: z.number().optional(),
    hasWrongTimes: z.boolean().optional(),
  })
  .transform(
    ({ sampleRate, channels, hasWrongTimes, ...facts }): AudioFacts => ({
      ...facts,
      ...(hasWrongTimes ? { hasWrongTimes } : {}),
      ...(sampleRate === undefined ? {} : { sampleRate }),
      ...(channels === undefined ? {} : { channels }),
    }),
  );

/** What all jobs have. */
const jobItem = z.object({
  id: z.string(),
  user_id: z.int(),
  status: z.enum(jobStatuses),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().optional(),
  ended_at: z.iso.datetime().optional(),
  file_id: z.string(),
  callback_url: z.string().optional(),
  /** The upload when its job was created. The worker reads the copy in the job's folder. */
  object_key: z.string(),
  object_version: z.string(),
  /** The day, counted from 1970, and the account's key on which the work is counted. */
  day: z.int(),
  key_id: z.string().optional(),
  /** How often planning has started. */
  plannings: z.int().default(0),
  /** How often an operator has queued it again after it failed. */
  retries: z.int().default(0),
  /** How many pieces there are, once the job is planned. */
  pieces: z.int().optional(),
  /** How many pieces a slot has taken, finished ones included. */
  taken: z.int().default(0),
  /** The indexes of the finished pieces. */
  done: z.set(z.number()).default(new Set()),
  /** Why the job is waiting, for the caller. */
  waiting: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  /** The callback or the assistant's message about the end has been queued. */
  is_settled: z.boolean().default(false),
  /** Its owner has deleted it: callers no longer see it, and the worker will remove it. */
  is_deleted: z.boolean().default(false),
  /** Unix seconds. */
  expires_at: z.int(),
});

/** A stored job that transcribes. */
export const transcriptionItem = jobItem.extend({
  /** Earlier versions stored none. */
  type: z.literal("transcription").default("transcription"),
  /** A stage may no longer have the language of an earlier job. */
  language: z.string(),
  /** The languages that it may be in, when the request names none; `language` is undetermined until the transcript is assembled. */
  languages: z.array(z.string()).optional(),
  timestamps: z.boolean(),
  /** Whether its segments have speakers. */
  speakers: z.boolean().default(false),
  /** Names and terms in it, in the order of their use. */
  keywords: z.array(z.string()).optional(),
  /** What its owner calls the speakers, by their labels. */
  speaker_names: z.record(z.string(), z.string()).default({}),
  /** The voice note to reply to, for a job of the messaging assistant. */
  reply_to: inboundMessage.omit({ content: true }).optional(),
  facts: audioFacts,
  audio_milliseconds: z.int(),
  done_milliseconds: z.int().default(0),
  /** How far the parts of its first piece are; the piece counts as done with its last part. */
  started_milliseconds: z.int().default(0),
  /** What the transcript is translated into. */
  targets: z.array(transcriptTarget).default([]),
  /** The work on the targets so far, once the transcript is assembled. */
  stages: z.array(jobStage).default([]),
  /** The results of this many stages can be read. */
  assembled_stages: z.int().default(0),
  /** How often targets were added to the completed job. */
  extensions: z.int().default(0),
  /** The characters that are counted for the targets of the last request, and those of them that are translated. */
  characters: z.int().default(0),
  done_characters: z.int().default(0),
  /** The day on which they are counted; by default the job's own. */
  characters_day: z.int().optional(),
  /** Longer parts of the recording took the model too long; pieces that are longer are transcribed in parts. */
  max_part_seconds: z.number().optional(),
});
export type StoredTranscription = z.output<typeof transcriptionItem>;

/** A stored job that translates. */
export const translationItem = jobItem.extend({
  type: z.literal("translation"),
  /** `undefined` leaves it to the model. */
  source_language: z.string().optional(),
  /** The language that the document shows, when the request does not name it. Models do not get it. */
  detected_language: z.string().optional(),
  target_language: z.string(),
  format: z.enum(documentFormats),
  /** The columns of a table to translate; by default those that hold words. */
  columns: z.array(z.string()).optional(),
  /** Whether the first row of a table has the names of its columns; by default that follows from what it contains. */
  header: z.boolean().optional(),
  /** Whether translations that the document has are replaced. */
  retranslate: z.boolean().optional(),
  /** Whether entries that were fuzzy still say so; by default they do. */
  keep_fuzzy: z.boolean().optional(),
  /** The code points to translate, each distinct passage once. */
  characters: z.int(),
  /** Those that are translated. */
  done_characters: z.int().default(0),
  /** The segments that stayed in their own language, once the job is completed: the first ones, and how many there are. */
  untranslated: z.array(untranslatedSegment).optional(),
  untranslated_count: z.int().optional(),
});
export type StoredTranslation = z.output<typeof translationItem>;

export const storedJob = z.union([translationItem, transcriptionItem]);
export type StoredJob = z.output<typeof storedJob>;

/** How often a job has ended before its present run: it runs again when targets are added, or an operator queues it again. */
export const earlierEndsOf = (job: StoredJob): number =>
  job.retries + (job.type === "transcription" ? job.extensions : 0);

/** Whether the whole transcript of a recording can be read. */
export const hasTranscript = ({
  status,
  stages,
  extensions,
}: Pick<StoredTranscription, "extensions" | "stages" | "status">): boolean =>
  status === "completed" || stages.length > 0 || extensions > 0;

/** Returns the name of the file that a job works on. */
export const fileNameOf = ({ object_key: key }: Pick<StoredJob, "object_key">): string =>
  key.slice(key.lastIndexOf("/") + 1);

/** Returns the name of a translated document: `leaflet.lug.docx`. */
export const translatedFileName = (stored: StoredTranslation): string =>
  translatedName(fileNameOf(stored), stored.target_language, stored.format);
