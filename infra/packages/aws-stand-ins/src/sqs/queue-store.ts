import type { DatabaseSync, StatementSync } from "node:sqlite";
import * as z from "zod";
import { deadLetterQueueName, type QueueSettings, queueSettingsSchema } from "./queue-settings.ts";
import { invalidParameter, sqsError } from "./sqs-errors.ts";

export interface Queue {
  readonly name: string;
  readonly settings: QueueSettings;
  /** Unix time in milliseconds, as is `modifiedAt`. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

const queueRowSchema = z
  .object({
    name: z.string(),
    settings: z.string().transform((text) => queueSettingsSchema.parse(JSON.parse(text))),
    created_at: z.number(),
    modified_at: z.number(),
  })
  .transform(
    (row): Queue => ({
      name: row.name,
      settings: row.settings,
      createdAt: row.created_at,
      modifiedAt: row.modified_at,
    }),
  );

/** The queues and their settings. */
export class QueueStore {
  readonly #now: () => number;
  readonly #select: StatementSync;
  readonly #selectAll: StatementSync;
  readonly #upsert: StatementSync;

  constructor(database: DatabaseSync, now: () => number) {
    this.#now = now;
    this.#select = database.prepare("SELECT * FROM queue WHERE name = ?");
    this.#selectAll = database.prepare("SELECT * FROM queue ORDER BY name");
    this.#upsert = database.prepare(`
      INSERT INTO queue (name, settings, created_at, modified_at) VALUES (:name, :settings, :now, :now)
      ON CONFLICT (name) DO UPDATE SET settings = excluded.settings, modified_at = excluded.modified_at
    `);
  }

  find(name: string): Queue | undefined {
    const row = this.#select.get(name);
    return row && queueRowSchema.parse(row);
  }

  /** @throws AwsError `QueueDoesNotExist` */
  get(name: string): Queue {
    const queue = this.find(name);
    if (queue === undefined) throw sqsError("QueueDoesNotExist", "The specified queue does not exist.");
    return queue;
  }

  /**
   * The queue that a URL names. Only its last segment counts: the port may have changed since the caller wrote the URL
   * down.
   *
   * @throws AwsError `QueueDoesNotExist`
   */
  getByUrl(url: string): Queue {
    return this.get(url.slice(url.lastIndexOf("/") + 1));
  }

  all(): Queue[] {
    return this.#selectAll.all().map((row) => queueRowSchema.parse(row));
  }

  /** Whether some queue's redrive policy points to this one. */
  isDeadLetterQueue(name: string): boolean {
    return this.all().some(({ settings }) => deadLetterQueueName(settings) === name);
  }

  /**
   * Creates the queue or replaces its settings; its messages stay.
   *
   * @throws AwsError `InvalidParameterValue` when the name or the dead-letter queue does not fit the kind of queue.
   */
  save(name: string, settings: QueueSettings): void {
    this.#checkKind(name, settings);
    this.#checkRedrivePolicy(name, settings);
    this.#upsert.run({ name, settings: JSON.stringify(settings), now: this.#now() });
  }

  #checkKind(name: string, settings: QueueSettings): void {
    if (settings.FifoQueue !== name.endsWith(".fifo")) {
      throw invalidParameter(
        "QueueName",
        name,
        "The name of a FIFO queue, and of no other, must end with the .fifo suffix.",
      );
    }
    if (settings.ContentBasedDeduplication && !settings.FifoQueue) {
      throw sqsError("InvalidAttributeName", "Unknown Attribute ContentBasedDeduplication.");
    }
  }

  #checkRedrivePolicy(name: string, settings: QueueSettings): void {
    const target = deadLetterQueueName(settings);
    if (target === undefined) return;
    const policy = JSON.stringify(settings.RedrivePolicy);
    const targetQueue = this.find(target);
    if (targetQueue === undefined || target === name) {
      throw invalidParameter("RedrivePolicy", policy, "Dead letter target does not exist.");
    }
    if (targetQueue.settings.FifoQueue !== settings.FifoQueue) {
      throw invalidParameter(
        "RedrivePolicy",
        policy,
        "Dead-letter queue must be same type of queue as the source.",
      );
    }
  }
}
