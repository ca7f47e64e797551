import type { SQSRecord } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import { handleMessage } from "../../../functions/job-worker/handle-message.ts";
import { handleJobRecord, type RecordDependencies } from "../../../functions/job-worker/handle-record.ts";
import type { HeldPiece } from "../../../functions/job-worker/slots.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";

const recordOf = (body: string, receives = 1): SQSRecord => ({
  messageId: "m",
  receiptHandle: "r",
  body,
  attributes: {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: String(Date.now()),
    SenderId: "s",
    ApproximateFirstReceiveTimestamp: "0",
  },
  messageAttributes: {},
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:eu-west-1:1:jobs.fifo",
  awsRegion: "eu-west-1",
});
const piece = { kind: "piece", userId: 7, place: 1 };

const notExpected = () => Promise.reject(new Error("This must not be asked for."));

/** A worker whose account has a piece that is due in this many seconds, or a missing table. */
const worker = (dueInSeconds: number | "no table") => {
  const hide = vi.fn(async (_record: SQSRecord, _seconds: number) => undefined);
  const send = vi.fn(async () => undefined);
  const held: HeldPiece = {
    name: { userId: 7, jobId: "j" },
    index: 0,
    begun: 0,
    failures: 1,
    due_at: dueInSeconds === "no table" ? 0 : Date.now() + dueInSeconds * 1_000,
  };
  const running = { status: "running" as const, done: new Set<number>() };
  const dependencies: RecordDependencies = {
    hide,
    queue: { send },
    messages: { send: notExpected },
    isActive: async () => true,
    speeds: {
      transcription: { note: notExpected },
      translation: { note: notExpected },
      speech: { note: notExpected },
    },
    slots: {
      take: dueInSeconds === "no table" ? notExpected : async () => held,
      begin: notExpected,
      postpone: notExpected,
      proceed: notExpected,
      clear: notExpected,
    },
    jobs: {
      read: async () => Object.assign(Object.create(null), running),
      fail: notExpected,
      finishPiece: notExpected,
      forgetPlan: notExpected,
      noteLanguage: notExpected,
      noteProgress: notExpected,
      noteWaiting: notExpected,
      shortenParts: notExpected,
      beginStage: notExpected,
      completeTargets: notExpected,
      complete: notExpected,
      completeTranslation: notExpected,
      beginPlanning: notExpected,
      start: notExpected,
      finish: notExpected,
      remove: notExpected,
    },
    store: {
      open: notExpected,
      put: notExpected,
      write: () => {
        throw new Error("Nothing is written.");
      },
      delete: notExpected,
      list: async function* () {
        yield* [];
      },
    },
    translator: { translate: notExpected },
    synthesizer: { synthesize: notExpected },
    cutter: {
      plan: notExpected,
      cut: notExpected,
      cutPart: notExpected,
    },
    ...unsureJudgement,
    transcriber: { transcribe: notExpected },
    callbacks: { send: notExpected },
    stitch: () => ({ text: "" }),
    timeouts: { failsAfterSeconds: 600, waitsSeconds: 86_400 },
    slotsPerAccount: 1,
    watchMilliseconds: 1_000,
  };
  return { dependencies, hide, send };
};

const handle = (record: SQSRecord, dependencies: RecordDependencies) =>
  handleJobRecord(record, dependencies, new AbortController().signal);

describe("a message of the queue of jobs", () => {
  it("is held for a minute, and hidden until its piece is due", async () => {
    const { dependencies, hide } = worker(90);
    expect(await handle(recordOf(JSON.stringify(piece)), dependencies)).toBe(false);
    expect(hide.mock.calls.map(([, seconds]) => seconds)).toEqual([60, 90]);
  });

  it("is sent again once it has come many times, so that waiting for a model dead-letters nothing", async () => {
    const { dependencies, send } = worker(90);
    expect(await handle(recordOf(JSON.stringify(piece), 20), dependencies)).toBe(true);
    expect(send).toHaveBeenCalledExactlyOnceWith(piece);
  });

  it("that announced a job is dropped when the job never comes, before it would be replaced by a new message", async () => {
    const { dependencies } = worker(0);
    const isNever: RecordDependencies = {
      ...dependencies,
      jobs: { ...dependencies.jobs, read: async () => undefined },
    };
    let passed = 0;
    let deliveries = 1;
    for (; ; deliveries += 1) {
      const plan = { kind: "plan" as const, userId: 7, jobId: "j" };
      const again = await handleMessage(
        plan,
        Date.now() - passed * 1_000,
        isNever,
        new AbortController().signal,
      );
      if (again === undefined) break;
      passed += again;
    }
    expect(passed).toBeGreaterThan(120);
    expect(deliveries).toBeLessThan(20);
  });

  it("returns, less and less often, while the table is missing, and is not sent again", async () => {
    const { dependencies, hide, send } = worker("no table");
    expect(await handle(recordOf(JSON.stringify(piece), 3), dependencies)).toBe(false);
    expect(await handle(recordOf(JSON.stringify(piece), 30), dependencies)).toBe(false);
    expect(hide.mock.calls.map(([, seconds]) => seconds)).toEqual([60, 8, 60, 300]);
    expect(send).not.toHaveBeenCalled();
  });

  it.each(["no JSON", '{"kind":"of a newer version"}', "{}"])(
    "that this version cannot read stays in the queue for another, less and less often: %s",
    async (body) => {
      const { dependencies, hide, send } = worker(0);
      expect(await handle(recordOf(body, 1), dependencies)).toBe(false);
      expect(await handle(recordOf(body, 30), dependencies)).toBe(false);
      expect(hide.mock.calls.map(([, seconds]) => seconds)).toEqual([2, 300]);
      expect(send).not.toHaveBeenCalled();
    },
  );
});
