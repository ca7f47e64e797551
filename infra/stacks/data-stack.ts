import { CfnOutput, type RemovalPolicy, SecretValue, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { callbackFunction, callbackReceives } from "../../functions/callback/contract.ts";
import { exportFunction, exportReceives } from "../../functions/export/contract.ts";
import { jobMessageAttempts, jobWorkerFunction } from "../../functions/job-worker/contract.ts";
import { mailFunction } from "../../functions/mail/contract.ts";
import { messageAttempts, messagingFunction } from "../../functions/messaging/contract.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import { AlarmTopic } from "../constructs/alarms.ts";
import { AudioStorage } from "../constructs/audio-storage.ts";
import { removalPolicy } from "../constructs/lifetime.ts";
import { MailSending } from "../constructs/mail-sending.ts";
import { WorkQueue } from "../constructs/work-queue.ts";
import type { Stage } from "../stages.ts";

export interface DataStackProps extends StackProps {
  readonly stage: Stage;
}

interface OperatorsSecret {
  readonly id: string;
  readonly description: string;
  /** Why AWS does not rotate it. */
  readonly reason: string;
}

/** The secrets that an operator fills in. */
const operatorsSecrets = {
  inferenceKeys: {
    id: "InferenceKeys",
    description:
      "API keys of the model servers: a JSON object with chat, translation, transcription, speech and diarization, or the names of servers",
    reason: "The operators of the model servers issue the keys, and decide when they change.",
  },
  platformSecrets: {
    id: "MessagingSecrets",
    description:
      "Secrets of the messaging platform: a JSON object with verify_token, app_secret and access_token",
    reason:
      "The platform issues app secret and access token; the operator fills in new ones when they change there.",
  },
  identityProviders: {
    id: "IdentityProviders",
    description: "Client secrets at the identity providers: a JSON object with a and b",
    reason: "The providers issue them, and the operator changes them there.",
  },
  canaryKey: {
    id: "CanaryKey",
    description: "The key with which the canary calls: a JSON object with key, filled by the operator",
    reason: "An operator fills in a new key when they change it.",
  },
} as const satisfies Record<string, OperatorsSecret>;

/** Everything that outlives a release: accounts and tokens, audio, queued mails and messages, secrets. */
export class DataStack extends Stack {
  readonly table: TableV2;
  readonly audioBucket: Bucket;
  readonly mail: WorkQueue;
  readonly mailSending: MailSending;
  /** Messages of people on the messaging platform that wait for a reply. */
  readonly messages: WorkQueue;
  /** Callbacks that wait for delivery to callers' programs. */
  readonly callbacks: WorkQueue;
  /** The steps of jobs. */
  readonly jobs: WorkQueue;
  /** Exports of accounts that wait to be prepared. */
  readonly exports: WorkQueue;
  /** The key that signs tokens. Its previous version stays valid, so it can be replaced at any time. */
  readonly tokenSigningKey: Secret;
  /** The key that seals the secrets of second factors. Its previous version still opens what it sealed. */
  readonly secondFactorKey: Secret;
  /** JSON object: the API key of the model server for each task, filled by the operator. */
  readonly inferenceKeys: Secret;
  /** JSON object: the messaging platform's verify token, app secret and access token, filled by the operator. */
  readonly platformSecrets: Secret;
  /** JSON object: the client secret at each identity provider, `a` and `b`, filled by the operator. */
  readonly identityProviders: Secret;
  /** JSON object: the token of an operator's account, filled by the operator. */
  readonly canaryKey: Secret;
  /** Reports alarms to an operator; `undefined` when the stage has no address. It is here because every other stack has alarms. */
  readonly alarmTopic: AlarmTopic | undefined;

  private readonly removalPolicy: RemovalPolicy;

  constructor(scope: Construct, id: string, { stage, ...props }: DataStackProps) {
    const { settings } = stage;
    const isRetained = settings.REMOVAL === "retain";
    super(scope, id, { ...props, terminationProtection: isRetained });
    this.removalPolicy = removalPolicy(settings);

    this.table = new TableV2(this, "Table", {
      partitionKey: { name: "PK", type: AttributeType.STRING },
      sortKey: { name: "SK", type: AttributeType.STRING },
      timeToLiveAttribute: "expires_at",
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isRetained,
      removalPolicy: this.removalPolicy,
    });
    this.audioBucket = new AudioStorage(this, "Audio", settings).bucket;
    this.mail = new WorkQueue(this, "Mail", { worker: mailFunction });
    this.mailSending = new MailSending(this, "MailSending", settings);
    this.messages = new WorkQueue(this, "Messages", {
      worker: messagingFunction,
      maxReceives: messageAttempts,
    });
    this.callbacks = new WorkQueue(this, "Callbacks", {
      worker: callbackFunction,
      maxReceives: callbackReceives,
    });
    this.jobs = new WorkQueue(this, "Jobs", { worker: jobWorkerFunction, maxReceives: jobMessageAttempts });
    this.exports = new WorkQueue(this, "Exports", { worker: exportFunction, maxReceives: exportReceives });
    this.tokenSigningKey = this.addTokenSigningKey();
    this.secondFactorKey = this.addSecondFactorKey();
    this.inferenceKeys = this.addOperatorsSecret(operatorsSecrets.inferenceKeys);
    this.platformSecrets = this.addOperatorsSecret(operatorsSecrets.platformSecrets);
    this.identityProviders = this.addOperatorsSecret(operatorsSecrets.identityProviders);
    this.canaryKey = this.addOperatorsSecret(operatorsSecrets.canaryKey);
    const { ALARM_EMAIL: address } = settings;
    this.alarmTopic = address ? new AlarmTopic(this, "AlarmMail", { address }) : undefined;
    this.addOutputs();
    this.keepFormerExports();
  }

  /**
   * Keeps the exports that the API stack of releases without the stack `…-Monitoring` imports. CloudFormation refuses to delete
   * them before that stack is updated, which comes after this one.
   */
  private keepFormerExports(): void {
    for (const { queue, deadLetterQueue } of [this.mail, this.messages]) {
      this.exportValue(queue.queueName);
      this.exportValue(deadLetterQueue.queueName);
    }
  }

  private addTokenSigningKey(): Secret {
    const secret = new Secret(this, "TokenSigningKey", {
      description: "Signs the access tokens of the Language AI Service",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: this.removalPolicy,
    });
    acknowledge(
      secret,
      "AwsSolutions-SMG4",
      "Tokens may never expire; replacing the key twice invalidates those still signed with it, so an operator decides when.",
    );
    return secret;
  }

  private addSecondFactorKey(): Secret {
    const secret = new Secret(this, "SecondFactorKey", {
      description: "Seals the secrets of second factors of the Language AI Service",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: this.removalPolicy,
    });
    acknowledge(
      secret,
      "AwsSolutions-SMG4",
      "Accounts that do not log in between two replacements need a recovery code, so an operator decides when.",
    );
    return secret;
  }

  private addOperatorsSecret({ id, description, reason }: OperatorsSecret): Secret {
    const secret = new Secret(this, id, {
      description,
      // Do not change it: CloudFormation would overwrite the values that an operator has filled in.
      secretStringValue: SecretValue.unsafePlainText("{}"),
      removalPolicy: this.removalPolicy,
    });
    acknowledge(secret, "AwsSolutions-SMG4", reason);
    return secret;
  }

  private addOutputs(): void {
    const outputs = {
      TableName: this.table.tableName,
      AudioBucketName: this.audioBucket.bucketName,
      MailQueueUrl: this.mail.queue.queueUrl,
      MailDeadLetterQueueUrl: this.mail.deadLetterQueue.queueUrl,
      TokenSigningKeyArn: this.tokenSigningKey.secretArn,
      SecondFactorKeyArn: this.secondFactorKey.secretArn,
      InferenceKeysArn: this.inferenceKeys.secretArn,
      MessageQueueUrl: this.messages.queue.queueUrl,
      MessageDeadLetterQueueUrl: this.messages.deadLetterQueue.queueUrl,
      CallbackQueueUrl: this.callbacks.queue.queueUrl,
      CallbackDeadLetterQueueUrl: this.callbacks.deadLetterQueue.queueUrl,
      JobQueueUrl: this.jobs.queue.queueUrl,
      JobDeadLetterQueueUrl: this.jobs.deadLetterQueue.queueUrl,
      ExportQueueUrl: this.exports.queue.queueUrl,
      ExportDeadLetterQueueUrl: this.exports.deadLetterQueue.queueUrl,
      MessagingSecretsArn: this.platformSecrets.secretArn,
      IdentityProvidersSecretArn: this.identityProviders.secretArn,
      CanaryKeyArn: this.canaryKey.secretArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
