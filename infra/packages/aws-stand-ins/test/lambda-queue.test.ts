import type { SQSEvent } from "aws-lambda";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { defaultRetryDelay, EventSourceMapping } from "../src/lambda/event-source-mapping.ts";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import { queueArn } from "../src/sqs/queue-settings.ts";
import { startLambda } from "./lambda-fixture.ts";
import { QueueUnderTest, type SqsUnderTest, startSqsUnderTest } from "./sqs-fixture.ts";

let sqs: SqsUnderTest;
let mapping: EventSourceMapping | undefined;

beforeAll(async () => {
  sqs = await startSqsUnderTest();
});

afterEach(async () => {
  await mapping?.close();
});

afterAll(async () => {
  await sqs.stop();
});

type Handler = (bodies: string[], event: SQSEvent) => Promise<unknown>;

/** Maps the queue to a function of the test, and returns the bodies of all its invocations. */
const map = (queue: QueueUnderTest, handler: Handler, batchSize = 10) => {
  const batches: string[] = [];
  const log: string[] = [];
  const retries: number[] = [];
  const invoke = async (_functionName: string, event: unknown): Promise<InvocationResult> => {
    const sqsEvent: SQSEvent = Object(event);
    const bodies = sqsEvent.Records.map(({ body }) => body);
    batches.push(bodies.join(" "));
    try {
      const response = await handler(bodies, sqsEvent);
      return { kind: "buffered", payload: Buffer.from(JSON.stringify(response ?? null)) };
    } catch (error) {
      return { kind: "error", errorType: "Error", errorMessage: String(error) };
    }
  };
  mapping = new EventSourceMapping({
    lambda: { invoke },
    functionName: "worker",
    endpoint: sqs.server.endpoint,
    queueUrl: queue.url,
    queueArn: queueArn(queueName(queue)),
    batchSize,
    reportBatchItemFailures: true,
    log: (line) => log.push(line),
    pauseMilliseconds: 10,
    retryDelaySeconds: (receiveCount) => {
      retries.push(receiveCount);
      return 0;
    },
  });
  return { batches, log, retries };
};

const queueName = (queue: QueueUnderTest): string => queue.url.split("/").at(-1) ?? "";

const isEmpty = async (queue: QueueUnderTest): Promise<boolean> => {
  const attributes = await queue.attributes();
  return (
    attributes["ApproximateNumberOfMessages"] === "0" &&
    attributes["ApproximateNumberOfMessagesNotVisible"] === "0"
  );
};

const untilEmpty = (queue: QueueUnderTest) =>
  expect.poll(() => isEmpty(queue), { timeout: 20_000 }).toBe(true);

const fifo = { FifoQueue: "true", ContentBasedDeduplication: "true" };
const sendTo = (queue: QueueUnderTest, group: string, ...bodies: string[]) =>
  bodies.reduce(
    (sent, body) => sent.then(() => queue.send(body, { MessageGroupId: group })).then(() => {}),
    Promise.resolve(),
  );

const failuresOf = (event: SQSEvent, body: string) => ({
  batchItemFailures: event.Records.filter((record) => record.body === body).map(({ messageId }) => ({
    itemIdentifier: messageId,
  })),
});

describe("A queue mapped to a function", () => {
  it("has its messages delivered as on AWS, and then deleted", async () => {
    const queue = await sqs.createQueue("delivered.fifo", fifo);
    const { MessageId } = await queue.send("hello", {
      MessageGroupId: "group-1",
      MessageAttributes: {
        text: { DataType: "String", StringValue: "Webale" },
        bytes: { DataType: "Binary", BinaryValue: Buffer.from([1, 2, 3]) },
      },
    });
    const events: SQSEvent[] = [];
    map(queue, async (_bodies, event) => void events.push(event));
    await untilEmpty(queue);
    expect(events).toEqual([
      {
        Records: [
          {
            messageId: MessageId,
            receiptHandle: expect.stringMatching(/./),
            body: "hello",
            attributes: {
              ApproximateReceiveCount: "1",
              ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
              SentTimestamp: expect.stringMatching(/^\d{13}$/),
              SenderId: expect.stringMatching(/./),
              MessageGroupId: "group-1",
              MessageDeduplicationId: expect.stringMatching(/./),
              SequenceNumber: expect.stringMatching(/^\d+$/),
            },
            messageAttributes: {
              text: { dataType: "String", stringValue: "Webale", stringListValues: [], binaryListValues: [] },
              bytes: { dataType: "Binary", binaryValue: "AQID", stringListValues: [], binaryListValues: [] },
            },
            md5OfBody: "5d41402abc4b2a76b9719d911017c592",
            eventSource: "aws:sqs",
            eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:delivered.fifo",
            awsRegion: "us-east-1",
          },
        ],
      },
    ]);
  });

  it("keeps the order of each group, in batches of the size that is set", async () => {
    const queue = await sqs.createQueue("ordered.fifo", fifo);
    await sendTo(queue, "group-1", "1", "2", "3", "4", "5");
    const { batches } = map(queue, async () => {}, 2);
    await untilEmpty(queue);
    expect(batches).toEqual(["1 2", "3 4", "5"]);
  });

  it("has different groups delivered at the same time", async () => {
    const queue = await sqs.createQueue("parallel.fifo", fifo);
    await sendTo(queue, "group-1", "waits for 2");
    await sendTo(queue, "group-2", "2");
    const second = Promise.withResolvers<void>();
    map(queue, async ([body]) => (body === "2" ? second.resolve() : second.promise));
    await untilEmpty(queue);
  });

  it("has only the messages that failed delivered again", async () => {
    const queue = await sqs.createQueue("partly");
    for (const body of ["a", "b", "c"]) await queue.send(body);
    let failed = false;
    const { batches } = map(queue, async (bodies, event) => {
      if (failed || !bodies.includes("b")) return undefined;
      failed = true;
      return failuresOf(event, "b");
    });
    await untilEmpty(queue);
    expect(batches.join(" ").split(" ").toSorted()).toEqual(["a", "b", "b", "c"]);
  });

  it("has all that follows a failure in its group delivered again, in order, and other groups not", async () => {
    const queue = await sqs.createQueue("partly.fifo", fifo);
    await sendTo(queue, "group-1", "1", "2", "3");
    await sendTo(queue, "group-2", "other");
    let failed = false;
    const { batches } = map(queue, async (bodies, event) => {
      if (failed || !bodies.includes("2")) return undefined;
      failed = true;
      return failuresOf(event, "2");
    });
    await untilEmpty(queue);
    expect(batches.toSorted()).toEqual(["1 2 3", "2 3", "other"]);
  });

  it("has what fails again and again moved to its dead-letter queue", async () => {
    const dead = await sqs.createQueue("dead.fifo", fifo);
    const redrive = { deadLetterTargetArn: queueArn("dead.fifo"), maxReceiveCount: 2 };
    const queue = await sqs.createQueue("failing.fifo", { ...fifo, RedrivePolicy: JSON.stringify(redrive) });
    await sendTo(queue, "group-1", "bad");
    const counts: (string | undefined)[] = [];
    const { retries } = map(queue, async (_bodies, event) => {
      counts.push(event.Records[0]?.attributes.ApproximateReceiveCount);
      throw new Error("always");
    });
    await expect.poll(() => dead.receiveBodies(), { timeout: 15_000 }).toEqual(["bad"]);
    expect(counts).toEqual(["1", "2"]);
    expect(retries).toEqual([1, 2]);
  });

  it("comes back after as many seconds as it was received times, and after half a minute at most", () => {
    expect([1, 2, 30, 31, 1_000].map(defaultRetryDelay)).toEqual([1, 2, 30, 30, 30]);
  });

  it("is not left in the middle of a batch when the mapping is closed", async () => {
    const queue = await sqs.createQueue("closing");
    await queue.send("a");
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { log } = map(queue, async () => {
      started.resolve();
      await goOn.promise;
    });
    await started.promise;
    const closed = mapping?.close();
    goOn.resolve();
    await closed;
    expect(await isEmpty(queue)).toBe(true);
    expect(log).toEqual([]);
  });

  it("that is out of reach is reported once, and served when it is back", async () => {
    const queue = new QueueUnderTest(sqs.client, sqs.server.queueUrl("absent"));
    const { batches, log } = map(queue, async () => {});
    await expect.poll(() => log.length, { timeout: 20_000 }).toBe(1);
    expect(log[0]).toContain("Cannot receive from arn:aws:sqs:us-east-1:000000000000:absent.");
    await sqs.createQueue("absent");
    await queue.send("a");
    await expect.poll(() => batches, { timeout: 10_000 }).toEqual(["a"]);
    expect(log).toHaveLength(1);
  });

  it("is served by a function of the service", async () => {
    const lambda = await startLambda({
      source: `export const worker = async (event) => {
        console.log(event.Records.map(({ body }) => body).join(" "));
      };`,
      functions: { worker: {} },
    });
    const queue = await sqs.createQueue("whole.fifo", fifo);
    await sendTo(queue, "group-1", "one", "two");
    mapping = new EventSourceMapping({
      lambda: lambda.service,
      functionName: "worker",
      endpoint: sqs.server.endpoint,
      queueUrl: queue.url,
      queueArn: queueArn("whole.fifo"),
      batchSize: 10,
      reportBatchItemFailures: false,
      log: () => {},
    });
    await untilEmpty(queue);
    await expect.poll(() => lambda.log, { timeout: 20_000 }).toEqual(["worker: one two"]);
    await mapping.close();
    await lambda.stop();
  });
});
