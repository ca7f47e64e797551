import * as z from "zod";
import { defineFunction } from "../../shared/http/function-definition.ts";
import { defineOperation } from "../../shared/http/operation.ts";
import {
  languageField,
  languageForms,
  transcriptionLanguages,
} from "../../shared/platform/catalogue/languages.ts";
import {
  accountLimitEnvironment,
  bucketEnvironment,
  callbackRulesEnvironment,
  jobQueueEnvironment,
  publicAddressEnvironment,
  tableEnvironment,
} from "../../shared/platform/config/environment.ts";
import { text } from "../../shared/platform/validation/fields.ts";
import { maxCallbackUrlLength } from "../../shared/recordings/callbacks/callback-url.ts";
import { job, jobDetails, jobLifetimeDays } from "../../shared/recordings/jobs/job.ts";
import { jobResult, resultFormats } from "../../shared/recordings/jobs/job-result.ts";

const common = { tag: "Jobs", auth: "user", scope: "jobs" } as const;

export const jobRequest = z
  .object({
    type: z.literal("transcription"),
    file_id: z.guid().meta({
      override: { type: "string", format: "uuid" },
      example: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
      description:
        "A recording of up to 500 MB that was uploaded through `POST /tasks/generate-upload-url` with its `size`, or in parts through " +
        "`POST /tasks/uploads`",
    }),
    language: languageField(transcriptionLanguages.map(({ code }) => code)).meta({
      override: { type: "string" },
      example: "lug",
      description: `${languageForms}; one of the 51 of \`TranscriptionLanguage\``,
    }),
    timestamps: z.boolean().default(false).meta({ description: "Whether the result as JSON has `segments`" }),
    callback_url: text().max(maxCallbackUrlLength).nullish().meta({
      example: "https://example.org/language-ai",
      description: "Where the end of the job is told, as Standard Webhooks have it",
    }),
  })
  .meta({ id: "JobRequest" });
export type JobRequest = z.output<typeof jobRequest>;

export const createJobOperation = defineOperation({
  ...common,
  id: "createJob",
  method: "POST",
  path: "/tasks/jobs",
  summary: "Have a long recording transcribed, and ask for the result later",
  description:
    "The recording is cut into pieces of some minutes, which are transcribed side by side; a model that cannot be reached is " +
    `waited for. \`Location\` says where the job is told about. Job and result are kept for ${jobLifetimeDays} days. ` +
    "An account may have 3 hours of recordings transcribed in a month, with Premium 100; what is not transcribed in the end, " +
    "because a job fails or is cancelled, is given back.",
  body: { encoding: "json", schema: jobRequest },
  response: { status: 202, description: "The job, which has been taken on", schema: job },
  errors: ["not_found", "unreadable_audio", "payload_too_large", "storage_unavailable"],
});

const pathParameters = z.object({
  id: z.string().max(100).meta({ example: "019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69" }),
});

/** How many jobs a page may have. */
const maxListed = 100;

export const listJobsOperation = defineOperation({
  ...common,
  id: "listJobs",
  method: "GET",
  path: "/tasks/jobs",
  summary: "The caller's jobs, the newest first",
  limit: "account",
  query: z.object({
    limit: z.coerce
      .number()
      .pipe(z.int().min(1).max(maxListed))
      .default(20)
      .meta({
        override: { type: "integer", minimum: 1, maximum: maxListed, default: 20 },
        description: "How many at most",
      }),
    cursor: z.string().max(200).optional().meta({
      description: "`next_cursor` of the page before",
    }),
  }),
  response: {
    status: 200,
    description: "A page of jobs",
    schema: z
      .object({
        jobs: z.array(job),
        next_cursor: z.string().nullable().meta({ description: "Of the next page; null on the last one" }),
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
  summary: "How far a job is",
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
  summary: "What a job has transcribed",
  limit: "account",
  pathParameters,
  query: z.object({
    format: z.enum(resultFormats).default("json").meta({
      description: "`text`: the words alone; `srt` and `vtt`: subtitles",
    }),
    partial: z.enum(["true", "false"]).default("false").meta({
      description:
        "`true`: what is transcribed so far, also of a job that has failed; what lies between the pieces is missing then",
    }),
  }),
  response: {
    status: 200,
    description: "The transcript",
    schema: jobResult,
    otherContentTypes: ["text/plain", "application/x-subrip", "text/vtt"],
  },
  example: {
    otherResponses: {
      "text/plain": "Wasuze otya nno?\n",
      "application/x-subrip": "1\n00:00:00,480 --> 00:00:02,160\nWasuze otya nno?\n\n",
      "text/vtt": "WEBVTT\n\n00:00:00.480 --> 00:00:02.160\nWasuze otya nno?\n\n",
    },
  },
  errors: ["not_found", "job_not_completed", "storage_unavailable"],
});

export const deleteJobOperation = defineOperation({
  ...common,
  id: "deleteJob",
  method: "DELETE",
  path: "/tasks/jobs/{id}",
  summary: "Cancel a job, and delete it with its result",
  description:
    "What is under way ends within seconds. What was not transcribed is given back to the account's month. A job that is cancelled " +
    "so calls back as well.",
  limit: "account",
  pathParameters,
  response: { status: 204, description: "The job is deleted", schema: z.null() },
  errors: ["not_found"],
});

export const jobsFunction = defineFunction({
  name: "jobs",
  description: "Jobs: long recordings that are transcribed piece by piece",
  operations: [
    createJobOperation,
    listJobsOperation,
    getJobOperation,
    getJobResultOperation,
    deleteJobOperation,
  ],
  environment: {
    ...tableEnvironment,
    ...accountLimitEnvironment,
    ...bucketEnvironment,
    ...jobQueueEnvironment,
    ...publicAddressEnvironment,
    ...callbackRulesEnvironment,
  },
  memoryMegabytes: 512,
  // Some containers tell their length only to who reads all of them.
  timeoutSeconds: 120,
  transfer: "stream",
});
