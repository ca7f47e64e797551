import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { callbackFunction } from "../../functions/callback/contract.ts";
import { canaryFunction } from "../../functions/canary/contract.ts";
import { jobWorkerFunction } from "../../functions/job-worker/contract.ts";
import { mailFunction } from "../../functions/mail/contract.ts";
import { mailFeedbackFunction } from "../../functions/mail-feedback/contract.ts";
import { messagingFunction } from "../../functions/messaging/contract.ts";
import {
  jobsFolder,
  jobsFolderOf,
  uploadsFolder,
  voiceNotesFolder,
} from "../../shared/platform/storage/object-store.ts";
import { assistantId } from "../../shared/recordings/jobs/keys.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import {
  bucketBinding,
  mailSenderBinding,
  plainBinding,
  queueBinding,
  secretBinding,
  tableBinding,
} from "../constructs/bindings.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionGroup, type FunctionGroupProps } from "./function-group.ts";
import { modelBindings } from "./model-bindings.ts";

/** The functions that no route leads to, with what each may touch and what calls it: a queue, a schedule, an event. */
export class WorkerFunctions extends FunctionGroup {
  readonly all: readonly ServiceFunction[];

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    super(scope, id, props);
    const { stage, data, publicBaseUrl } = props;
    const models = modelBindings(stage.inference, data.inferenceKeys);

    const mail = this.add(mailFunction, {
      TABLE_NAME: tableBinding(data.table, "write-mails"),
      MAIL_FROM: mailSenderBinding(this, stage.mailFrom),
      MAIL_CONFIGURATION_SET: plainBinding(data.mailSending.configurationSetName),
      PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
    });
    this.feed(mail, data.mail.queue, { batchSize: 10 });
    const mailFeedback = this.add(mailFeedbackFunction, {
      TABLE_NAME: tableBinding(data.table, "withhold-mails"),
    });
    const rule = new Rule(this, "MailFeedbackRule", {
      description: "Mails of this stage that came back, or were complained about",
      eventPattern: data.mailSending.feedbackPattern,
      targets: [new LambdaFunction(mailFeedback.live)],
    });
    acknowledge(
      rule,
      "Serverless-EventBusDLQ",
      "EventBridge tries for a day, and SES, which holds such an address back itself, tells again with the next mail to it.",
    );
    const canary = this.add(canaryFunction, {
      PUBLIC_BASE_URL: plainBinding(publicBaseUrl),
      CANARY_SECRET_ID: secretBinding(data.canaryKey),
    });
    const canaryRule = new Rule(this, "CanarySchedule", {
      description: "When the canary calls",
      enabled: stage.hasCanary,
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(canary.live, { retryAttempts: 0 })],
    });
    acknowledge(canaryRule, "Serverless-EventBusDLQ", "The next call comes five minutes later.");
    const messaging = this.add(messagingFunction, {
      TABLE_NAME: tableBinding(data.table, "converse", "have-transcribed"),
      BUCKET_NAME: bucketBinding(
        this,
        data.audioBucket,
        { folder: voiceNotesFolder, access: "keep" },
        { folder: jobsFolderOf(assistantId), access: "read" },
      ),
      JOB_QUEUE_URL: queueBinding(data.jobs.queue, "send"),
      MESSAGE_QUEUE_URL: queueBinding(data.messages.queue, "retry"),
      MESSAGE_DEAD_LETTER_QUEUE_ARN: plainBinding(data.messages.deadLetterQueue.queueArn),
      MESSAGING_SECRET_ID: secretBinding(data.platformSecrets),
      MESSAGING_API_URL: plainBinding(stage.messaging.apiUrl),
      MESSAGING_API_VERSION: plainBinding(stage.messaging.apiVersion),
      ...models.chat,
      ...models.translation,
      ...models.transcription,
      ...models.speech,
    });
    // One message at a time: an answer takes as long as the models do, and a failed one holds up nobody else.
    this.feed(messaging, data.messages.queue, { batchSize: 1 });
    // What could not be answered in all its tries gets an apology.
    this.feed(messaging, data.messages.deadLetterQueue, { batchSize: 1 });
    const callback = this.add(callbackFunction, {
      TABLE_NAME: tableBinding(data.table, "keep-callbacks"),
      CALLBACK_QUEUE_URL: queueBinding(data.callbacks.queue, "retry"),
      CALLBACKS_ALLOW_LOOPBACK: plainBinding(String(stage.callbacks.allowLoopback)),
    });
    // One at a time: a receiver that does not answer holds up nobody else's.
    this.feed(callback, data.callbacks.queue, { batchSize: 1 });

    const jobWorker = this.add(jobWorkerFunction, {
      TABLE_NAME: tableBinding(data.table, "keep-jobs", "refund-audio"),
      BUCKET_NAME: bucketBinding(
        this,
        data.audioBucket,
        { folder: uploadsFolder, access: "read" },
        { folder: voiceNotesFolder, access: "delete" },
        { folder: jobsFolder, access: "keep-clear" },
      ),
      JOB_QUEUE_URL: queueBinding(data.jobs.queue, "send-retry"),
      CALLBACK_QUEUE_URL: queueBinding(data.callbacks.queue, "send"),
      MESSAGE_QUEUE_URL: queueBinding(data.messages.queue, "send"),
      JOB_PIECES_AT_ONCE: plainBinding(stage.jobs.piecesAtOnce),
      JOB_FAILS_AFTER_SECONDS: plainBinding(stage.jobs.failsAfterSeconds),
      JOB_WAITS_SECONDS: plainBinding(stage.jobs.waitsSeconds),
      ...models.transcription,
    });
    this.feed(jobWorker, data.jobs.queue, { batchSize: 1, maxConcurrency: stage.jobs.piecesAtOnce });

    this.all = [mail, mailFeedback, canary, messaging, callback, jobWorker];
  }

  private feed(
    { definition, live }: ServiceFunction,
    queue: Queue,
    {
      batchSize,
      maxConcurrency = this.props.stage.workerConcurrency[definition.name],
    }: { readonly batchSize: number; readonly maxConcurrency?: number | undefined },
  ): void {
    live.addEventSource(
      new SqsEventSource(queue, {
        batchSize,
        reportBatchItemFailures: true,
        ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
      }),
    );
    acknowledge(
      live,
      "Serverless-LambdaEventSourceMappingDestination",
      "A queue is no stream: what fails for good goes to the queue's dead-letter queue.",
    );
  }
}
