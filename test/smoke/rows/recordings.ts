import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import * as jobs from "../../../functions/jobs/contract.ts";
import {
  createTranscriptionOperation,
  detectSpokenLanguageOperation,
} from "../../../functions/transcription/contract.ts";
import * as v1 from "../../../functions/transcription/v1/contract.ts";
import * as uploads from "../../../functions/upload/contract.ts";
import type { JsonResponse } from "../../support/client.ts";
import { formData } from "../../support/multipart.ts";
import { put, recording, recordingFile } from "../recording.ts";
import { type Row, send } from "../row.ts";
import { Created, deleteAtEnd, isDeleted, key } from "../run.ts";
import { lacks } from "../stage.ts";

const file = { file_name: "smoke.wav", content_type: "audio/wav", size: recording.length };

const upload = new Created<string>("upload in parts");
const job = new Created<string>("job");

const pathOfUpload = (rest = "") => `${uploads.beginUploadOperation.path}/${upload.get()}${rest}`;
const pathOfJob = (rest = "") => `${jobs.listJobsOperation.path}/${job.get()}${rest}`;

const finishes = !lacks("transcription");

/** Polls with pauses that grow, within the limits of the account. */
const whenFinished = async (first: JsonResponse): Promise<JsonResponse> => {
  let response = first;
  for (let pause = 500; /queued|running/.test(response.body.status); pause *= 1.5) {
    await sleep(pause);
    response = await send(jobs.getJobOperation, { token: key, path: pathOfJob() });
  }
  return response;
};

/** An upload, and a job that transcribes it. */
export const recordings: readonly Row[] = [
  {
    operation: uploads.beginUploadOperation,
    request: () => ({ token: key, body: file }),
    onSuccess: ({ body }) => {
      upload.set(body.id);
      deleteAtEnd("the upload", () =>
        send(uploads.deleteUploadOperation, { token: key, path: pathOfUpload() }),
      );
    },
  },
  {
    operation: uploads.signPartsOperation,
    request: () => ({ token: key, path: pathOfUpload("/parts"), body: { numbers: [1] } }),
    onSuccess: ({ body }) => put(body.parts[0].upload_url),
  },
  {
    operation: uploads.getUploadOperation,
    request: () => ({ token: key, path: pathOfUpload() }),
    onSuccess: ({ body }) => expect(body).toMatchObject({ status: "uploading", arrived: [1] }),
  },
  {
    operation: uploads.completeUploadOperation,
    request: () => ({ token: key, path: pathOfUpload("/complete"), body: {} }),
    onSuccess: ({ body }) => expect(body).toMatchObject({ file_id: upload.get(), size: recording.length }),
  },
  {
    operation: jobs.createJobOperation,
    request: () => ({
      token: key,
      body: { type: "transcription", file_id: upload.get(), language: "lug" },
    }),
    onSuccess: ({ body }) => {
      job.set(body.id);
      deleteAtEnd("the job", () => send(jobs.deleteJobOperation, { token: key, path: pathOfJob() }));
    },
  },
  {
    operation: jobs.listJobsOperation,
    request: () => ({ token: key }),
    onSuccess: ({ body }) => expect(body.jobs.map(({ id }: { id: string }) => id)).toContain(job.get()),
  },
  {
    operation: jobs.getJobOperation,
    request: () => ({ token: key, path: pathOfJob() }),
    onSuccess: async (response) => {
      if (finishes) expect((await whenFinished(response)).body.status).toBe("completed");
    },
  },
  {
    operation: jobs.getJobResultOperation,
    needs: ["transcription"],
    withoutModel: [409, "job_not_completed"],
    request: () => ({ token: key, path: pathOfJob("/result") }),
  },
  {
    operation: jobs.addTargetsOperation,
    needs: ["transcription"],
    withoutModel: [409, "job_not_completed"],
    request: () => ({
      token: key,
      path: pathOfJob("/targets"),
      body: { targets: [{ language: "eng", format: "srt" }] },
    }),
    onSuccess: ({ body }) => expect(body.targets).toMatchObject([{ language: "eng", format: "srt" }]),
  },
  {
    operation: jobs.deleteJobOperation,
    request: () => ({ token: key, path: pathOfJob() }),
    onSuccess: () => isDeleted("the job"),
  },
  {
    operation: uploads.deleteUploadOperation,
    request: () => ({ token: key, path: pathOfUpload() }),
    onSuccess: () => isDeleted("the upload"),
  },
];

/** Recordings that are sent with the request. */
export const transcription: readonly Row[] = [
  {
    operation: createTranscriptionOperation,
    needs: ["transcription"],
    request: () => ({ token: key, body: formData({ audio: recordingFile(), language: "lug" }) }),
  },
  {
    operation: detectSpokenLanguageOperation,
    needs: ["transcription"],
    request: () => ({ token: key, body: formData({ audio: recordingFile(), languages: ["lug", "eng"] }) }),
  },
  {
    operation: v1.createV1TranscriptionOperation,
    needs: ["transcription"],
    request: () => ({
      token: key,
      body: formData({ file: recordingFile(), model: "stt-51", language: "lug" }),
    }),
  },
  {
    operation: v1.createV1TranslationOperation,
    needs: ["transcription", "translation"],
    request: () => ({
      token: key,
      body: formData({ file: recordingFile(), model: "stt-51", language: "lug" }),
    }),
  },
];
