import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from "@aws-sdk/client-sqs";
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

const changeVisibility = (queue: QueueUnderTest, receiptHandle: string | undefined, seconds: number) =>
  sqs.client.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: queue.url,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }),
  );

describe("A queue of the embedded SQS", () => {
  it("is listed by its prefix", async () => {
    const queue = await sqs.createQueue("found-by-name");
    await sqs.createQueue("other");
    const { QueueUrls } = await sqs.client.send(new ListQueuesCommand({ QueueNamePrefix: "found" }));
    expect(QueueUrls).toEqual([queue.url]);
  });

  it("describes itself with its settings, its ARN and the number of its messages", async () => {
    const queue = await sqs.createQueue("described", { VisibilityTimeout: "2" });
    await queue.send("in flight");
    await queue.receiveOne();
    await queue.send("visible");
    await queue.send("delayed", { DelaySeconds: 60 });

    expect(await queue.attributes()).toMatchObject({
      QueueArn: "arn:aws:sqs:us-east-1:000000000000:described",
      VisibilityTimeout: "2",
      MaximumMessageSize: "1048576",
      ApproximateNumberOfMessages: "1",
      ApproximateNumberOfMessagesNotVisible: "1",
      ApproximateNumberOfMessagesDelayed: "1",
    });
  });

  it("returns only the requested attributes and refuses unknown ones", async () => {
    const queue = await sqs.createQueue("asked");
    const ask = (name: "QueueArn" | "Policy") =>
      sqs.client.send(new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: [name] }));

    expect((await ask("QueueArn")).Attributes).toEqual({ QueueArn: queueArn("asked") });
    await expect(ask("Policy")).rejects.toMatchObject({ name: "InvalidAttributeName" });
  });

  it("may be created again with the same attributes but not with different ones", async () => {
    const first = await sqs.createQueue("again", { VisibilityTimeout: "7" });
    const second = await sqs.createQueue("again", { VisibilityTimeout: "7" });

    expect(second.url).toBe(first.url);
    await expect(sqs.createQueue("again", { VisibilityTimeout: "8" })).rejects.toMatchObject({
      name: "QueueNameExists",
    });
  });

  it.each<[string, string, Record<string, string>, string]>([
    ["an unknown attribute", "unknown", { Colour: "blue" }, "InvalidAttributeName"],
    ["an attribute out of its bounds", "bounds", { VisibilityTimeout: "43201" }, "InvalidAttributeValue"],
    ["a name with a space", "a name", {}, "InvalidParameterValue"],
    [
      "a FIFO queue whose name does not end with .fifo",
      "first",
      { FifoQueue: "true" },
      "InvalidParameterValue",
    ],
    ["a standard queue whose name ends with .fifo", "last.fifo", {}, "InvalidParameterValue"],
    [
      "a dead-letter queue that does not exist",
      "no-target",
      { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn("missing"), maxReceiveCount: 1 }) },
      "InvalidParameterValue",
    ],
  ])("is not created with %s", async (_what, name, attributes, code) => {
    await expect(
      sqs.client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes })),
    ).rejects.toMatchObject({ name: code });
  });

  it("that does not exist is refused by the name the SDK knows", async () => {
    await expect(sqs.client.send(new ReceiveMessageCommand({ QueueUrl: "nowhere" }))).rejects.toMatchObject({
      name: "QueueDoesNotExist",
      Code: "AWS.SimpleQueueService.NonExistentQueue",
    });
  });

  it("refuses requests without a signature and operations it does not have", async () => {
    const call = (operation: string, headers: Record<string, string>) =>
      fetch(sqs.server.endpoint, {
        method: "POST",
        headers: { "x-amz-target": `AmazonSQS.${operation}`, ...headers },
        body: "{}",
      });

    expect((await call("ListQueues", {})).status).toBe(403);
    const unknown = await call("TagQueue", { authorization: "AWS4-HMAC-SHA256 Credential=local" });
    expect(unknown.status).toBe(400);
    expect(await unknown.json()).toMatchObject({
      __type: expect.stringContaining("UnknownOperationException"),
    });
  });
});

describe("A message of the embedded SQS", () => {
  it("arrives with its text, its attributes and the counters of its delivery", async () => {
    const queue = await sqs.createQueue("arrives");
    await queue.send("Wasuze otya nnyabo? ŋ", {
      MessageAttributes: {
        language: { DataType: "String", StringValue: "lug" },
        attempt: { DataType: "Number", StringValue: "5" },
        digest: { DataType: "Binary", BinaryValue: new Uint8Array([1, 2, 255]) },
      },
    });

    const message = await queue.receiveOne();

    expect(message.Body).toBe("Wasuze otya nnyabo? ŋ");
    expect(message.MessageAttributes?.["language"]?.StringValue).toBe("lug");
    expect(message.MessageAttributes?.["digest"]?.BinaryValue).toEqual(new Uint8Array([1, 2, 255]));
    expect(message.Attributes).toMatchObject({
      ApproximateReceiveCount: "1",
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
    });
  });

  it("returns the same digest of its attributes as AWS", async () => {
    const queue = await sqs.createQueue("digest");
    const { MD5OfMessageAttributes } = await queue.send("x", {
      MessageAttributes: { timestamp: { DataType: "Number", StringValue: "1493147359900" } },
    });

    // A known digest, which several clients that verify it have in their own tests.
    expect(MD5OfMessageAttributes).toBe("235c5c510d26fb653d073faed50ae77c");
  });

  it("comes only with the requested attributes", async () => {
    const queue = await sqs.createQueue("selected");
    const text = (value: string) => ({ DataType: "String", StringValue: value });
    await queue.send("x", {
      MessageAttributes: { "trace.id": text("1"), "trace.flag": text("2"), other: text("3") },
    });

    const message = await queue.receiveOne({
      MessageSystemAttributeNames: ["SentTimestamp"],
      MessageAttributeNames: ["trace.*"],
    });

    expect(Object.keys(message.Attributes ?? {})).toEqual(["SentTimestamp"]);
    expect(Object.keys(message.MessageAttributes ?? {}).sort()).toEqual(["trace.flag", "trace.id"]);
  });

  it("is gone once it was deleted", async () => {
    const queue = await sqs.createQueue("deleted", { VisibilityTimeout: "30" });
    await queue.send("x");
    await queue.delete(await queue.receiveOne());
    sqs.passTime(31);

    expect(await queue.receive()).toEqual([]);
  });

  it("is hidden during its handling and returns when its visibility timeout passes", async () => {
    const queue = await sqs.createQueue("comes-back", { VisibilityTimeout: "30" });
    await queue.send("x");
    const first = await queue.receiveOne();
    expect(await queue.receive()).toEqual([]);
    sqs.passTime(31);

    const second = await queue.receiveOne();

    expect(second.MessageId).toBe(first.MessageId);
    expect(second.Attributes?.["ApproximateReceiveCount"]).toBe("2");
  });

  it("can be released at once, or hidden for longer, while it is in flight", async () => {
    const queue = await sqs.createQueue("given-back", { VisibilityTimeout: "30" });
    await queue.send("x");
    const first = await queue.receiveOne();
    await changeVisibility(queue, first.ReceiptHandle, 0);
    const second = await queue.receiveOne();
    await changeVisibility(queue, second.ReceiptHandle, 300);
    sqs.passTime(60);

    expect(await queue.receive()).toEqual([]);
    await expect(changeVisibility(queue, first.ReceiptHandle, 10)).rejects.toMatchObject({
      name: "MessageNotInflight",
    });
  });

  it("that was delivered again is not deleted with the handle of its first delivery", async () => {
    const queue = await sqs.createQueue("old-handle", { VisibilityTimeout: "30" });
    await queue.send("x");
    const first = await queue.receiveOne();
    sqs.passTime(31);
    await queue.receiveOne();
    await queue.delete(first);
    sqs.passTime(31);

    expect(await queue.receiveBodies()).toEqual(["x"]);
  });

  it("with a delay is seen only after it", async () => {
    const queue = await sqs.createQueue("delayed");
    await queue.send("x", { DelaySeconds: 60 });
    expect(await queue.receive()).toEqual([]);
    sqs.passTime(61);

    expect(await queue.receiveBodies()).toEqual(["x"]);
  });

  it("is dropped at the end of its retention period", async () => {
    const queue = await sqs.createQueue("retention", { MessageRetentionPeriod: "60" });
    await queue.send("x");
    sqs.passTime(61);

    expect(await queue.receive()).toEqual([]);
    expect((await queue.attributes())["ApproximateNumberOfMessages"]).toBe("0");
  });

  it("may be as large as 1 MiB, attributes included, and no larger", async () => {
    const queue = await sqs.createQueue("large");
    const attributes = { MessageAttributes: { a: { DataType: "String", StringValue: "b" } } };
    const full = "x".repeat(1_048_576 - "aStringb".length);
    await queue.send(full, attributes);

    expect((await queue.receiveOne()).Body).toHaveLength(full.length);
    await expect(queue.send(`${full}x`, attributes)).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });

  it.each([
    ["without text", "", "MissingParameter"],
    ["with a control character", "bell \u0007", "InvalidMessageContents"],
  ])("%s is refused", async (_what, body, code) => {
    const queue = await sqs.createQueue("refuses");
    await expect(queue.send(body)).rejects.toMatchObject({ name: code });
  });

  it("cannot be deleted with an invented handle, or with one of another queue", async () => {
    const queue = await sqs.createQueue("handles");
    const other = await sqs.createQueue("other-handles");
    await other.send("x");
    const foreign = await other.receiveOne();

    await expect(queue.delete({ ReceiptHandle: "invented" })).rejects.toMatchObject({
      name: "ReceiptHandleIsInvalid",
    });
    await expect(queue.delete(foreign)).rejects.toMatchObject({ name: "ReceiptHandleIsInvalid" });
  });
});

describe("A batch", () => {
  it("sends, hides and deletes ten messages at once", async () => {
    const queue = await sqs.createQueue("batch");
    const tenBodies = Array.from({ length: 10 }, (_, index) => `message ${index}`);
    const sent = await sqs.client.send(
      new SendMessageBatchCommand({
        QueueUrl: queue.url,
        Entries: tenBodies.map((MessageBody, index) => ({ Id: `id-${index}`, MessageBody })),
      }),
    );
    expect(sent.Successful).toHaveLength(10);
    const received = await queue.receive();
    expect(received.map(({ Body }) => Body)).toEqual(tenBodies);
    const Entries = received.map(({ ReceiptHandle }, index) => ({ Id: `id-${index}`, ReceiptHandle }));

    const hidden = await sqs.client.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: queue.url,
        Entries: Entries.map((entry) => ({ ...entry, VisibilityTimeout: 600 })),
      }),
    );
    const deleted = await sqs.client.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));

    expect(hidden.Successful).toHaveLength(10);
    expect(deleted.Successful).toHaveLength(10);
    expect(await queue.attributes()).toMatchObject({ ApproximateNumberOfMessagesNotVisible: "0" });
  });

  it("reports a refused entry and still runs the others", async () => {
    const queue = await sqs.createQueue("partial-batch");
    const { Successful, Failed } = await sqs.client.send(
      new SendMessageBatchCommand({
        QueueUrl: queue.url,
        Entries: [
          { Id: "good", MessageBody: "x" },
          { Id: "bad", MessageBody: "bell \u0007" },
        ],
      }),
    );

    expect(Successful?.map(({ Id }) => Id)).toEqual(["good"]);
    expect(Failed).toEqual([
      expect.objectContaining({ Id: "bad", Code: "InvalidMessageContents", SenderFault: true }),
    ]);
  });

  it.each([
    ["no entries", [], "EmptyBatchRequest"],
    [
      "eleven entries",
      Array.from({ length: 11 }, (_, index) => `id-${index}`),
      "TooManyEntriesInBatchRequest",
    ],
    ["two entries of one id", ["same", "same"], "BatchEntryIdsNotDistinct"],
    ["an id with a space", ["an id"], "InvalidBatchEntryId"],
  ])("with %s is refused", async (_what, ids, code) => {
    const queue = await sqs.createQueue("refused-batch");
    const command = new SendMessageBatchCommand({
      QueueUrl: queue.url,
      Entries: ids.map((Id) => ({ Id, MessageBody: "x" })),
    });
    await expect(sqs.client.send(command)).rejects.toMatchObject({ name: code });
  });

  it("of more than 1 MiB in all is refused", async () => {
    const queue = await sqs.createQueue("large-batch");
    const half = "x".repeat(600_000);
    const command = new SendMessageBatchCommand({
      QueueUrl: queue.url,
      Entries: [
        { Id: "1", MessageBody: half },
        { Id: "2", MessageBody: half },
      ],
    });
    await expect(sqs.client.send(command)).rejects.toMatchObject({ name: "BatchRequestTooLong" });
  });
});

describe("Long polling", () => {
  it("wakes at once for a message that is sent while it waits", async () => {
    const queue = await sqs.createQueue("long-poll");
    const waiting = await queue.startWaiting();
    await queue.send("now");

    expect(await promptly(waiting.bodies)).toEqual(["now"]);
  });

  it("wakes when a message in flight becomes visible again", async () => {
    const queue = await sqs.createQueue("long-poll-visibility");
    await queue.send("again");
    await queue.receiveOne({ VisibilityTimeout: 1 });

    expect(await promptly(queue.receiveBodies({ WaitTimeSeconds: 20 }))).toEqual(["again"]);
  });

  it("returns an empty response when its time has passed", async () => {
    const queue = await sqs.createQueue("long-poll-empty", { ReceiveMessageWaitTimeSeconds: "1" });
    const ends: string[] = [];
    const ended = (name: string) => (messages: unknown[]) => {
      expect(messages).toEqual([]);
      ends.push(name);
    };
    await Promise.all([
      queue.receiveBodies({ WaitTimeSeconds: 2 }).then(ended("after two seconds")),
      queue.receiveBodies().then(ended("after the queue's one second")),
      queue.receiveBodies({ WaitTimeSeconds: 0 }).then(ended("at once")),
    ]);

    expect(ends).toEqual(["at once", "after the queue's one second", "after two seconds"]);
  });

  it("takes no message for a caller who has gone", async () => {
    const queue = await sqs.createQueue("long-poll-gone");
    const caller = new AbortController();
    const waiting = sqs.client.send(new ReceiveMessageCommand({ QueueUrl: queue.url, WaitTimeSeconds: 20 }), {
      abortSignal: caller.signal,
    });
    // Each further request is a round trip, after which the server has seen what came before it.
    await queue.attributes();
    await queue.attributes();
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    await queue.attributes();
    await queue.send("for somebody else");

    expect(await queue.receiveBodies()).toEqual(["for somebody else"]);
  });

  it("delivers one message to one of many waiting receivers", async () => {
    const queue = await sqs.createQueue("long-poll-many");
    const waiting = Array.from({ length: 5 }, () => queue.receiveBodies({ WaitTimeSeconds: 1 }));
    await queue.send("only once");

    expect((await Promise.all(waiting)).flat()).toEqual(["only once"]);
  });
});

describe("A dead-letter queue", () => {
  const redrivePolicy = (target: string, maxReceiveCount: number) => ({
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn(target), maxReceiveCount }),
  });

  it("takes a message that was received as often as its queue allows", async () => {
    const deadLetters = await sqs.createQueue("dead-letters");
    const queue = await sqs.createQueue("redrives", redrivePolicy("dead-letters", 2));
    await queue.send("poison");
    for (const _delivery of ["first", "second"]) {
      await queue.receiveOne({ VisibilityTimeout: 0 });
    }

    expect(await queue.receive()).toEqual([]);
    const dead = await deadLetters.receiveOne();
    expect(dead.Body).toBe("poison");
    expect(dead.Attributes?.["DeadLetterQueueSourceArn"]).toBe(queueArn("redrives"));
  });

  it("wakes who waits for its messages", async () => {
    const deadLetters = await sqs.createQueue("watched-dead-letters");
    const queue = await sqs.createQueue("watched", redrivePolicy("watched-dead-letters", 1));
    await queue.send("poison");
    await queue.receiveOne({ VisibilityTimeout: 0 });
    const waiting = await deadLetters.startWaiting();

    expect(await queue.receive()).toEqual([]);
    expect(await promptly(waiting.bodies)).toEqual(["poison"]);
  });
});
