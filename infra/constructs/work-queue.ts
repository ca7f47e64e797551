import { Duration } from "aws-cdk-lib";
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { acknowledge } from "./acknowledge.ts";

export interface WorkQueueProps {
  readonly worker: FunctionDefinition;
  /** How often a message is received before it is dead-lettered; by default 5 times. */
  readonly maxReceives?: number;
}

/** A FIFO queue for one worker function, with a dead-letter queue. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { worker, maxReceives = 5 }: WorkQueueProps) {
    super(scope, id);
    const common = {
      fifo: true,
      enforceSSL: true,
      encryption: QueueEncryption.SQS_MANAGED,
      // AWS's advice for event sources: it leaves a throttled worker time for its retries.
      visibilityTimeout: Duration.seconds(6 * worker.timeoutSeconds),
    };
    this.deadLetterQueue = new Queue(this, "DeadLetters", { ...common, retentionPeriod: Duration.days(14) });
    this.queue = new Queue(this, "Queue", {
      ...common,
      // High throughput: thousands of messages a second, not 300. Senders give messages with the same id the same group.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: maxReceives },
    });
    acknowledge(
      this.deadLetterQueue,
      "Serverless-SQSRedrivePolicy",
      "It is a dead-letter queue itself; an alarm watches it.",
    );
  }
}
