import * as z from "zod";
import type { AudioFacts } from "../../audio/reading/container.ts";
import { documentFormats, translatedName } from "../../documents/document-formats.ts";
import { untranslatedSegment } from "../../documents/segments/untranslated-segment.ts";
import { inboundMessage } from "../../messaging/inbound-message.ts";
import { daySeconds } from "../../platform/durations.ts";
import { callbackState } from "../callbacks/deliveries.ts";

/** How long a job and its result are stored. */
export const jobLifetimeDays = 30;

/** The expiry of a job that is created at this time, in Unix seconds. */
export const jobExpiry = (milliseconds: number): number =>
  Math.floor(milliseconds / 1_000) + jobLifetimeDays * daySeconds;

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
  timestamps: z.boolean(),
  /** The voice note to reply to, for a job of the messaging assistant. */
  reply_to: inboundMessage.omit({ content: true }).optional(),
  facts: audioFacts,
  audio_milliseconds: z.int(),
  done_milliseconds: z.int().default(0),
  /** Longer parts of the recording took the model too long; pieces that are longer are transcribed in parts. */
  max_part_seconds: z.number().optional(),
});
export type StoredTranscription = z.output<typeof transcriptionItem>;

const translationItem = jobItem.extend({
  type: z.literal("translation"),
  /** `undefined` leaves it to the model. */
  source_language: z.string().optional(),
  target_language: z.string(),
  format: z.enum(documentFormats),
  /** The columns of a table to translate; by default those that hold words. */
  columns: z.array(z.string()).optional(),
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

const commonFields = {
  id: z.uuid().meta({ example: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69", description: "The id of the job" }),
  status: z.enum(jobStatuses).meta({
    example: "running",
    description:
      "`queued`, then `running`, and finally `completed` or `failed`. Only a callback can show `cancelled`",
  }),
  file_id: z.string().meta({
    example: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
    description: "The upload that is worked on",
  }),
  created_at: z.iso.datetime().describe("When the job was created"),
  started_at: z.iso
    .datetime()
    .nullable()
    .meta({ example: "2026-11-22T09:30:04.000Z", description: "When work on it started; null before" }),
  ended_at: z.iso
    .datetime()
    .nullable()
    .meta({ example: null, description: "When it was completed, failed or was cancelled; null before" }),
  expires_at: z.iso
    .datetime()
    .meta({ example: "2026-12-22T09:30:00.000Z", description: "When the job and its result are deleted" }),
  waiting: z.string().nullable().meta({
    description: "Why the job is waiting, for example because the model cannot be reached",
    example: null,
  }),
  error: z
    .object({
      code: z.string().meta({ example: "external_service_error", description: "For programs" }),
      message: z.string().describe("A sentence for people"),
    })
    .nullable()
    .meta({ description: "Why the job failed", example: null }),
  callback_url: z.string().nullable().meta({
    example: "https://example.org/language-ai",
    description: "The URL to call when the job ends; null without one",
  }),
};

const transcriptionFields = {
  type: z.literal("transcription").describe("What the job does"),
  ...commonFields,
  language: z.string().meta({ example: "lug", description: "The language of the recording; ISO 639-3" }),
  timestamps: z.boolean().meta({ example: false, description: "Whether the JSON result has `segments`" }),
  progress: z
    .object({
      done: z.number().meta({ example: 1_120, description: "Seconds of the recording that are transcribed" }),
      total: z.number().meta({ example: 10_800, description: "The length of the recording in seconds" }),
    })
    .meta({ description: "In seconds of the recording" }),
};

const translationFields = {
  type: z.literal("translation").describe("What the job does"),
  ...commonFields,
  file_name: z
    .string()
    .meta({ example: "leaflet.lug.docx", description: "The name of the translated document" }),
  source_language: z.string().nullable().meta({
    example: "eng",
    description: "The code of the source language; null when the model infers it",
  }),
  target_language: z.string().meta({ example: "lug", description: "The code of the target language" }),
  format: z.enum(documentFormats).meta({ example: "docx", description: "The format of the document" }),
  progress: z
    .object({
      done: z.int().meta({ example: 12_400, description: "Characters that are translated" }),
      total: z.int().meta({ example: 48_000, description: "Characters to translate" }),
    })
    .meta({ description: "In characters, without markup. Repeated passages count once" }),
  segments_kept: z.array(untranslatedSegment).meta({
    example: [],
    description: "The segments that stayed in their own language, and why; at most the first 500",
  }),
  segments_kept_count: z
    .int()
    .meta({ example: 0, description: "How many segments stayed in their own language" }),
};

const asJob = <Details extends z.ZodRawShape>(details: Details) =>
  z.discriminatedUnion("type", [
    z.object({ ...transcriptionFields, ...details }),
    z.object({ ...translationFields, ...details }),
  ]);

/** A job as its owner sees it. */
export const job = asJob({}).meta({ id: "Job" });
export type Job = z.infer<typeof job>;

/** A new job. */
export const createdJob = asJob({
  estimate: z
    .object({
      characters: z
        .int()
        .meta({ example: 48_000, description: "What the job counts on the month's characters" }),
      seconds: z.int().meta({ example: 240, description: "How long it may take" }),
    })
    .optional()
    .meta({ description: "For translations" }),
}).meta({ id: "CreatedJob" });
export type CreatedJob = z.infer<typeof createdJob>;

/** A job with the state of its callback. */
export const jobDetails = asJob({
  callback: callbackState.nullable().meta({
    description:
      "The callback's deliveries, which are retried for over a day; null for jobs without a callback",
  }),
}).meta({ id: "JobDetails" });
export type JobDetails = z.infer<typeof jobDetails>;

const seconds = (milliseconds: number): number => milliseconds / 1_000;

const transcriptionView = (stored: StoredTranscription) => ({
  type: stored.type,
  language: stored.language,
  timestamps: stored.timestamps,
  progress: {
    done: seconds(stored.status === "completed" ? stored.audio_milliseconds : stored.done_milliseconds),
    total: seconds(stored.audio_milliseconds),
  },
});

/** The name of an upload's file. */
const fileNameOf = (objectKey: string): string => objectKey.slice(objectKey.lastIndexOf("/") + 1);

/** Returns the name of a translated document: `leaflet.lug.docx`. */
export const translatedFileName = ({
  object_key: key,
  target_language: language,
  format,
}: StoredTranslation) => translatedName(fileNameOf(key), language, format);

const translationView = (stored: StoredTranslation) => ({
  type: stored.type,
  file_name: translatedFileName(stored),
  source_language: stored.source_language ?? null,
  target_language: stored.target_language,
  format: stored.format,
  progress: { done: stored.done_characters, total: stored.characters },
  segments_kept: stored.untranslated ?? [],
  segments_kept_count: stored.untranslated_count ?? 0,
});

/** Converts a stored job into the job that its owner sees. */
export const toJob = (stored: StoredJob): Job => ({
  ...(stored.type === "translation" ? translationView(stored) : transcriptionView(stored)),
  id: stored.id,
  status: stored.status,
  file_id: stored.file_id,
  created_at: stored.created_at,
  started_at: stored.started_at ?? null,
  ended_at: stored.ended_at ?? null,
  expires_at: new Date(stored.expires_at * 1_000).toISOString(),
  waiting: isOver(stored) ? null : (stored.waiting ?? null),
  error: stored.error ?? null,
  callback_url: stored.callback_url ?? null,
});
