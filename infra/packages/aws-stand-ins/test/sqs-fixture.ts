import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { type SqsServer, startSqs } from "../src/sqs/sqs-server.ts";

/** The SDK's client, as a function would make it, for a server that has been started. */
export const sqsClient = (endpoint: string): SQSClient =>
  new SQSClient({
    endpoint,
    region: "us-east-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });

/**
 * The result of something that an event should bring about. Fails after five seconds, long before the waiting itself
 * would end, so that a result which only came with the end of the waiting is not taken for a prompt one.
 */
export const promptly = async <Result>(waiting: Promise<Result>): Promise<Result> => {
  const late = new AbortController();
  try {
    return await Promise.race([
      waiting,
      setTimeout(5000, undefined, { signal: late.signal }).then(() => {
        throw new Error("The event woke nobody.");
      }),
    ]);
  } finally {
    late.abort();
  }
};

/** What the tests do with one queue, through the SDK. */
export class QueueUnderTest {
  readonly client: SQSClient;
  readonly url: string;

  constructor(client: SQSClient, url: string) {
    this.client = client;
    this.url = url;
  }

  send(body: string, options: Partial<SendMessageCommandInput> = {}) {
    return this.client.send(new SendMessageCommand({ QueueUrl: this.url, MessageBody: body, ...options }));
  }

  async receive(options: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> {
    const { Messages } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.url,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
        ...options,
      }),
    );
    return Messages ?? [];
  }

  /** The one message of a receive. */
  async receiveOne(options: Partial<ReceiveMessageCommandInput> = {}): Promise<Message> {
    const [message, ...others] = await this.receive(options);
    if (message === undefined || others.length > 0) {
      throw new Error(`Expected one message, received ${message === undefined ? 0 : others.length + 1}.`);
    }
    return message;
  }

  async receiveBodies(options: Partial<ReceiveMessageCommandInput> = {}): Promise<(string | undefined)[]> {
    return (await this.receive(options)).map(({ Body }) => Body);
  }

  /**
   * Starts to wait for messages, for 20 seconds. Two round trips later the server is waiting too: the requests of one
   * client arrive in order.
   */
  async startWaiting(): Promise<{ readonly bodies: Promise<(string | undefined)[]> }> {
    const bodies = this.receiveBodies({ WaitTimeSeconds: 20 });
    await this.attributes();
    await this.attributes();
    return { bodies };
  }

  delete({ ReceiptHandle }: Message) {
    return this.client.send(new DeleteMessageCommand({ QueueUrl: this.url, ReceiptHandle }));
  }

  async attributes(): Promise<Record<string, string>> {
    const { Attributes } = await this.client.send(
      new GetQueueAttributesCommand({ QueueUrl: this.url, AttributeNames: ["All"] }),
    );
    return Attributes ?? {};
  }
}

/** A server in a directory of its own, with a clock that a test can put forward. */
export interface SqsUnderTest {
  readonly server: SqsServer;
  readonly client: SQSClient;
  createQueue(name: string, attributes?: Record<string, string>): Promise<QueueUnderTest>;
  passTime(seconds: number): void;
  stop(): Promise<void>;
}

export const startSqsUnderTest = async (): Promise<SqsUnderTest> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "sqs-test-"));
  let skippedMilliseconds = 0;
  const server = await startSqs({ dataDirectory, now: () => Date.now() + skippedMilliseconds });
  const client = sqsClient(server.endpoint);
  return {
    server,
    client,
    createQueue: async (name, attributes = {}) => {
      await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
      return new QueueUnderTest(client, server.queueUrl(name));
    },
    passTime: (seconds) => {
      skippedMilliseconds += seconds * 1000;
    },
    stop: async () => {
      client.destroy();
      await server.close();
      await rm(dataDirectory, { recursive: true });
    },
  };
};
