import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readLines } from "../../../functions/request-log/read-lines.ts";

const sending = (content: object) => ({
  awslogs: { data: gzipSync(JSON.stringify(content)).toString("base64") },
});

const lines = (...messages: readonly unknown[]) =>
  sending({
    messageType: "DATA_MESSAGE",
    logEvents: messages.map((message) => ({
      message: typeof message === "string" ? message : JSON.stringify(message),
    })),
  });

const line = {
  level: "INFO",
  message: "request.answered",
  timestamp: "2026-11-23T09:00:00.000Z",
  request_id: "r1",
  account_id: 7,
  key_id: "k1",
  status: 400,
  code: "unsupported_language",
  used: { characters: 5, errors: 1 },
  operation: "translate",
  milliseconds: 412,
};

describe("The function of the request log", () => {
  it("reads what an account may see of its requests, and drops everything else", async () => {
    const more = { body: "secret", text: "secret", token: "secret", entry_point: "rest-api", _aws: {} };
    expect(await readLines(lines({ ...line, ...more }))).toEqual([
      {
        userId: 7,
        request: {
          at: line.timestamp,
          id: "r1",
          operation: "translate",
          status: 400,
          code: "unsupported_language",
          milliseconds: 412,
          used: { characters: 5 },
          key: "k1",
        },
      },
    ]);
  });

  it("leaves out lines of other kinds and of no account, without losing the rest", async () => {
    const { account_id: _account, ...anonymous } = line;
    const others = ["START RequestId: 1", "{", { ...line, message: "request.received" }, anonymous, null];
    expect(await readLines(lines(...others, line))).toHaveLength(1);
  });

  it("does nothing when CloudWatch only checks that it can be invoked", async () => {
    expect(
      await readLines(sending({ messageType: "CONTROL_MESSAGE", logEvents: [{ message: "" }] })),
    ).toEqual([]);
  });

  it.each([
    ["an unknown event", { hello: 1 }],
    ["data that is not compressed", { awslogs: { data: "aGVsbG8=" } }],
  ])("refuses %s", async (_what, event) => {
    await expect(readLines(event)).rejects.toThrow();
  });
});
