import { afterAll, beforeAll, describe, it, type TestContext, vi } from "vitest";
import { type JobDependencies, jobEndpoints } from "../../functions/jobs/endpoints.ts";
import { partedUploadEndpoints } from "../../functions/upload/endpoints.ts";
import type { PartsDependencies } from "../../functions/upload/upload-in-parts.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import { bufferSource } from "../../shared/audio/reading/audio-source.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { createS3ObjectParts } from "../../shared/platform/storage/s3-multipart.ts";
import { createCallbackSecrets } from "../../shared/recordings/callbacks/callback-secrets.ts";
import { createDeliveryLog } from "../../shared/recordings/callbacks/deliveries.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository, newJobId } from "../../shared/recordings/jobs/jobs-repository.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import { type Behaviour, resetting, responding, startFakeBackend } from "../support/fake-backend.ts";
import { bucketAt, linkedStoreAt, requestTableAt, tableAt } from "../support/faulty-aws.ts";
import { authorizedCaller, send } from "../support/send.ts";
import { createTestAccount, startTestTable, type TestTable } from "../support/test-table.ts";
import { unsureDetector } from "../support/unsure-detector.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const recording = { ...bufferSource(wavFile(audioBytes(48_000), { stated: true })), version: "one" };
const policyOf = accountPoliciesWith(1);
const fileId = "0b4a6a52-9a7c-4d0b-8d0e-3f1c9f3f3d11";

let intact: TestTable;
let userId: number;
/** A job that waits to be planned, so that it has neither pieces nor a result. */
let jobId: string;
beforeAll(async () => {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  intact = await startTestTable();
  userId = await createTestAccount(intact.open());
  jobId = await addJob();
});
afterAll(async () => {
  await intact.close();
  vi.unstubAllEnvs();
});

const addJob = async (): Promise<string> => {
  const name = { userId, jobId: newJobId(Date.now()) };
  const facts = {
    container: "wav",
    mediaType: "audio/wav",
    fileExtension: "wav",
    codec: "pcm",
    durationSeconds: 60,
  } as const;
  await createJobsRepository(intact.open()).create(
    name,
    {
      file_id: fileId,
      language: "lug",
      timestamps: false,
      object_key: "uploads/council.wav",
      object_version: "one",
      facts,
    },
    policyOf,
  );
  return name.jobId;
};

const upload = () => ({
  objectKey: `uploads/${fileId}/council.wav`,
  contentType: "audio/wav",
  userId,
  size: 6_000_000,
  multipartId: "multipart",
  expiresAt: new Date(Date.now() + 3_600_000),
});

const jobsOver = (failing: Partial<JobDependencies>) => {
  const items = intact.openForRequests();
  return jobEndpoints({
    jobs: createJobsRepository(intact.open()),
    sourceDetector: unsureDetector,
    deliveries: createDeliveryLog(items),
    callbackSecrets: createCallbackSecrets(items),
    callbackRules: { allowLoopback: false },
    detectsLanguages: false,
    distinguishesSpeakers: true,
    queue: { send: async () => undefined, count: async () => 0 },
    speeds: {
      transcription: { read: async () => undefined },
      translation: { read: async () => undefined },
      speech: { read: async () => undefined },
    },
    piecesAtOnce: 2,
    policyOf,
    uploads: { find: async () => upload() },
    store: { open: async () => recording, delete: async () => undefined, copy: async () => undefined },
    ...failing,
  });
};

const uploadsOver = (failing: Partial<PartsDependencies>) =>
  partedUploadEndpoints({
    uploads: {
      addParted: async () => upload().expiresAt,
      findParted: async () => upload(),
      remove: async () => undefined,
    },
    store: {
      describe: async () => ({ size: 6_000_000, contentType: "audio/wav" }),
      delete: async () => undefined,
      signPart: async () => ({ url: "https://storage.example.com", expiresAt: new Date() }),
    },
    parts: {
      begin: async () => "multipart",
      list: async () => [],
      complete: async () => true,
      abort: async () => undefined,
    },
    ...failing,
  });

const newJob = { path: "/tasks/jobs", body: { type: "transcription", file_id: fileId, language: "lug" } };
const newJobWithCallback = {
  ...newJob,
  body: { ...newJob.body, callback_url: "https://example.org/transcripts" },
};
const ofJob = (rest = "", method = "GET") => ({
  method,
  path: `/tasks/jobs/{id}${rest}`,
  pathParameters: { id: jobId },
});
const newUpload = {
  path: "/tasks/uploads",
  body: { file_name: "council.wav", content_type: "audio/wav", size: 6_000_000 },
};
const ofUpload = (method: string, rest = "", body?: object) => ({
  method,
  path: `/tasks/uploads/{id}${rest}`,
  pathParameters: { id: fileId },
  ...(body ? { body } : {}),
});

type Request = Parameters<typeof send>[1];
const asCaller = (request: Request): Request => ({
  ...request,
  authorizer: { ...authorizedCaller, userId: String(userId) },
});
const askJobs = (failing: Partial<JobDependencies>, request: Request) =>
  send(jobsOver(failing), asCaller(request));
const askUploads = (failing: Partial<PartsDependencies>, request: Request) =>
  send(uploadsOver(failing), asCaller(request));

const awsError = (status: number, type: string) => responding(status, { __type: type, message: "no" });

const faults = [
  ["is throttled", awsError(400, "ProvisionedThroughputExceededException")],
  ["answers 500", awsError(500, "InternalServerError")],
  ["answers 503", responding(503, "<html>no</html>")],
  ["breaks connections", resetting],
  ["is not there", undefined],
] as const satisfies readonly (readonly [string, Behaviour | undefined])[];

/** Where the service of AWS is that fails. */
const startAws = async ({ onTestFinished }: TestContext, behaviour: Behaviour | undefined) => {
  const server = await startFakeBackend();
  if (behaviour === undefined) await server.close();
  else {
    server.behave(behaviour);
    onTestFinished(() => server.close());
  }
  return server.baseUrl;
};

const eachWith = <Requested extends object>(requested: Requested) =>
  faults.flatMap(([fault, behaviour]) =>
    Object.entries(requested).map(([request, ask]) => ({ fault, behaviour, request, ask })),
  );

const inTable = (address: string) => ({ jobs: createJobsRepository(tableAt(address)) });
const uploadsInTable = (address: string) => ({ uploads: createUploadsRepository(requestTableAt(address)) });

describe.concurrent("when the table", () => {
  const requests = {
    "a job, whose upload is not found": (at: string) => askJobs(uploadsInTable(at), newJob),
    "a job, which is not written": (at: string) => askJobs(inTable(at), newJob),
    "a job, whose callback nothing signs": (at: string) =>
      askJobs({ callbackSecrets: createCallbackSecrets(requestTableAt(at)) }, newJobWithCallback),
    "the list of jobs": (at: string) => askJobs(inTable(at), { method: "GET", path: "/tasks/jobs" }),
    "a look at a job": (at: string) => askJobs(inTable(at), ofJob()),
    "a look at a result": (at: string) => askJobs(inTable(at), ofJob("/result")),
    "the deletion of a job": (at: string) => askJobs(inTable(at), ofJob("", "DELETE")),
    "an upload in parts": (at: string) => askUploads(uploadsInTable(at), newUpload),
    "a look at an upload": (at: string) => askUploads(uploadsInTable(at), ofUpload("GET")),
    "links for parts": (at: string) =>
      askUploads(uploadsInTable(at), ofUpload("POST", "/parts", { numbers: [1] })),
    "the completion of an upload": (at: string) =>
      askUploads(uploadsInTable(at), ofUpload("POST", "/complete")),
    "the deletion of an upload": (at: string) => askUploads(uploadsInTable(at), ofUpload("DELETE")),
  } as const;

  it.for(eachWith(requests))("$fault, $request returns 503", async (each, context) => {
    const { status, headers, body } = await each.ask(await startAws(context, each.behaviour));
    context
      .expect({ status, code: body.error?.code, retryAfter: Number(headers["Retry-After"]) > 0 })
      .toEqual({ status: 503, code: "service_unavailable", retryAfter: true });
  });
});

describe.concurrent("when the queue of jobs", () => {
  const queueAt = (address: string) =>
    openJobQueue(`${address}/jobs.fifo`, readAwsConfig({ AWS_ENDPOINT_URL: address }));

  it.for(faults)("%s, no job is accepted, and none is counted", async ([, behaviour], context) => {
    const { expect } = context;
    const items = intact.open();
    let isWritten = false;
    const jobs = {
      ...createJobsRepository(items),
      create: () => {
        isWritten = true;
        return Promise.reject(new Error("Nobody would work on it."));
      },
    };
    const queue = queueAt(await startAws(context, behaviour));
    const { status, headers } = await askJobs({ queue, jobs }, newJob);
    expect({ status, retryAfter: Number(headers["Retry-After"]) > 0, isWritten }).toEqual({
      status: 503,
      retryAfter: true,
      isWritten: false,
    });
  });

  it.for(faults)("%s, a job is not said to be deleted", async ([, behaviour], context) => {
    const { expect } = context;
    const queue = queueAt(await startAws(context, behaviour));
    expect((await askJobs({ queue }, ofJob("", "DELETE"))).status).toBe(503);
    expect((await askJobs({}, ofJob())).status).toBe(200);
  });
});

describe.concurrent("when the object store", () => {
  const storeAt = (address: string) => ({ store: linkedStoreAt(address) });
  const partsAt = (address: string) => ({ parts: createS3ObjectParts(bucketAt(address)) });
  const requests = {
    "a job is not taken on": (at: string) => askJobs(storeAt(at), newJob),
    "a completed job is not said to have no result": (at: string) => {
      const jobs = createJobsRepository(intact.open());
      const find: typeof jobs.find = async (name) => {
        const job = await jobs.find(name);
        return job && { ...job, status: "completed" };
      };
      return askJobs({ ...storeAt(at), jobs: { ...jobs, find } }, ofJob("/result"));
    },
    "an upload does not begin": (at: string) => askUploads(partsAt(at), newUpload),
    "no part of an upload is said to be missing": (at: string) => askUploads(partsAt(at), ofUpload("GET")),
    "an upload is not completed": (at: string) => askUploads(partsAt(at), ofUpload("POST", "/complete")),
    "an upload is not said to be given up": (at: string) => askUploads(partsAt(at), ofUpload("DELETE")),
    "a file is not said to be removed": (at: string) => askUploads(storeAt(at), ofUpload("DELETE")),
  } as const;

  it.for(eachWith(requests))("$fault, $request", async (each, context) => {
    const { status, body } = await each.ask(await startAws(context, each.behaviour));
    context.expect({ status, code: body.error?.code }).toEqual({ status: 502, code: "storage_unavailable" });
  });
});
