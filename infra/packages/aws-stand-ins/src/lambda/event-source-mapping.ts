import { setTimeout as pause } from "node:timers/promises";
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { AccessKey } from "../iam/authority.ts";
import { localRegion } from "../iam/local-account.ts";
import type { LambdaService } from "./lambda-service.ts";
import { createSqsEvent, readBatchOutcome } from "./sqs-batch.ts";

/** The longest wait that SQS allows in one call. */
const waitSeconds = 20;

/** The largest batch of one call, for SQS. */
const maxBatchSize = 10;

const callMilliseconds = 10_000;

const anyKey = { accessKeyId: "local", secretAccessKey: "local" };

interface QueueOptions {
  /** Where the queue is served, such as `http://127.0.0.1:9324`. */
  readonly endpoint: string;
  readonly queueUrl: string;
  /** Those of the function's role, which needs the permissions to receive and delete, as on AWS. */
  readonly credentials?: AccessKey;
  /** Those with which failed messages are released early. AWS does not do that, so the role needs no permission for it. */
  readonly releaseCredentials?: AccessKey;
}

/** What an event source mapping does with its queue. */
class QueueClient {
  readonly #client: SQSClient;
  readonly #releasing: SQSClient;
  readonly #queueUrl: string;

  constructor({ endpoint, queueUrl, credentials, releaseCredentials }: QueueOptions) {
    this.#queueUrl = queueUrl;
    const clientOf = (key: AccessKey) =>
      new SQSClient({ endpoint, region: localRegion, credentials: { ...key } });
    this.#client = clientOf(credentials ?? anyKey);
    this.#releasing = clientOf(releaseCredentials ?? anyKey);
  }

  /**
   * Waits up to twenty seconds for messages.
   *
   * @throws with the signal's reason, or when the queue cannot be reached
   */
  async receive(max: number, signal: AbortSignal): Promise<Message[]> {
    const timeout = AbortSignal.timeout(waitSeconds * 1_000 + callMilliseconds);
    const { Messages } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
      { abortSignal: AbortSignal.any([signal, timeout]) },
    );
    return Messages ?? [];
  }

  /** Reads the queue's attributes, for which AWS requires the function's role to have permission. */
  async check(): Promise<void> {
    const command = new GetQueueAttributesCommand({ QueueUrl: this.#queueUrl, AttributeNames: ["QueueArn"] });
    await this.#client.send(command, { abortSignal: AbortSignal.timeout(callMilliseconds) });
  }

  /** @throws when a message could not be deleted, and so will be delivered again */
  async delete(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const { Failed = [] } = await this.#client.send(
      new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries: messages.map(createEntry) }),
      { abortSignal: AbortSignal.timeout(callMilliseconds) },
    );
    if (Failed.length > 0) throw new Error(`${Failed.length} messages could not be deleted.`);
  }

  /** Makes messages visible again, each after its own delay. */
  async release(messages: readonly Message[], delaySeconds: (message: Message) => number): Promise<void> {
    if (messages.length === 0) return;
    await this.#releasing.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: messages.map((message, index) => ({
          ...createEntry(message, index),
          VisibilityTimeout: delaySeconds(message),
        })),
      }),
      { abortSignal: AbortSignal.timeout(callMilliseconds) },
    );
  }

  close(): void {
    this.#client.destroy();
    this.#releasing.destroy();
  }
}

const createEntry = (message: Message, index: number): { Id: string; ReceiptHandle: string | undefined } => ({
  Id: String(index),
  ReceiptHandle: message.ReceiptHandle,
});

/** AWS begins with five pollers, too. */
const pollerCount = 5;

/** In seconds. */
export const defaultRetryDelay = (receiveCount: number): number => Math.min(receiveCount, 30);

interface EventSourceMappingOptions extends QueueOptions {
  lambda: Pick<LambdaService, "invoke">;
  functionName: string;
  queueArn: string;
  /** Above 10 a mapping on AWS has a batching window; here a batch is never larger than that. */
  batchSize: number;
  /** How many batches may be in progress at a time; five, and never more. */
  maxConcurrency?: number;
  /** Whether the function returns `batchItemFailures`. */
  reportBatchItemFailures: boolean;
  log: (line: string) => void;
  /** How long to wait after the queue could not be reached; a second unless given. */
  pauseMilliseconds?: number;
  /** How long a message stays hidden that failed for the n-th time; n seconds unless given, and half a minute at most. */
  retryDelaySeconds?: (receiveCount: number) => number;
}

/**
 * Delivers the messages of an SQS queue to a function, as a Lambda event source mapping does.
 *
 * Messages of one FIFO group are delivered in order, one batch at a time; different groups at the same time. A failed
 * message becomes visible again after as many seconds as it has been received times, so that the queue's redrive
 * policy takes effect soon; on AWS it stays hidden for the queue's visibility timeout.
 */
export class EventSourceMapping {
  readonly #options: EventSourceMappingOptions;
  readonly #queue: QueueClient;
  readonly #fifo: boolean;
  readonly #closing = new AbortController();
  readonly #pollers: readonly Promise<void>[];
  #reachable = true;

  /** Begins to poll at once. */
  constructor(options: EventSourceMappingOptions) {
    const { queueArn, maxConcurrency = pollerCount } = options;
    this.#options = options;
    this.#fifo = queueArn.endsWith(".fifo");
    this.#queue = new QueueClient(options);
    this.#pollers = Array.from({ length: Math.min(maxConcurrency, pollerCount) }, () => this.#poll());
  }

  /** Stops polling. Resolved when the batches in flight have been dealt with. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#pollers);
    this.#queue.close();
  }

  async #poll(): Promise<void> {
    const max = Math.min(this.#options.batchSize, maxBatchSize);
    let isChecked = false;
    while (!this.#closing.signal.aborted) {
      try {
        if (!isChecked) await this.#queue.check();
        isChecked = true;
        const messages = await this.#queue.receive(max, this.#closing.signal);
        this.#reachable = true;
        await Promise.all(this.#split(messages).map((batch) => this.#deliver(batch)));
      } catch (error) {
        await this.#pauseAfter(error);
      }
    }
  }

  #split(messages: Message[]): Message[][] {
    if (messages.length === 0) return [];
    if (!this.#fifo) return [messages];
    return [...Map.groupBy(messages, ({ Attributes }) => Attributes?.MessageGroupId).values()];
  }

  async #deliver(batch: Message[]): Promise<void> {
    const { lambda, functionName, queueArn, reportBatchItemFailures, log } = this.#options;
    const { retryDelaySeconds = defaultRetryDelay } = this.#options;
    try {
      const result = await lambda.invoke(functionName, createSqsEvent(batch, queueArn));
      const outcome = readBatchOutcome(batch, result, { reportBatchItemFailures, fifo: this.#fifo });
      await this.#queue.delete(outcome.succeeded);
      await this.#queue.release(outcome.failed, ({ Attributes }) =>
        retryDelaySeconds(Number(Attributes?.ApproximateReceiveCount ?? 1)),
      );
    } catch (error) {
      log(`Messages of ${queueArn} could not be dealt with and will come again. ${error}`);
    }
  }

  /** Says once that the queue is out of reach, however many pollers find it and however long it lasts. */
  async #pauseAfter(error: unknown): Promise<void> {
    if (this.#closing.signal.aborted) return;
    if (this.#reachable) this.#options.log(`Cannot receive from ${this.#options.queueArn}. ${error}`);
    this.#reachable = false;
    const { pauseMilliseconds = 1_000 } = this.#options;
    await pause(pauseMilliseconds, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}
