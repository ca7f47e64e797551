import { describe, expect, it } from "vitest";
import { readArguments } from "../../../infra/commands/account-arguments.ts";

describe("The removal of a second factor", () => {
  it("takes the queue of mails with a deployed table", () => {
    expect(readArguments(["amina", "--remove-second-factor"]).task).toMatchObject({
      removesSecondFactor: true,
      mailQueue: undefined,
    });
    const deployed = ["--table", "t", "--mail-queue", "https://sqs.example.com/mail.fifo"];
    expect(readArguments(["amina", "--remove-second-factor", ...deployed])).toMatchObject({
      table: "t",
      task: { removesSecondFactor: true, mailQueue: "https://sqs.example.com/mail.fifo" },
    });
    for (const one of [deployed.slice(0, 2), deployed.slice(2)]) {
      expect(() => readArguments(["amina", "--remove-second-factor", ...one])).toThrow(
        "both --table and --mail-queue",
      );
    }
  });
});

describe("A decision about a request for a higher tier", () => {
  it("takes a note, and the queue of mails with a deployed table", () => {
    expect(readArguments(["amina", "--accept-request", " Webale. "])).toEqual({
      table: undefined,
      task: { decidedFor: "amina", decision: "accepted", note: "Webale.", mailQueue: undefined },
    });
    const deployed = ["--table", "t", "--mail-queue", "https://sqs.example.com/mail.fifo"];
    expect(readArguments(["amina", "--decline-request", "", ...deployed])).toEqual({
      table: "t",
      task: {
        decidedFor: "amina",
        decision: "declined",
        note: "",
        mailQueue: "https://sqs.example.com/mail.fifo",
      },
    });
    expect(readArguments(["--requests"])).toEqual({ table: undefined, task: { listed: "tier-requests" } });
  });

  it.each([
    [["amina", "--accept-request", "a", "--decline-request", "b"], "Use either"],
    [["amina", "--accept-request", "a", "--disable"], "not with other changes"],
    [["amina", "--accept-request", "a", "--table", "t"], "both --table and --mail-queue"],
    [["amina", "--decline-request", "x".repeat(2_001)], "longer than 2000"],
    [["amina", "--mail-queue", "q"], "--mail-queue needs"],
    [["--accept-request", "a"], "Name the account."],
    [["amina", "--requests"], "--requests takes only --table."],
  ])("is refused: %j", (args, problem) => {
    expect(() => readArguments(args)).toThrow(problem);
  });
});
