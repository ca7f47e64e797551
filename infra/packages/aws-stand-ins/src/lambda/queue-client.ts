import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";

/** The longest wait that SQS allows in one call. */
const WAIT_SECONDS = 20;

/** The largest batch of one call, for SQS. */
export const LARGEST_BATCH = 10;

const CALL_MILLISECONDS = 10_000;

/** What an event source mapping does with its queue. */
export class QueueClient {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(options: { endpoint: string; region: string; queueUrl: string }) {
    this.#queueUrl = options.queueUrl;
    this.#client = new SQSClient({
      endpoint: options.endpoint,
      region: options.region,
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
  }

  /**
   * Waits up to twenty seconds for messages.
   *
   * @throws with the signal's reason, or when the queue cannot be reached
   */
  async receive(maximum: number, signal: AbortSignal): Promise<Message[]> {
    const timeout = AbortSignal.timeout(WAIT_SECONDS * 1_000 + CALL_MILLISECONDS);
    const { Messages } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: maximum,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
      { abortSignal: AbortSignal.any([signal, timeout]) },
    );
    return Messages ?? [];
  }

  /** @throws when a message could not be deleted, and so will be delivered again */
  async delete(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const { Failed = [] } = await this.#client.send(
      new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries: messages.map(createEntry) }),
      { abortSignal: AbortSignal.timeout(CALL_MILLISECONDS) },
    );
    if (Failed.length > 0) throw new Error(`${Failed.length} messages could not be deleted.`);
  }

  /** Makes messages visible again, each after its own delay. */
  async release(messages: readonly Message[], delaySeconds: (message: Message) => number): Promise<void> {
    if (messages.length === 0) return;
    await this.#client.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: messages.map((message, index) => ({
          ...createEntry(message, index),
          VisibilityTimeout: delaySeconds(message),
        })),
      }),
      { abortSignal: AbortSignal.timeout(CALL_MILLISECONDS) },
    );
  }

  close(): void {
    this.#client.destroy();
  }
}

function createEntry(message: Message, index: number): { Id: string; ReceiptHandle: string | undefined } {
  return { Id: String(index), ReceiptHandle: message.ReceiptHandle };
}
