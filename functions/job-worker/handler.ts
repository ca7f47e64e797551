import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { openMessageQueue } from "../../shared/messaging/message-queue.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openAwsJsonService } from "../../shared/platform/outbound/aws-json.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { openTable } from "../../shared/platform/storage/table.ts";
import { openCallbackQueue } from "../../shared/recordings/callbacks/callback-queue.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { stitch } from "../../shared/recordings/transcripts/stitch.ts";
import { objectStoreFrom, transcriberFrom } from "../../shared/wiring/from-environment.ts";
import { jobWorkerFunction } from "./contract.ts";
import { handleJobRecord } from "./handle-record.ts";
import { cutPiece, pieceSchema, planPieces } from "./pieces/cut-pieces.ts";
import type { Cutter } from "./plan-job.ts";
import { createSlots } from "./slots.ts";

/** Kept back from a piece's time, for writing down how it ended. */
const reserveMilliseconds = 15_000;

const environment = readEnvironment(jobWorkerFunction.environment, process.env);
const aws = awsConfigOf(environment);
const table = openTable(environment.TABLE_NAME);
const sqs = openAwsJsonService("SQS", aws);
const jobs = createJobsRepository(table);

const cutter: Cutter = {
  plan: (source, facts, signal) => planPieces(source, facts, { signal }),
  cut: (source, piece, signal) => cutPiece(source, pieceSchema.parse(piece), { signal }),
};

const dependencies = {
  jobs,
  slots: createSlots(table, jobs),
  store: objectStoreFrom(environment),
  queue: openJobQueue(environment.JOB_QUEUE_URL, aws),
  callbacks: openCallbackQueue(environment.CALLBACK_QUEUE_URL, aws),
  messages: openMessageQueue(environment.MESSAGE_QUEUE_URL, aws),
  cutter,
  stitch,
  transcriber: transcriberFrom(environment),
  timeouts: {
    failsAfterSeconds: environment.JOB_FAILS_AFTER_SECONDS,
    waitsSeconds: environment.JOB_WAITS_SECONDS,
  },
  // Half of what there is: while one account has long recordings, the other half is for everybody else.
  slotsPerAccount: Math.ceil(environment.JOB_PIECES_AT_ONCE / 2),
  watchMilliseconds: 1_500,
};

const hide = async ({ receiptHandle }: SQSRecord, seconds: number): Promise<void> => {
  await sqs.call("ChangeMessageVisibility", {
    QueueUrl: environment.JOB_QUEUE_URL,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  });
};

/** Does what the messages of a batch ask for; what is not done comes again. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "workOnJob",
    metricsNamespace: environment.METRICS_NAMESPACE,
    // There is one record in a batch.
    minMilliseconds: reserveMilliseconds,
    reserveMilliseconds,
    work: (record, deadline) => handleJobRecord(record, { ...dependencies, hide }, deadline),
  });
