import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { authFunction } from "../../functions/auth/contract.ts";
import { authorizerFunction } from "../../functions/authorizer/contract.ts";
import { callbackFunction } from "../../functions/callback/contract.ts";
import { canaryFunction } from "../../functions/canary/contract.ts";
import { chatFunction } from "../../functions/chat/contract.ts";
import { docsFunction } from "../../functions/docs/contract.ts";
import { languageFunction } from "../../functions/language/contract.ts";
import { legacyFunction } from "../../functions/legacy/contract.ts";
import { inStage } from "../../functions/legacy/settings.ts";
import { mailFunction } from "../../functions/mail/contract.ts";
import { mailFeedbackFunction } from "../../functions/mail-feedback/contract.ts";
import { messagingFunction } from "../../functions/messaging/contract.ts";
import { speechFunction } from "../../functions/speech/contract.ts";
import { transcriptionFunction } from "../../functions/transcription/contract.ts";
import { translateFunction } from "../../functions/translate/contract.ts";
import { uploadFunction } from "../../functions/upload/contract.ts";
import { webhookFunction } from "../../functions/webhook/contract.ts";
import type { FunctionDefinition } from "../../shared/config/function-definition.ts";
import type { VariableShape } from "../../shared/config/variables.ts";
import {
  answersFolder,
  speechFolder,
  transcriptionsFolder,
  uploadsFolder,
} from "../../shared/storage/object-store.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import {
  bucketBinding,
  type FolderAccess,
  mailSenderBinding,
  plainBinding,
  queueBinding,
  secretBinding,
  tableBinding,
} from "../constructs/bindings.ts";
import { type EnvironmentBindings, ServiceFunction } from "../constructs/service-function.ts";
import type { StageSettings } from "../stages.ts";
import type { DataStack } from "./data-stack.ts";
import { modelBindings } from "./model-bindings.ts";

export interface ServiceFunctionsProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  /** The folder that holds a bundle for each function, under the function's name. */
  readonly bundles: string;
  /** Where callers reach the service; no slash at the end. */
  readonly publicBaseUrl: string;
}

/** Every function of the service with what it may touch: the one place where both are decided. */
export class ServiceFunctions extends Construct {
  readonly all: readonly ServiceFunction[];
  readonly authorizer: ServiceFunction;

  private readonly props: ServiceFunctionsProps;

  constructor(scope: Construct, id: string, props: ServiceFunctionsProps) {
    super(scope, id);
    this.props = props;
    const { stage, data, publicBaseUrl } = props;
    const models = modelBindings(stage.inference, data.inferenceKeys);
    const vendors = {
      LEGACY_VENDOR_A: plainBinding(stage.legacy.vendors.a),
      LEGACY_VENDOR_B: plainBinding(stage.legacy.vendors.b),
    };
    const accountLimit = { UNVERIFIED_QUOTA_SHARE: plainBinding(stage.limits.unverifiedQuotaShare) };
    const ownSpeech: FolderAccess = { folder: speechFolder, access: "read-write" };
    const answers: FolderAccess = { folder: answersFolder, access: "keep" };
    const allUploads: FolderAccess = { folder: uploadsFolder, access: "read-delete" };

    this.authorizer = this.add(authorizerFunction, {
      TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
    });
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
      TABLE_NAME: tableBinding(data.table, "converse"),
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
    const callback = this.add(callbackFunction, {
      TABLE_NAME: tableBinding(data.table, "keep-callbacks"),
      CALLBACK_QUEUE_URL: queueBinding(data.callbacks.queue, "retry"),
      CALLBACKS_ALLOW_LOOPBACK: plainBinding(String(stage.callbacks.allowLoopback)),
    });
    // One at a time: a receiver that does not answer holds up nobody else's.
    this.feed(callback, data.callbacks.queue, { batchSize: 1 });
    // One message at a time: an answer takes as long as the models do, and a failed one holds up nobody else.
    this.feed(messaging, data.messages.queue, { batchSize: 1 });
    // What could not be answered in all its tries gets an apology.
    this.feed(messaging, data.messages.deadLetterQueue, { batchSize: 1 });

    this.all = [
      this.authorizer,
      mail,
      mailFeedback,
      callback,
      canary,
      messaging,
      this.add(authFunction, {
        TABLE_NAME: tableBinding(data.table, "keep-accounts", "keep-usage", "delete-owned"),
        BUCKET_NAME: bucketBinding(
          this,
          data.audioBucket,
          { folder: speechFolder, access: "clear" },
          answers,
          { folder: answersFolder, access: "clear" },
          { folder: uploadsFolder, access: "delete" },
          { folder: transcriptionsFolder, access: "delete" },
        ),
        ...accountLimit,
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        MAIL_QUEUE_URL: queueBinding(data.mail.queue, "send"),
        TOKEN_LIFETIME_DAYS: plainBinding(stage.tokenLifetimeDays),
        LIMIT_CREDENTIALS_PER_MINUTE: plainBinding(stage.limits.credentialsPerMinute),
        ...vendors,
      }),
      this.add(chatFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, answers),
        ...accountLimit,
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        ...models.chat,
      }),
      this.add(docsFunction, { ...vendors, PUBLIC_BASE_URL: plainBinding(publicBaseUrl) }),
      this.add(languageFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, answers),
        ...accountLimit,
      }),
      this.add(
        { ...legacyFunction, operations: inStage(legacyFunction.operations, stage.legacy) },
        {
          TABLE_NAME: tableBinding(
            data.table,
            "admit",
            "answer-once",
            "move-usage",
            "find-upload",
            "keep-transcriptions",
            "keep-owner",
          ),
          ...accountLimit,
          TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
          ...models.chat,
          ...models.transcription,
          ...models.speech,
          SPEECH_PLATFORM: plainBinding(stage.inference.speech.platform),
          BUCKET_NAME: bucketBinding(this, data.audioBucket, answers, ownSpeech, allUploads, {
            folder: transcriptionsFolder,
            access: "read-write-delete",
          }),
          ...vendors,
          LEGACY_SUNSET: plainBinding(stage.legacy.sunset),
          LEGACY_PROVIDER_ROUTES: plainBinding(stage.legacy.providerRoutes),
        },
      ),
      this.add(translateFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, answers),
        ...accountLimit,
        ...models.translation,
      }),
      this.add(speechFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once"),
        ...accountLimit,
        ...models.speech,
        SPEECH_PLATFORM: plainBinding(stage.inference.speech.platform),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, answers, ownSpeech),
      }),
      this.add(transcriptionFunction, {
        TABLE_NAME: tableBinding(data.table, "admit", "move-usage", "answer-once", "find-upload"),
        ...accountLimit,
        ...models.transcription,
        ...models.translation,
        BUCKET_NAME: bucketBinding(this, data.audioBucket, answers, allUploads),
      }),
      this.add(uploadFunction, {
        TABLE_NAME: tableBinding(data.table, "check-token", "count-addresses", "add-upload", "note-owner"),
        TOKEN_SECRET_ID: secretBinding(data.tokenSigningKey),
        BUCKET_NAME: bucketBinding(this, data.audioBucket, { folder: uploadsFolder, access: "write" }),
        LIMIT_ANONYMOUS_PER_MINUTE: plainBinding(stage.limits.anonymousPerMinute),
      }),
      this.add(webhookFunction, {
        TABLE_NAME: tableBinding(data.table, "note-receipt"),
        MESSAGE_QUEUE_URL: queueBinding(data.messages.queue, "send"),
        MESSAGING_SECRET_ID: secretBinding(data.platformSecrets),
        MESSAGING_SIGNATURE_MODE: plainBinding(stage.messaging.signatureMode),
      }),
    ];
  }

  private add<Environment extends VariableShape>(
    definition: FunctionDefinition<Environment>,
    environment: EnvironmentBindings<NoInfer<Environment>>,
  ): ServiceFunction<Environment> {
    const { stage, bundles } = this.props;
    return new ServiceFunction(this, pascalCase(definition.name), {
      definition,
      environment,
      bundles,
      reservedConcurrency: stage.reservedConcurrency[definition.name],
      logRetention: stage.logRetention,
      logRemoval: stage.removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  private feed(
    { definition, live }: ServiceFunction,
    queue: Queue,
    { batchSize }: { readonly batchSize: number },
  ): void {
    const maxConcurrency = this.props.stage.workerConcurrency[definition.name];
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

/** A feature's name as constructs and outputs are named. */
export const pascalCase = (kebabCase: string): string =>
  kebabCase.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
