import { ChangeMessageVisibilityCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueArn } from "../src/sqs/queue-settings.ts";
import { promptly, type QueueUnderTest, type SqsUnderTest, startSqsUnderTest } from "./sqs-fixture.ts";

let sqs: SqsUnderTest;

beforeAll(async () => {
  sqs = await startSqsUnderTest();
});

afterAll(async () => {
  await sqs.stop();
});

const createFifo = (name: string, attributes: Record<string, string> = {}) =>
  sqs.createQueue(`${name}.fifo`, { FifoQueue: "true", ContentBasedDeduplication: "true", ...attributes });

const sendAll = async (queue: QueueUnderTest, group: string, bodies: readonly string[]): Promise<void> => {
  for (const body of bodies) await queue.send(body, { MessageGroupId: group });
};

describe("A message group of a FIFO queue", () => {
  it("keeps the order of sending", async () => {
    const queue = await createFifo("order");
    await sendAll(queue, "group", ["1", "2", "3"]);

    const messages = await queue.receive();

    expect(messages.map(({ Body }) => Body)).toEqual(["1", "2", "3"]);
    const sequenceNumbers = messages.map(({ Attributes }) => Attributes?.["SequenceNumber"] ?? "");
    expect(sequenceNumbers).toEqual([...new Set(sequenceNumbers)].sort());
    expect(messages[0]?.Attributes).toMatchObject({
      MessageGroupId: "group",
      MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("waits while one of its messages is in flight, and no other group waits with it", async () => {
    const queue = await createFifo("lock");
    await sendAll(queue, "slow", ["slow 1", "slow 2"]);
    const first = await queue.receiveOne({ MaxNumberOfMessages: 1 });
    await sendAll(queue, "fast", ["fast 1"]);

    expect(await queue.receiveBodies()).toEqual(["fast 1"]);
    await queue.delete(first);
    expect(await queue.receiveBodies()).toEqual(["slow 2"]);
  });

  it("wakes who waits for it when its message in flight is deleted", async () => {
    const queue = await createFifo("lock-wakes");
    await sendAll(queue, "group", ["1", "2"]);
    const first = await queue.receiveOne({ MaxNumberOfMessages: 1 });
    const waiting = await queue.startWaiting();
    await queue.delete(first);

    expect(await promptly(waiting.bodies)).toEqual(["2"]);
  });

  it("delivers a failed message again before those that follow it", async () => {
    const queue = await createFifo("retry-order");
    await sendAll(queue, "group", ["1", "2"]);
    const first = await queue.receiveOne({ MaxNumberOfMessages: 1 });
    await sqs.client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: queue.url,
        ReceiptHandle: first.ReceiptHandle,
        VisibilityTimeout: 0,
      }),
    );

    expect(await queue.receiveBodies()).toEqual(["1", "2"]);
  });

  it("continues with the next message when one was moved to the dead-letter queue", async () => {
    const deadLetters = await createFifo("poisoned-dead-letters");
    const queue = await createFifo("poisoned", {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: queueArn("poisoned-dead-letters.fifo"),
        maxReceiveCount: 2,
      }),
    });
    await sendAll(queue, "group", ["poison", "good"]);
    for (const _delivery of ["first", "second"]) {
      await queue.receiveOne({ MaxNumberOfMessages: 1, VisibilityTimeout: 0 });
    }

    expect(await queue.receiveBodies()).toEqual(["good"]);
    expect(await deadLetters.receiveBodies()).toEqual(["poison"]);
  });

  it("keeps its order when the queue's delay is taken away", async () => {
    const queue = await createFifo("shorter-delay", { DelaySeconds: "60" });
    await sendAll(queue, "group", ["1"]);
    sqs.server.ensureQueue("shorter-delay.fifo", { FifoQueue: true, ContentBasedDeduplication: true });
    await sendAll(queue, "group", ["2"]);

    expect(await queue.receive()).toEqual([]);
    sqs.passTime(61);
    expect(await queue.receiveBodies()).toEqual(["1", "2"]);
  });
});

describe("Deduplication in a FIFO queue", () => {
  it("accepts the same deduplication id once and returns the first message", async () => {
    const queue = await createFifo("by-id");
    const options = { MessageGroupId: "group", MessageDeduplicationId: "delivery-1" };
    const first = await queue.send("one text", options);
    const second = await queue.send("another text", options);

    expect(second.MessageId).toBe(first.MessageId);
    expect(second.SequenceNumber).toBe(first.SequenceNumber);
    expect(await queue.receiveBodies()).toEqual(["one text"]);
  });

  it("takes the same text once when it is based on content", async () => {
    const queue = await createFifo("by-content");
    await sendAll(queue, "group", ["same", "same", "other"]);

    expect(await queue.receiveBodies()).toEqual(["same", "other"]);
  });

  it("also refuses what was received and deleted meanwhile, until five minutes have passed", async () => {
    const queue = await createFifo("window");
    await sendAll(queue, "group", ["same"]);
    await queue.delete(await queue.receiveOne());
    sqs.passTime(299);
    await sendAll(queue, "group", ["same"]);
    expect(await queue.receive()).toEqual([]);
    sqs.passTime(2);
    await sendAll(queue, "group", ["same"]);

    expect(await queue.receiveBodies()).toEqual(["same"]);
  });

  it("is separate for each message group when the queue says so", async () => {
    const queue = await createFifo("by-group", { DeduplicationScope: "messageGroup" });
    for (const group of ["a", "b", "a"]) await sendAll(queue, group, ["same"]);

    expect(await queue.receiveBodies()).toEqual(["same", "same"]);
  });
});

describe("A FIFO queue refuses", () => {
  it("a message without a group", async () => {
    const queue = await createFifo("no-group");
    await expect(queue.send("x")).rejects.toMatchObject({ name: "MissingParameter" });
  });

  it("a message without a deduplication id when the content does not give one", async () => {
    const queue = await createFifo("no-id", { ContentBasedDeduplication: "false" });
    await expect(queue.send("x", { MessageGroupId: "group" })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  it("a delay of a single message", async () => {
    const queue = await createFifo("single-delay");
    await expect(queue.send("x", { MessageGroupId: "group", DelaySeconds: 5 })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });

  it("to delete a message whose visibility timeout has passed", async () => {
    const queue = await createFifo("late", { VisibilityTimeout: "30" });
    await sendAll(queue, "group", ["x"]);
    const message = await queue.receiveOne();
    sqs.passTime(31);

    await expect(queue.delete(message)).rejects.toMatchObject({
      name: "InvalidParameterValue",
      message: expect.stringContaining("The receipt handle has expired."),
    });
    expect(await queue.receiveBodies()).toEqual(["x"]);
  });

  it("a dead-letter queue that is not FIFO", async () => {
    await sqs.createQueue("standard-dead-letters");
    const policy = { deadLetterTargetArn: queueArn("standard-dead-letters"), maxReceiveCount: 1 };
    await expect(createFifo("mixed", { RedrivePolicy: JSON.stringify(policy) })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
  });
});
