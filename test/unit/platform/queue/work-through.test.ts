import type { SQSRecord } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  originAttributes,
  type QueueWork,
  workThrough,
} from "../../../../shared/platform/queue/work-through.ts";
import { logger } from "../../../../shared/platform/telemetry/logger.ts";
import {
  inRequestScope,
  openRequestScope,
  requestScope,
} from "../../../../shared/platform/telemetry/request-scope.ts";
import { joinTrace } from "../../../../shared/platform/telemetry/trace-context.ts";
import { lambdaContext } from "../../../support/lambda-event.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const recordOf = (
  id: string,
  group: string,
  messageAttributes: SQSRecord["messageAttributes"] = {},
): SQSRecord => ({
  messageId: id,
  receiptHandle: id,
  body: "{}",
  attributes: {
    ApproximateReceiveCount: "2",
    SentTimestamp: "0",
    SenderId: "test",
    ApproximateFirstReceiveTimestamp: "0",
    MessageGroupId: group,
  },
  messageAttributes,
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:eu-west-1:000000000000:work.fifo",
  awsRegion: "eu-west-1",
});

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  const keep = (message: string, fields = {}) => void lines.push({ message, ...fields });
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(logger, level).mockImplementation(keep);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Works through records. @returns the ids that were worked on, and those that come again. */
const run = async (
  records: readonly SQSRecord[],
  work: QueueWork["work"],
  { context = lambdaContext(30_000), reserveMilliseconds = 1_000 } = {},
) => {
  const started: string[] = [];
  const { batchItemFailures } = await workThrough({ Records: [...records] }, context, {
    operation: "example",
    metricsNamespace: "LanguageAi-test",
    minMilliseconds: 20_000,
    reserveMilliseconds,
    work: (record, deadline) => {
      started.push(record.messageId);
      return work(record, deadline);
    },
  });
  return { started, again: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
};

describe("A batch of a queue", () => {
  const records = [
    recordOf("amina-1", "amina"),
    recordOf("brian-1", "brian"),
    recordOf("amina-2", "amina"),
    recordOf("brian-2", "brian"),
  ];

  it("is worked through in its order", async () => {
    expect(await run(records, async () => true)).toEqual({
      started: ["amina-1", "brian-1", "amina-2", "brian-2"],
      again: [],
    });
    expect(lines.filter(({ message }) => message === "record.returned")).toEqual([]);
  });

  it("keeps back what is behind a failed record of the same group, and nothing of other groups", async () => {
    expect(await run(records, async ({ messageId }) => messageId !== "amina-1")).toEqual({
      started: ["amina-1", "brian-1", "brian-2"],
      again: ["amina-1", "amina-2"],
    });
    expect(lines.at(-1)).toEqual({ message: "record.returned", operation: "example", count: 1 });
  });

  it("is left to the queue from where too little time remains for another record", async () => {
    let remaining = 30_000;
    const context = { ...lambdaContext(), getRemainingTimeInMillis: () => remaining };
    const slow = async () => {
      remaining -= 6_000;
      return true;
    };
    expect(await run(records, slow, { context })).toEqual({
      started: ["amina-1", "brian-1"],
      again: ["amina-2", "brian-2"],
    });
    expect(lines.at(-1)).toEqual({ message: "record.returned", operation: "example", count: 2 });
  });

  it("gets on by one record even where the function has less time than one should have", async () => {
    const context = lambdaContext(5_000);
    expect(await run(records, async () => true, { context })).toEqual({
      started: ["amina-1"],
      again: ["brian-1", "amina-2", "brian-2"],
    });
  });

  it("ends each record's time before the function's", async () => {
    const context = lambdaContext(1_050);
    const untilAborted = async (_record: SQSRecord, deadline: AbortSignal) => {
      await new Promise((resolve) => deadline.addEventListener("abort", resolve, { once: true }));
      return false;
    };
    await run(records.slice(0, 1), untilAborted, { context });
    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(500);
  });
});

describe("A record of a queue", () => {
  it("runs in the name of the request that caused it, and in its trace", async () => {
    const sender = { ...openRequestScope(1_000), requestId: "the-request", span: joinTrace(traceparent) };
    const attributes = inRequestScope(sender, originAttributes);
    const received = Object.fromEntries(
      Object.entries(attributes).map(([name, { StringValue = "", DataType = "" }]) => [
        name,
        { stringValue: StringValue, dataType: DataType === "String" ? DataType : "Number" },
      ]),
    ) satisfies SQSRecord["messageAttributes"];
    const seen: unknown[] = [];
    await run([recordOf("1", "amina", received)], async () => {
      seen.push(requestScope()?.requestId, requestScope()?.span?.traceId);
      return true;
    });
    expect(seen).toEqual(["the-request", sender.span?.traceId]);
    expect(lines[0]).toEqual({
      message: "record.started",
      operation: "example",
      queue_message_id: "1",
      tries: 2,
      trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
      parent_span_id: sender.span?.spanId,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
  });

  it("uses its own id when no request is named", async () => {
    expect(originAttributes()).toEqual({});
    let seen: string | undefined;
    await run([recordOf("1", "amina")], async () => {
      seen = requestScope()?.requestId;
      return true;
    });
    expect(seen).toBe("1");
  });

  it("ends with a line that carries its metrics, as a request does", async () => {
    await run([recordOf("1", "amina"), recordOf("2", "brian")], async ({ messageId }) => {
      requestScope()?.backends.noteCall("platform", 40, messageId === "2");
      return messageId === "1";
    });
    expect(lines.filter(({ message }) => message === "record.finished")).toMatchObject([
      {
        operation: "example",
        queue_message_id: "1",
        milliseconds: expect.any(Number),
        cold_start: expect.any(Boolean),
        client_error: 0,
        server_error: 0,
        platform_milliseconds: 40,
        _aws: { CloudWatchMetrics: [{ Dimensions: [["operation"]] }, { Dimensions: [[]] }] },
      },
      { queue_message_id: "2", cold_start: false, server_error: 1, platform_failures: 1 },
    ]);
  });
});
