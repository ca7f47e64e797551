import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import { acknowledge } from "./acknowledge.ts";

/** What works through a queue, and how often a message is tried before it is dead-lettered. */
export interface WorkQueueProps {
  readonly worker: FunctionDefinition;
  readonly maxReceives?: number;
}

/** A FIFO queue for one worker function, and the queue where messages go that the worker could not handle. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { worker, maxReceives = 5 }: WorkQueueProps) {
    super(scope, id);
    const common = {
      fifo: true,
      enforceSSL: true,
      encryption: QueueEncryption.SQS_MANAGED,
      // AWS's advice for event sources, so that a throttled worker has time for its retries.
      visibilityTimeout: Duration.seconds(6 * worker.timeoutSeconds),
    };
    this.deadLetterQueue = new Queue(this, "DeadLetters", { ...common, retentionPeriod: Duration.days(14) });
    this.queue = new Queue(this, "Queue", {
      ...common,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: maxReceives },
    });
    acknowledge(
      this.deadLetterQueue,
      "Serverless-SQSRedrivePolicy",
      "It is a dead-letter queue itself; an alarm watches it.",
    );
  }
}
