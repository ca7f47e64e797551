import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { isActiveAccount } from "../../shared/accounts/access/access.ts";
import { pieceSchema, planPieces, readPiece } from "../../shared/audio/pieces/cut-pieces.ts";
import { openMessageQueue } from "../../shared/messaging/message-queue.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
import { wordOrderOnDemand } from "../../shared/models/spoken-language/word-order.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { openCallbackQueue } from "../../shared/recordings/callbacks/callback-queue.ts";
import { createJobSpeeds, slotsPerAccount } from "../../shared/recordings/jobs/capacity.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { stitch } from "../../shared/recordings/transcripts/stitch.ts";
import {
  objectStoreFrom,
  synthesizerFrom,
  transcriberFrom,
  translatorFrom,
} from "../../shared/wiring/from-environment.ts";
import { jobWorkerFunction } from "./contract.ts";
import { cutPart } from "./cut-part.ts";
import { handleJobRecord } from "./handle-record.ts";
import type { Cutter } from "./plan-job.ts";
import { createSlots } from "./slots.ts";

/** Reserved of the time for a piece, to record how it ended. */
const reserveMilliseconds = 15_000;

const environment = readEnvironment(jobWorkerFunction.environment, process.env);
const aws = awsConfigOf(environment);
const table = openLightTable(environment.TABLE_NAME, aws);
const jobs = createJobsRepository(table);
const queue = openJobQueue(environment.JOB_QUEUE_URL, aws);

const cutter: Cutter = {
  plan: (source, facts, signal) => planPieces(source, facts, { signal }),
  cut: (source, piece, signal) => readPiece(source, pieceSchema.parse(piece), { signal }),
  cutPart,
};

const dependencies = {
  jobs,
  slots: createSlots(table, jobs),
  speeds: createJobSpeeds(table),
  isActive: (userId: number) => isActiveAccount(table, userId),
  store: objectStoreFrom(environment),
  queue,
  hide: queue.hide,
  callbacks: openCallbackQueue(environment.CALLBACK_QUEUE_URL, aws),
  messages: openMessageQueue(environment.MESSAGE_QUEUE_URL, aws),
  cutter,
  stitch,
  modelMilliseconds: environment.TRANSCRIPTION_TIMEOUT_MS,
  transcriber: transcriberFrom(environment),
  detectsLanguages: environment.TRANSCRIPTION_FEATURES.detectsLanguages,
  detector: sourceLanguageDetectorOnDemand(),
  wordOrder: wordOrderOnDemand,
  translator: translatorFrom(environment),
  synthesizer: synthesizerFrom(environment),
  timeouts: {
    failsAfterSeconds: environment.JOB_FAILS_AFTER_SECONDS,
    waitsSeconds: environment.JOB_WAITS_SECONDS,
  },
  slotsPerAccount: slotsPerAccount(environment.JOB_PIECES_AT_ONCE),
  watchMilliseconds: 1_500,
};

/** Processes a batch of the job queue; the queue delivers unfinished messages again. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "workOnJob",
    metricsNamespace: environment.METRICS_NAMESPACE,
    // A batch has one record.
    minMilliseconds: reserveMilliseconds,
    reserveMilliseconds,
    work: (record, deadline) => handleJobRecord(record, dependencies, deadline),
  });
