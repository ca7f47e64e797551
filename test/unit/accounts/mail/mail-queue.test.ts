import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { authFunction } from "../../../../functions/auth/contract.ts";
import { mailQueueMilliseconds, openMailQueue } from "../../../../shared/accounts/mail/mail-queue.ts";
import { mailRequest } from "../../../../shared/accounts/mail/mail-request.ts";
import { readAwsConfig } from "../../../../shared/platform/config/environment.ts";
import { inRequestScope, openRequestScope } from "../../../../shared/platform/telemetry/request-scope.ts";
import { type FakeBackend, hanging, responding, startFakeBackend } from "../../../support/fake-backend.ts";

const sent = z.object({
  QueueUrl: z.string(),
  MessageBody: z.string().transform((body) => mailRequest.parse(JSON.parse(body))),
  MessageGroupId: z.string(),
  MessageDeduplicationId: z.string(),
  MessageAttributes: z.record(z.string(), z.unknown()).optional(),
});

let sqs: FakeBackend;
let queueUrl: string;
beforeAll(async () => {
  sqs = await startFakeBackend();
  queueUrl = `${sqs.baseUrl}/mail.fifo`;
});
afterAll(() => sqs.close());
const open = (...attemptMilliseconds: number[]) => {
  sqs.behave(responding(200, { MessageId: "1" }));
  const aws = readAwsConfig({ AWS_REGION: "eu-west-1", AWS_ENDPOINT_URL: new URL(queueUrl).origin });
  return openMailQueue(queueUrl, aws, ...attemptMilliseconds);
};
const attempts = 3;
/** Both pauses between them, at their longest. */
const pauseMilliseconds = 2 * (50 + 100);
const messages = () => sqs.received.map(({ body }) => sent.parse(JSON.parse(body)));

describe("A requested mail", () => {
  it("waits in the queue as requested, with the id of the request", async () => {
    const queue = open();
    const scope = { ...openRequestScope(1_000), requestId: "the-request" };
    await inRequestScope(scope, () => queue.send({ kind: "verify-email", userId: 7 }));
    expect(messages()).toEqual([
      expect.objectContaining({
        QueueUrl: queueUrl,
        MessageBody: { kind: "verify-email", userId: 7 },
        MessageAttributes: { request_id: { DataType: "String", StringValue: "the-request" } },
      }),
    ]);
  });

  it("stays in order with others to its recipient, in a group whose name does not reveal the address", async () => {
    const queue = open();
    await queue.send({ kind: "reset-password", email: "amina@example.com" });
    await queue.send({ kind: "reset-password", email: "Amina@Example.com" });
    await queue.send({ kind: "reset-password", email: "brian@example.com" });
    await queue.send({ kind: "verify-email", userId: 7 });
    await queue.send({ kind: "verify-email", userId: 8 });
    const [amina, sameAmina, ...others] = messages().map(({ MessageGroupId }) => MessageGroupId);
    expect(sameAmina).toBe(amina);
    expect(new Set([amina, ...others]).size).toBe(4);
    expect(amina).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(messages().map(({ MessageDeduplicationId: id }) => id)).size).toBe(5);
  });

  it("is not said to wait there when the queue refuses it", async () => {
    const queue = open();
    sqs.behave(responding(400, { __type: "com.amazonaws.sqs#QueueDoesNotExist", message: "no" }));
    await expect(queue.send({ kind: "verify-email", userId: 7 })).rejects.toThrow();
  });

  it("is tried three times, each time for the given time", async () => {
    const queue = open(50);
    sqs.behave(hanging);
    await expect(queue.send({ kind: "verify-email", userId: 7 })).rejects.toMatchObject({
      name: "NetworkError",
      cause: { name: "BackendTimeout" },
    });
    expect(sqs.received).toHaveLength(attempts);
  });

  it("is abandoned before the function's time ends", () => {
    expect(mailQueueMilliseconds).toBeGreaterThanOrEqual(1_000);
    expect(attempts * mailQueueMilliseconds + pauseMilliseconds).toBeLessThan(
      authFunction.timeoutSeconds * 1_000,
    );
  });
});
