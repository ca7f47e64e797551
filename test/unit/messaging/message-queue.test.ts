import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type InboundMessage, inboundMessage } from "../../../shared/messaging/inbound-message.ts";
import { openMessageQueue } from "../../../shared/messaging/message-queue.ts";
import { readAwsConfig } from "../../../shared/platform/config/environment.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { inRequestScope, openRequestScope } from "../../../shared/platform/telemetry/request-scope.ts";
import { joinTrace } from "../../../shared/platform/telemetry/trace-context.ts";
import {
  type Behaviour,
  type FakeBackend,
  responding,
  startFakeBackend,
} from "../../support/fake-backend.ts";

interface Batch {
  readonly QueueUrl: string;
  readonly Entries: readonly { readonly Id: string; readonly MessageBody: string }[];
}

const digest = (text: string, algorithm = "sha256"): string =>
  createHash(algorithm).update(text).digest("hex");

let sqs: FakeBackend;
let queueUrl: string;
beforeAll(async () => {
  sqs = await startFakeBackend();
  queueUrl = `${new URL(sqs.baseUrl).origin}/000000000000/messages.fifo`;
});
afterAll(() => sqs.close());
beforeEach(() => {
  vi.spyOn(logger, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const openQueue = () =>
  openMessageQueue(queueUrl, readAwsConfig({ AWS_ENDPOINT_URL_SQS: new URL(queueUrl).origin }));

const batches = (): Batch[] => sqs.received.map(({ body }) => JSON.parse(body));

/** What SQS takes in a message's body: the characters of XML 1.0. */
const legalBody = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;

/** Refuses entries with a body that is not taken: the whole batch, as an error, or each for itself. */
const refusing =
  (how: "batch" | "entries", isRefused: (body: string) => boolean, code: string): Behaviour =>
  (response, request) => {
    const { Entries } = batches().at(-1) ?? { Entries: [] };
    const refused = Entries.filter(({ MessageBody }) => isRefused(MessageBody)).map(({ Id }) => Id);
    if (how === "batch" && refused.length > 0)
      return responding(400, { __type: `com.amazonaws.sqs#${code}`, message: "Invalid." })(response, request);
    responding(200, {
      Successful: Entries.filter(({ Id }) => !refused.includes(Id)).map(({ Id, MessageBody }) => ({
        Id,
        MessageId: `queue-${Id}`,
        MD5OfMessageBody: digest(MessageBody, "md5"),
      })),
      Failed: refused.map((Id) => ({ Id, SenderFault: true, Code: code, Message: "Invalid." })),
    })(response, request);
  };

/** Responds to a batch as SQS does, with failures for the entries that have these ids. */
const taking =
  (...failedIds: string[]): Behaviour =>
  (response: ServerResponse, request) => {
    const { Entries } = batches().at(-1) ?? { Entries: [] };
    const isFailed = ({ Id }: { readonly Id: string }) => failedIds.includes(Id);
    responding(200, {
      Successful: Entries.filter((entry) => !isFailed(entry)).map(({ Id, MessageBody }) => ({
        Id,
        MessageId: `queue-${Id}`,
        MD5OfMessageBody: digest(MessageBody, "md5"),
      })),
      Failed: Entries.filter(isFailed).map(({ Id }) => ({
        Id,
        SenderFault: false,
        Code: "InternalError",
        Message: "SQS is ill.",
      })),
    })(response, request);
  };

const message = (index: number): InboundMessage => ({
  id: `wamid.${index}`,
  sender: `25670000000${index % 3}`,
  phoneNumberId: "100",
  content: { type: "text", text: `Hello ${index}` },
});
const messages = (count: number) => Array.from({ length: count }, (_, index) => message(index));

describe("the queue of messages", () => {
  it("takes 25 messages in batches of ten, ten and five, in their order", async () => {
    sqs.behave(taking());
    await openQueue().send(messages(25));
    expect(batches().map(({ Entries }) => Entries.length)).toEqual([10, 10, 5]);
    expect(
      batches().flatMap(({ Entries }) => Entries.map(({ MessageBody }) => JSON.parse(MessageBody).id)),
    ).toEqual(messages(25).map(({ id }) => id));
    for (const { QueueUrl, Entries } of batches()) {
      expect(QueueUrl).toBe(queueUrl);
      expect(Entries.map(({ Id }) => Id)).toEqual(Entries.map((_, index) => String(index)));
    }
  });

  it("takes ten messages in one batch, and is not called for none", async () => {
    sqs.behave(taking());
    await openQueue().send(messages(10));
    expect(batches()).toHaveLength(1);
    sqs.behave(taking());
    await openQueue().send([]);
    expect(batches()).toEqual([]);
  });

  it("preserves the order of a sender's messages, deduplicates deliveries, and shows no number", async () => {
    sqs.behave(taking());
    const span = joinTrace("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    const scope = { ...openRequestScope(10_000), requestId: "the-request", span };
    await inRequestScope(scope, () => openQueue().send([message(1)]));
    expect(batches()).toEqual([
      {
        QueueUrl: queueUrl,
        Entries: [
          {
            Id: "0",
            MessageBody: JSON.stringify(message(1)),
            MessageGroupId: digest("256700000001"),
            MessageDeduplicationId: digest("256700000001 wamid.1"),
            MessageAttributes: {
              request_id: { DataType: "String", StringValue: "the-request" },
              traceparent: { DataType: "String", StringValue: span?.traceparent },
            },
          },
        ],
      },
    ]);
  });

  it("says how many messages of a batch it did not take, and leaves the batches after it", async () => {
    sqs.behave(taking(), taking("3", "7"), taking());
    await expect(openQueue().send(messages(25))).rejects.toThrow("SQS did not take 2 of 10 messages.");
    expect(batches()).toHaveLength(2);
  });

  it("takes every text and every name, and the worker reads what was written", async () => {
    sqs.behave(refusing("batch", (body) => !legalBody.test(body), "InvalidMessageContents"));
    const odd = `\uFFFE\uFFFF \u0000\u0001\u007F\u0085 \u2028 \uFDD0 \u{1FFFE}\u{1FFFF}\u{10FFFF} \\ufffe "ŋ" 😀`;
    const strange: InboundMessage = { ...message(1), name: odd, content: { type: "text", text: odd } };
    await openQueue().send([strange, message(2)]);
    expect(batches()).toHaveLength(1);
    const bodies = batches().flatMap(({ Entries }) => Entries.map(({ MessageBody }) => MessageBody));
    expect(bodies.map((body) => inboundMessage.parse(JSON.parse(body)))).toEqual([strange, message(2)]);
    expect(logger.error).not.toHaveBeenCalled();
  });

  it("replaces half of a surrogate pair: the worker reads a replacement character", async () => {
    sqs.behave(refusing("batch", (body) => !legalBody.test(body), "InvalidMessageContents"));
    const content = { type: "text", text: "a\uD83D b\uDC00" } as const;
    await openQueue().send([{ ...message(1), name: "Amina \uD83D", content }]);
    const [body = ""] = batches().flatMap(({ Entries }) => Entries.map(({ MessageBody }) => MessageBody));
    expect(inboundMessage.parse(JSON.parse(body))).toMatchObject({
      name: "Amina \uFFFD",
      content: { text: "a\uFFFD b\uFFFD" },
    });
  });

  it.each([
    ["batch", "InvalidMessageContents", [10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]],
    ["batch", "BatchRequestTooLong", [10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]],
    ["entries", "InvalidMessageContents", [10, 2]],
    ["batch", "InvalidParameterValueException", [10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]],
    ["entries", "AWS.SimpleQueueService.InvalidParameterValue", [10, 2]],
  ] as const)(
    "leaves out and logs a message that SQS never takes, and takes the others: refused by %s with %s",
    async (how, code, sizes) => {
      sqs.behave(refusing(how, (body) => body.includes("Hello 4"), code));
      await openQueue().send(messages(12));
      expect(batches().map(({ Entries }) => Entries.length)).toEqual(sizes);
      expect(logger.error).toHaveBeenCalledExactlyOnceWith("message.not_queueable", { code });
    },
  );

  it.each([
    ["batch", "AccessDenied"],
    ["entries", "KmsAccessDenied"],
  ] as const)(
    "loses no message because of what is wrong with us: refused by %s with %s",
    async (how, code) => {
      sqs.behave(refusing(how, () => true, code));
      await expect(openQueue().send([message(1)])).rejects.toThrow();
      expect(logger.error).not.toHaveBeenCalled();
    },
  );

  it("is tried three times in all when SQS fails", async () => {
    const failing = responding(500, { __type: "com.amazonaws.sqs#InternalError" });
    sqs.behave(failing, failing, taking());
    await openQueue().send([message(1)]);
    expect(batches()).toHaveLength(3);
    sqs.behave(failing);
    await expect(openQueue().send([message(1)])).rejects.toThrow();
    expect(batches()).toHaveLength(3);
  });
});
