import * as z from "zod";
import { documentFormats } from "../../documents/document-formats.ts";
import { untranslatedSegment } from "../../documents/segments/untranslated-segment.ts";
import { detectedSource } from "../../platform/catalogue/languages.ts";
import { callbackState } from "../callbacks/deliveries.ts";
import {
  hasTranscript,
  isOver,
  jobStatuses,
  type StoredJob,
  type StoredTranscription,
  type StoredTranslation,
  translatedFileName,
} from "./job.ts";
import { isReady, nextStage } from "./job-stages.ts";
import { targetFormats } from "./target.ts";

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

const stageNames = { translate: "translating", speak: "speaking" } as const;

const transcriptionFields = {
  type: z.literal("transcription").describe("What the job does"),
  ...commonFields,
  language: z.string().meta({
    example: "lug",
    description: "The language of the recording; ISO 639-3. `und` until it is determined, and for silence",
  }),
  timestamps: z.boolean().meta({ example: false, description: "Whether the JSON result has `segments`" }),
  speakers: z.boolean().optional().meta({ example: false, description: "Whether segments have speakers" }),
  progress: z
    .object({
      done: z.number().meta({ example: 1_120, description: "Seconds of the recording that are transcribed" }),
      total: z.number().meta({ example: 10_800, description: "The length of the recording in seconds" }),
    })
    .meta({ description: "In seconds of the recording" }),
  targets: z
    .array(
      z.object({
        language: z
          .string()
          .meta({ example: "eng", description: "The language of the translation; ISO 639-3" }),
        format: z.enum(targetFormats).meta({ example: "srt", description: "The requested format" }),
        is_ready: z.boolean().meta({ example: false, description: "Whether its result can be read" }),
      }),
    )
    .meta({ description: "What the transcript is translated into", example: [] }),
  has_transcript: z.boolean().meta({
    example: true,
    description: "Whether the transcript is complete; targets may still be in progress",
  }),
  stage: z
    .object({
      name: z
        .enum(["transcribing", "translating", "speaking"])
        .meta({ example: "translating", description: "What is done now" }),
      done: z.int().meta({ example: 3, description: "Pieces of this stage that are done" }),
      total: z.int().meta({ example: 8, description: "All pieces of this stage" }),
    })
    .nullable()
    .meta({ description: "The progress of a running job; otherwise null" }),
};

const translationFields = {
  type: z.literal("translation").describe("What the job does"),
  ...commonFields,
  file_name: z
    .string()
    .meta({ example: "leaflet.lug.docx", description: "The name of the translated document" }),
  source_language: z
    .string()
    .nullable()
    .meta({
      example: "eng",
      description: `The code of the source language. ${detectedSource}`,
    }),
  target_language: z.string().meta({ example: "lug", description: "The code of the target language" }),
  format: z.enum(documentFormats).meta({ example: "docx", description: "The format of the document" }),
  progress: z
    .object({
      done: z.int().meta({ example: 12_400, description: "Characters that are translated" }),
      total: z.int().meta({ example: 48_000, description: "Characters to translate" }),
    })
    .meta({ description: "In characters, without markup. Repeated passages count once" }),
  // Both are always sent. TypeScript refuses clients that openapi-generator makes for unions whose types require more fields.
  segments_kept: z.array(untranslatedSegment).optional().meta({
    example: [],
    description: "The segments that stayed in their own language, and why; at most the first 500",
  }),
  segments_kept_count: z
    .int()
    .optional()
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
    .meta({ description: "For translations, and for recordings with `targets`" }),
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

/** What a running job does, and how many pieces of that are done. */
export const stageView = (
  stored: Pick<
    StoredTranscription,
    "assembled_stages" | "done" | "extensions" | "pieces" | "stages" | "status" | "targets"
  >,
): z.output<typeof transcriptionFields.stage> => {
  const { status, stages, pieces, done } = stored;
  if (status !== "running" || pieces === undefined) return null;
  const isPlanned = stored.extensions === 0 || stored.assembled_stages < stages.length;
  // The pieces of targets that were just added are not planned yet.
  if (!isPlanned) return { name: stageNames[nextStage(stored)?.kind ?? "translate"], done: 0, total: 1 };
  const stage = stages.at(-1);
  const from = stage?.from ?? 0;
  return {
    name: stage ? stageNames[stage.kind] : "transcribing",
    done: [...done].filter((index) => index >= from).length,
    total: pieces - from,
  };
};

const transcriptionView = (stored: StoredTranscription) => ({
  type: stored.type,
  language: stored.language,
  timestamps: stored.timestamps,
  speakers: stored.speakers,
  progress: {
    done: seconds(
      hasTranscript(stored)
        ? stored.audio_milliseconds
        : Math.max(stored.done_milliseconds, stored.started_milliseconds),
    ),
    total: seconds(stored.audio_milliseconds),
  },
  targets: stored.targets.map((target) => ({ ...target, is_ready: isReady(stored, target) })),
  has_transcript: hasTranscript(stored),
  stage: stageView(stored),
});

const translationView = (stored: StoredTranslation) => ({
  type: stored.type,
  file_name: translatedFileName(stored),
  source_language: stored.source_language ?? stored.detected_language ?? null,
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
