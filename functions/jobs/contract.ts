import * as z from "zod";
import { defineOperation } from "../../shared/http/operation.ts";
import { jobLifetimeDays } from "../../shared/recordings/jobs/job.ts";
import { jobResult, resultFormats } from "../../shared/recordings/jobs/job-result.ts";
import { createdJob, job, jobDetails } from "../../shared/recordings/jobs/job-view.ts";
import { maxTargets } from "../../shared/recordings/jobs/target.ts";
import { jobRequest, transcriptTargets } from "./job-requests.ts";

const common = { tag: "Jobs", auth: "user", scope: "jobs" } as const;

export const createJobOperation = defineOperation({
  ...common,
  id: "createJob",
  method: "POST",
  path: "/tasks/jobs",
  summary: "Create a job: transcribe a recording, or translate a document",
  description:
    "**Recordings.** For long ones. The recording is cut into pieces of a few minutes, which are transcribed in parallel. If the model cannot " +
    "be reached, the job waits for it. `Location` is the URL of the job. The job and its result are available for " +
    `${jobLifetimeDays} days. Each month an account can transcribe 3 hours of recordings this way, or 100 with Premium. Audio that ` +
    "was not transcribed, because the job failed or was cancelled, is refunded. A job that cannot be completed within a day is refused " +
    "with 429 `queue_full`; `error.estimated_seconds` is how long it would take.\n\n" +
    "**Targets of recordings.** With `targets`, the transcript is translated by segments, which keep their times, and spoken where a target " +
    "is `audio`. `estimate.characters` is the most that this counts on the account's month; what the transcript does not have is refunded at " +
    "the end. The transcript can be read as soon as `has_transcript` is true.\n\n" +
    "**Documents.** The result is a document of the same format: plain text, Markdown, HTML, SubRip and WebVTT, PO, XLIFF 1.2 and 2.0, " +
    "JSON of an app's texts, CSV or DOCX. Only the words change: markup, times, keys, comments and unknown parts stay byte by byte. " +
    "Its characters count on the account's month; those that were not translated are refunded.",
  body: { encoding: "json", schema: jobRequest },
  response: { status: 202, description: "The job", schema: createdJob, headers: ["Location"] },
  errors: [
    "not_found",
    "language_required",
    "unreadable_audio",
    "unreadable_document",
    "unsupported_language",
    "unsupported_parameter",
    "same_language",
    "no_speaker_for_language",
    "payload_too_large",
    "file_too_large",
    "queue_full",
    "storage_unavailable",
  ],
});

const pathParameters = z.object({
  id: z
    .string()
    .max(100)
    .meta({ example: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69", description: "The id of the job" }),
});

const maxListed = 100;

export const listJobsOperation = defineOperation({
  ...common,
  id: "listJobs",
  method: "GET",
  path: "/tasks/jobs",
  summary: "List your jobs, newest first",
  limit: "account",
  query: z.object({
    limit: z.coerce
      .number()
      .pipe(z.int().min(1).max(maxListed))
      .default(20)
      .meta({
        override: { type: "integer", minimum: 1, maximum: maxListed, default: 20 },
        description: "The maximum number of jobs in the response",
      }),
    cursor: z.string().max(200).optional().meta({ description: "`next_cursor` of the previous page" }),
  }),
  response: {
    status: 200,
    description: "A page of jobs",
    schema: z
      .object({
        jobs: z.array(job).describe("The jobs of this page, newest first"),
        next_cursor: z
          .string()
          .nullable()
          .meta({ description: "The `cursor` of the next page; null on the last" }),
      })
      .meta({ id: "JobList" }),
  },
  errors: [],
});

export const getJobOperation = defineOperation({
  ...common,
  id: "getJob",
  method: "GET",
  path: "/tasks/jobs/{id}",
  summary: "Get a job and its progress",
  limit: "account",
  pathParameters,
  response: { status: 200, description: "The job", schema: jobDetails },
  errors: ["not_found"],
});

export const getJobResultOperation = defineOperation({
  ...common,
  id: "getJobResult",
  method: "GET",
  path: "/tasks/jobs/{id}/result",
  summary: "Get the result of a job",
  description:
    "The transcript of a recording in the requested format, one of its translations, or the translated document.",
  limit: "account",
  pathParameters,
  query: z.object({
    language: z.string().max(100).optional().meta({
      description: "Of a recording: the language of one of its targets. By default the transcript itself",
    }),
    format: z
      .enum([...resultFormats, "audio"])
      .optional()
      .meta({
        description:
          "Of a transcript, by default `json`. `text` is plain text; `srt` and `vtt` are subtitles; `audio`, for a language with this target, is " +
          "Ogg Opus. A document has the format of its source",
      }),
    partial: z
      .enum(["true", "false"])
      .default("false")
      .meta({
        description:
          "`true` returns what has been done so far, even if the job has failed. Pieces of a recording that are not done are missing; those " +
          "of a document are in its own language",
      }),
  }),
  response: {
    status: 200,
    description: "The transcript or the document",
    schema: jobResult,
    otherContentTypes: [
      "text/plain",
      "application/x-subrip",
      "text/vtt",
      "text/markdown",
      "text/html",
      "text/x-gettext-translation",
      "application/xliff+xml",
      "text/csv",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "audio/ogg",
    ],
    headers: ["Content-Disposition"],
  },
  example: {
    otherResponses: {
      "text/plain": "Wasuze otya nno?\n",
      "application/x-subrip": "1\n00:00:00,480 --> 00:00:02,160\nWasuze otya nno?\n\n",
      "text/vtt": "WEBVTT\n\n00:00:00.480 --> 00:00:02.160\nWasuze otya nno?\n\n",
      "text/markdown": "# Webale\n",
      "text/x-gettext-translation": 'msgid "Thank you"\nmsgstr "Webale"\n',
      "application/xliff+xml": '<xliff version="1.2">…</xliff>',
      "text/csv": "id,text\n1,Webale\n",
    },
  },
  errors: ["bad_request", "not_found", "job_not_completed", "storage_unavailable"],
});

export const addTargetsOperation = defineOperation({
  ...common,
  id: "addTargets",
  method: "POST",
  path: "/tasks/jobs/{id}/targets",
  summary: "Translate a completed recording",
  description:
    "Adds targets to a completed transcription, which runs again and calls back again at the end. Its transcript and the targets that it " +
    `has already can still be read. A recording has at most ${maxTargets} targets; those that it has already change nothing.`,
  pathParameters,
  body: {
    encoding: "json",
    schema: z
      .object({
        targets: transcriptTargets.meta({
          example: [{ language: "eng", format: "srt" }],
          description: "What the transcript is translated into",
        }),
      })
      .meta({ id: "TargetsRequest" }),
  },
  response: { status: 202, description: "The job", schema: createdJob },
  errors: [
    "bad_request",
    "not_found",
    "job_not_completed",
    "unsupported_language",
    "same_language",
    "no_speaker_for_language",
    "file_too_large",
    "queue_full",
    "storage_unavailable",
  ],
});

export const deleteJobOperation = defineOperation({
  ...common,
  id: "deleteJob",
  method: "DELETE",
  path: "/tasks/jobs/{id}",
  summary: "Cancel a job and delete its result",
  description:
    "A running job stops within seconds. Audio that was not transcribed is refunded to the account's month. Cancelling a job also " +
    "sends its callback.",
  limit: "account",
  pathParameters,
  response: { status: 204, description: "The job is deleted", schema: z.null() },
  errors: ["not_found"],
});
