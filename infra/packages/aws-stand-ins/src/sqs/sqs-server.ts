import { awsJsonProtocol } from "../aws-protocol/aws-json.ts";
import { startAwsServer } from "../aws-protocol/aws-server.ts";
import type { Authority } from "../iam/authority.ts";
import { localAccountId } from "../iam/local-account.ts";
import { messageOperations } from "./message-operations.ts";
import { MessageStore } from "./message-store.ts";
import { QueueChanges } from "./queue-changes.ts";
import { queueOperations } from "./queue-operations.ts";
import { queueNameSchema, queueSettingsSchema } from "./queue-settings.ts";
import { QueueStore } from "./queue-store.ts";
import { requireAccess } from "./required-access.ts";
import { openSqsDatabase } from "./sqs-database.ts";
import { queryErrorHeader, refuseInput } from "./sqs-errors.ts";

// A batch holds 1 MiB of messages, and JSON may need six bytes for one (`\u0001`).
const maxBodyBytes = 8 * 1_048_576;

/** SQS on this machine: FIFO and standard queues that keep their messages across restarts. */
export interface SqsServer {
  readonly endpoint: string;
  /** The URL of a queue, whether it exists or not. Only valid while the server runs, because it names the port. */
  queueUrl(queueName: string): string;
  /**
   * Creates or updates a queue from the properties of an `AWS::SQS::Queue` resource; its messages stay. A property that
   * the template leaves out has its default again. Properties without a meaning on one machine, such as encryption and
   * tags, are ignored.
   *
   * @param properties the resource's properties after intrinsic functions were resolved.
   * @throws ZodError when a property is out of its bounds, AwsError when name, kind of queue and dead-letter queue do not
   *   fit, or the dead-letter queue was not created before.
   */
  ensureQueue(queueName: string, properties: unknown): void;
  /**
   * Announces that a worker of this process is about to receive messages from a queue. What is in flight there
   * belonged to a worker of an earlier process, which is gone, and is delivered again. A dead-letter queue counts as
   * busy from now on.
   */
  attachWorker(queueName: string): void;
  /** True when no queue has visible, delayed or in-flight messages; dead-letter queues without a worker do not count. */
  isIdle(): boolean;
  /** Resolves with true as soon as the queues are idle, or with false after the timeout or when the server closes. */
  whenIdle(timeoutMilliseconds: number): Promise<boolean>;
  close(): Promise<void>;
}

interface SqsOptions {
  /** The folder of `sqs.sqlite`; created when it is missing. */
  readonly dataDirectory: string;
  /** 0, the default, lets the system choose one. */
  readonly port?: number;
  /** Unix time in milliseconds, for delays, timeouts and deduplication. */
  readonly now?: () => number;
  /** Judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
}

/** Starts the service on the loopback interface. */
export const startSqs = async ({
  dataDirectory,
  port,
  now = Date.now,
  authority,
}: SqsOptions): Promise<SqsServer> => {
  const database = openSqsDatabase(dataDirectory);
  const changes = new QueueChanges();
  const queues = new QueueStore(database, now);
  const messages = new MessageStore(database, changes, now);
  const closing = new AbortController();
  const attended = new Set<string>();
  const queueUrl = (queueName: string): string => `${server.endpoint}/${localAccountId}/${queueName}`;

  const protocol = awsJsonProtocol({
    version: "1.0",
    target: "AmazonSQS",
    operations: new Map([
      ...queueOperations(queues, messages, queueUrl),
      ...messageOperations(queues, { messages, changes, now }),
    ]),
    maxBodyBytes: maxBodyBytes,
    refuse: refuseInput,
    errorType: (code) => `com.amazonaws.sqs#${code}`,
    errorHeaders: queryErrorHeader,
    ...(authority && { requireAccess: requireAccess(authority) }),
  });
  const server = await startAwsServer(protocol, port).catch((error: unknown) => {
    database.close();
    throw error;
  });

  const isIdle = (): boolean =>
    queues.all().every((queue) => {
      const { visible, inFlight, delayed } = messages.counts(queue);
      const isUnattended = queues.isDeadLetterQueue(queue.name) && !attended.has(queue.name);
      return visible + inFlight + delayed === 0 || isUnattended;
    });

  return {
    endpoint: server.endpoint,
    queueUrl,
    ensureQueue: (queueName, properties) => {
      queues.save(queueNameSchema.parse(queueName), queueSettingsSchema.parse(properties ?? {}));
      changes.announce(queueName);
    },
    attachWorker: (queueName) => {
      attended.add(queueName);
      messages.releaseInFlight(queueName);
    },
    isIdle,
    whenIdle: async (timeoutMilliseconds) => {
      const deadline = performance.now() + timeoutMilliseconds;
      while (!closing.signal.aborted) {
        if (isIdle()) return true;
        const left = deadline - performance.now();
        if (left <= 0) return false;
        await changes.nextOfAny(left, closing.signal);
      }
      return false;
    },
    close: async () => {
      closing.abort();
      await server.close();
      database.close();
    },
  };
};
