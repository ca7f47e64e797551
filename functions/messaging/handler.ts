import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { classify } from "../../shared/models/language-id/identification.ts";
import { loadLanguageModel } from "../../shared/models/language-id/model.ts";
import { readWeights } from "../../shared/models/language-id/weights.ts";
import { sourceLanguageDetectorOnDemand } from "../../shared/models/source-language/detector.ts";
import { wordOrderOnDemand } from "../../shared/models/spoken-language/word-order.ts";
import { awsConfigOf, readEnvironment } from "../../shared/platform/config/environment.ts";
import { openFifoQueue } from "../../shared/platform/queue/fifo-queue.ts";
import { workThrough } from "../../shared/platform/queue/work-through.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { openJobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { createJobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import {
  chatModelsFrom,
  objectStoreFrom,
  synthesizerFrom,
  transcriberFrom,
  translatorFrom,
} from "../../shared/wiring/from-environment.ts";
import { platformSecretsFrom } from "../../shared/wiring/secrets-from-environment.ts";
import { messagingFunction } from "./contract.ts";
import { createFinishMessage } from "./finish-message.ts";
import { createGraphPlatform } from "./graph-platform.ts";
import { handleRecord } from "./handle-record.ts";
import { createLongRecordings } from "./long-recordings.ts";
import { createMessageRecords } from "./message-records.ts";
import { createPeopleRepository } from "./person.ts";
import { type ProcessDependencies, processMessage } from "./process-message.ts";
import { refreshNote } from "./refresh-note.ts";
import { createReplyPlanner, planApology } from "./reply-to-message.ts";
import { createSenderData } from "./sender-data.ts";
import { createVoiceNotes } from "./voice-notes.ts";

/** Reserved of the time for models, to send the reply. */
const reserveMilliseconds = 20_000;

/** A model that is silent for a minute, the reserve, and the steps between. Relevant in batches of more than one message. */
const minMilliseconds = 90_000;

/** Reports usually arrive within a second. */
const receiptMilliseconds = 10_000;

const transcriptionRetry = { after: 120_000, pause: 2_000 };

const environment = readEnvironment(messagingFunction.environment, process.env);
const table = openLightTable(environment.TABLE_NAME, awsConfigOf(environment));
const queue = openFifoQueue(environment.MESSAGE_QUEUE_URL, awsConfigOf(environment));
const models = {
  chat: chatModelsFrom(environment),
  translator: translatorFrom(environment),
  transcriber: transcriberFrom(environment),
  synthesizer: synthesizerFrom(environment),
};
const platform = createGraphPlatform({
  baseUrl: environment.MESSAGING_API_URL,
  version: environment.MESSAGING_API_VERSION,
  secrets: platformSecretsFrom(environment),
});

const store = objectStoreFrom(environment);
const longRecordings = createLongRecordings({
  jobs: createJobsRepository(table),
  queue: openJobQueue(environment.JOB_QUEUE_URL, awsConfigOf(environment)),
  store,
});

const languageModel = loadLanguageModel(readWeights());
const senderData = createSenderData(table, longRecordings, store);
const resultTemplate = environment.MESSAGING_RESULT_TEMPLATE;

const work: ProcessDependencies = {
  records: createMessageRecords(table),
  people: createPeopleRepository(table),
  finish: createFinishMessage(table),
  receiptMilliseconds,
  platform,
  longRecordings,
  senderData,
  resultTemplate,
  voiceNotes: createVoiceNotes(models.synthesizer),
  refreshNote: (conversation, signal) => refreshNote(conversation, models.chat, signal),
};
const reply = createReplyPlanner({
  ...models,
  detectsLanguages: environment.TRANSCRIPTION_FEATURES.detectsLanguages,
  detector: sourceLanguageDetectorOnDemand(),
  wordOrder: wordOrderOnDemand,
  platform,
  longRecordings,
  transcriptionRetry,
  senderData,
  identifyLanguage: (text) => classify(languageModel.identify(text)),
  privacyNotice: `${environment.PUBLIC_BASE_URL}/privacy`,
  hasResultTemplate: resultTemplate !== undefined,
});

const handle = (record: SQSRecord, remainingMilliseconds: number, signal: AbortSignal): Promise<boolean> =>
  handleRecord(record, remainingMilliseconds, {
    process: (message, attempt, plan) => processMessage(message, attempt, plan, work, signal),
    reply,
    apologise: planApology,
    deadLetterQueueArn: environment.MESSAGE_DEAD_LETTER_QUEUE_ARN,
    retryAfter: queue.hide,
  });

/** Processes a batch of the queue or of its dead-letter queue; the queue delivers failed messages again. */
export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
  workThrough(event, context, {
    operation: "answerMessage",
    metricsNamespace: environment.METRICS_NAMESPACE,
    minMilliseconds,
    reserveMilliseconds,
    work: (record, deadline) => handle(record, context.getRemainingTimeInMillis(), deadline),
  });
