import { Duration, Names } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { Grant } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { callbackFunction } from "../../functions/callback/contract.ts";
import { canaryFunction } from "../../functions/canary/contract.ts";
import { erasureFunction } from "../../functions/erasure/contract.ts";
import { exportFunction } from "../../functions/export/contract.ts";
import { jobWorkerFunction } from "../../functions/job-worker/contract.ts";
import { mailFunction } from "../../functions/mail/contract.ts";
import { mailFeedbackFunction } from "../../functions/mail-feedback/contract.ts";
import { messagingFunction } from "../../functions/messaging/contract.ts";
import { requestLogFunction } from "../../functions/request-log/contract.ts";
import { sunsetFunction } from "../../functions/sunset/contract.ts";
import {
  exportsFolder,
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
  tableBinding,
} from "../constructs/bindings.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { FunctionGroupProps } from "./common-bindings.ts";
import { erasedFolders, exportedFolders, notedErasures } from "./erased-folders.ts";
import { FunctionGroup } from "./function-group.ts";

/** The functions behind queues, schedules and events, with the permissions of each and what invokes it. */
export class WorkerFunctions extends FunctionGroup {
  readonly all: readonly ServiceFunction[];
  /** The rule by which EventBridge reports mails that came back. */
  readonly mailFeedbackRule: Rule;
  /** Gets the last log lines of requests. */
  readonly requestLog: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionGroupProps) {
    super(scope, id, props);
    this.requestLog = this.add(requestLogFunction, {
      TABLE_NAME: tableBinding(props.data.table, "log-requests"),
      MAIL_QUEUE_URL: queueBinding(props.data.mail.queue, "send"),
    });
    const mailFeedback = this.add(mailFeedbackFunction, {
      TABLE_NAME: tableBinding(props.data.table, "withhold-mails"),
    });
    this.mailFeedbackRule = this.addMailFeedbackRule(mailFeedback);
    this.all = [
      this.addMail(),
      mailFeedback,
      this.addCanary(),
      this.addErasure(),
      this.addExport(),
      this.addMessaging(),
      this.addCallback(),
      this.addJobWorker(),
      this.requestLog,
      this.addSunset(),
    ];
  }

  private addMail(): ServiceFunction {
    const { stage, data } = this.props;
    const mail = this.add(mailFunction, {
      TABLE_NAME: tableBinding(data.table, "find-accounts", "write-mails"),
      MAIL_FROM: mailSenderBinding(this, stage.settings.MAIL_FROM),
      MAIL_CONFIGURATION_SET: plainBinding(data.mailSending.configurationSetName),
    });
    this.feed(mail, data.mail.queue, { batchSize: 10 });
    return mail;
  }

  private addMailFeedbackRule({ live }: ServiceFunction): Rule {
    const rule = new Rule(this, "MailFeedbackRule", {
      description: "Mails of this stage that came back, or were complained about",
      eventPattern: this.props.data.mailSending.feedbackPattern,
      targets: [new LambdaFunction(live)],
    });
    acknowledge(
      rule,
      "Serverless-EventBusDLQ",
      "EventBridge retries for a day, and SES, which suppresses such an address, reports it again with the next mail to it.",
    );
    return rule;
  }

  private addCanary(): ServiceFunction {
    const canary = this.add(canaryFunction, {
      TABLE_NAME: tableBinding(this.props.data.table, "note-status"),
    });
    const rule = new Rule(this, "CanarySchedule", {
      description: "When the canary calls",
      enabled: this.props.stage.settings.CANARY === "on",
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(canary.live, { retryAttempts: 0 })],
    });
    acknowledge(rule, "Serverless-EventBusDLQ", "The next call comes five minutes later.");
    return canary;
  }

  private addErasure(): ServiceFunction {
    const { table, audioBucket } = this.props.data;
    const erasure = this.add(erasureFunction, {
      TABLE_NAME: tableBinding(table, "find-accounts", "find-erasures", "erase-accounts"),
      BUCKET_NAME: bucketBinding(this, audioBucket, ...erasedFolders),
    });
    const rule = new Rule(this, "ErasureSchedule", {
      description: "When disowned accounts are erased",
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new LambdaFunction(erasure.live)],
    });
    acknowledge(rule, "Serverless-EventBusDLQ", "The next run, a day later, repeats what failed.");
    return erasure;
  }

  private addExport(): ServiceFunction {
    const { table, audioBucket, exports } = this.props.data;
    const exporting = this.add(exportFunction, {
      TABLE_NAME: tableBinding(table, "find-accounts", "export-accounts"),
      BUCKET_NAME: bucketBinding(
        this,
        audioBucket,
        { folder: exportsFolder, access: "read-write-delete" },
        ...exportedFolders,
      ),
    });
    this.feed(exporting, exports.queue, { batchSize: 1 });
    return exporting;
  }

  private addSunset(): ServiceFunction {
    const { table, mail } = this.props.data;
    const sunset = this.add(sunsetFunction, {
      TABLE_NAME: tableBinding(table, "notify-accounts"),
      MAIL_QUEUE_URL: queueBinding(mail.queue, "send"),
    });
    const rule = new Rule(this, "SunsetSchedule", {
      description: "When accounts are mailed that still call routes of version 1",
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new LambdaFunction(sunset.live)],
    });
    acknowledge(rule, "Serverless-EventBusDLQ", "The next run, a day later, repeats what failed.");
    return sunset;
  }

  private addMessaging(): ServiceFunction {
    const { table, audioBucket, jobs, messages } = this.props.data;
    const messaging = this.add(messagingFunction, {
      TABLE_NAME: tableBinding(table, "converse", "create-assistant-jobs", "count-model-calls"),
      BUCKET_NAME: bucketBinding(
        this,
        audioBucket,
        { folder: jobsFolderOf(assistantId), access: "read" },
        { folder: jobsFolderOf(assistantId), access: "store" },
        notedErasures,
      ),
      JOB_QUEUE_URL: queueBinding(jobs.queue, "send"),
      MESSAGE_QUEUE_URL: queueBinding(messages.queue, "retry"),
      MESSAGE_DEAD_LETTER_QUEUE_ARN: plainBinding(messages.deadLetterQueue.queueArn),
    });
    // One message at a time: a reply takes as long as the models do, and a failed one delays no other.
    this.feed(messaging, messages.queue, { batchSize: 1 });
    // A message that got no reply in all its attempts gets an apology.
    this.feed(messaging, messages.deadLetterQueue, { batchSize: 1 });
    return messaging;
  }

  private addCallback(): ServiceFunction {
    const { table, callbacks } = this.props.data;
    const callback = this.add(callbackFunction, {
      TABLE_NAME: tableBinding(table, "keep-callbacks", "list-callbacks"),
      CALLBACK_QUEUE_URL: queueBinding(callbacks.queue, "retry"),
    });
    // One at a time: a receiver that does not respond delays no other.
    this.feed(callback, callbacks.queue, { batchSize: 1 });
    return callback;
  }

  private addJobWorker(): ServiceFunction {
    const { table, audioBucket, jobs, callbacks, messages } = this.props.data;
    const jobWorker = this.add(jobWorkerFunction, {
      TABLE_NAME: tableBinding(table, "work-on-jobs", "count-model-calls"),
      BUCKET_NAME: bucketBinding(
        this,
        audioBucket,
        { folder: uploadsFolder, access: "read" },
        { folder: voiceNotesFolder, access: "delete" },
        { folder: jobsFolder, access: "keep-clear" },
      ),
      JOB_QUEUE_URL: queueBinding(jobs.queue, "send-retry"),
      CALLBACK_QUEUE_URL: queueBinding(callbacks.queue, "send"),
      MESSAGE_QUEUE_URL: queueBinding(messages.queue, "send"),
    });
    const maxConcurrency = this.props.stage.settings.JOB_PIECES_AT_ONCE;
    this.feed(jobWorker, jobs.queue, { batchSize: 1, maxConcurrency });
    return jobWorker;
  }

  private feed(
    { definition, live }: ServiceFunction,
    queue: Queue,
    {
      batchSize,
      maxConcurrency = this.props.stage.settings.WORKER_CONCURRENCY[definition.name],
    }: { readonly batchSize: number; readonly maxConcurrency?: number | undefined },
  ): void {
    // Not `SqsEventSource`, which grants more than a mapping needs. The mapping keeps the name from it, or CloudFormation would replace it.
    live.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(queue.node)}`, {
      eventSourceArn: queue.queueArn,
      batchSize,
      reportBatchItemFailures: true,
      ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    });
    const actions = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"];
    Grant.addToPrincipal({ grantee: live, actions, resourceArns: [queue.queueArn] });
    acknowledge(
      live,
      "Serverless-LambdaEventSourceMappingDestination",
      "This is for streams: messages of a queue that fail for good go to its dead-letter queue.",
    );
  }
}
