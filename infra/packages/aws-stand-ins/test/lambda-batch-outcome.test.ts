import type { Message } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import { readBatchOutcome } from "../src/lambda/sqs-batch.ts";

const batch: Message[] = ["a", "b", "c", "d"].map((MessageId) => ({ MessageId }));

const responding = (response: unknown): InvocationResult => ({
  kind: "buffered",
  payload: Buffer.from(JSON.stringify(response)),
});

const failures = (...itemIdentifiers: unknown[]): InvocationResult =>
  responding({ batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })) });

const error: InvocationResult = { kind: "error", errorType: "Error", errorMessage: "failed" };

const failedOf = (result: InvocationResult, options: { reportBatchItemFailures: boolean; fifo: boolean }) => {
  const { succeeded, failed } = readBatchOutcome(batch, result, options);
  expect([...succeeded, ...failed]).toHaveLength(batch.length);
  return failed.map(({ MessageId }) => MessageId).join("");
};

describe("The outcome of a batch", () => {
  it.each([
    ["succeeds when the function returns nothing", responding(null), ""],
    ["succeeds when the function returns an empty object", responding({}), ""],
    ["succeeds when the list of failures is null", responding({ batchItemFailures: null }), ""],
    ["succeeds when the list of failures is empty", failures(), ""],
    ["fails for the messages that are named", failures("d", "b"), "bd"],
    ["fails as a whole when the function fails", error, "abcd"],
    ["fails as a whole when a message is named that was not in it", failures("b", "z"), "abcd"],
    ["fails as a whole when a name is empty", failures(""), "abcd"],
    ["fails as a whole when a name is null", failures(null), "abcd"],
    [
      "fails as a whole when a name has the wrong key",
      responding({ batchItemFailures: [{ id: "b" }] }),
      "abcd",
    ],
    ["fails as a whole when the result is something else", responding("done"), "abcd"],
  ])("%s", (_title, result, failed) => {
    expect(failedOf(result, { reportBatchItemFailures: true, fifo: false })).toBe(failed);
  });

  it("in a FIFO group fails from the first message that failed on", () => {
    const options = { reportBatchItemFailures: true, fifo: true };
    expect(failedOf(failures("c"), options)).toBe("cd");
    expect(failedOf(failures("d", "b"), options)).toBe("bcd");
    expect(failedOf(failures(), options)).toBe("");
  });

  it("does not depend on what the function returns unless it reports failures one by one", () => {
    const options = { reportBatchItemFailures: false, fifo: false };
    expect(failedOf(failures("b"), options)).toBe("");
    expect(failedOf(error, options)).toBe("abcd");
  });
});
