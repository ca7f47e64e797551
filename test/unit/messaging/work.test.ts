import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { afterRefusal } from "../../../functions/messaging/after-refusal.ts";
import { type Conversation, initialSettings } from "../../../functions/messaging/conversation.ts";
import { deliverOutput } from "../../../functions/messaging/deliver-output.ts";
import { type HandleDependencies, handleRecord } from "../../../functions/messaging/handle-record.ts";
import type { LongRecordings } from "../../../functions/messaging/long-recordings.ts";
import {
  type Attempt,
  type Claim,
  type MessageRecord,
  messageRecord,
  RetryLater,
} from "../../../functions/messaging/message-records.ts";
import type { SendOutcome } from "../../../functions/messaging/messaging-platform.ts";
import { Outbox } from "../../../functions/messaging/outbox.ts";
import { type Output, type Planner, plan, say } from "../../../functions/messaging/plan.ts";
import { type ProcessDependencies, processMessage } from "../../../functions/messaging/process-message.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";
import { logger } from "../../../shared/platform/telemetry/logger.ts";
import { deadLetterQueueArn, newMessage, recordOf } from "../../support/assistant.ts";

const sentAt = 1_795_168_800;
const message = { ...newMessage({ type: "text", text: "Hello" }, "256700000001"), sentAt };
const trace = createHash("sha256").update(message.id).digest("hex").slice(0, 16);
const attempt: Attempt = { queueMessageId: "q", receiveCount: 1, isDeadLettered: false, milliseconds: 1_000 };
const { signal } = new AbortController();
const accepted = (id: string): SendOutcome => ({ kind: "accepted", id });

beforeEach(() => {
  for (const level of ["warn", "error"] as const) vi.spyOn(logger, level).mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a record of the queue", () => {
  const setUp = (failure?: Error) => {
    const process = vi.fn(async () => {
      if (failure) throw failure;
    });
    const retryAfter = vi.fn(async (_record: unknown, _seconds: number) => undefined);
    const reply: Planner = () => plan(say("answer"));
    const apologise: Planner = () => plan(say("apology"));
    const dependencies: HandleDependencies = { process, reply, apologise, deadLetterQueueArn, retryAfter };
    const handle = (attempts = 1, arn?: string) => {
      const record = recordOf(message, { attempts, id: "queue-id", ...(arn === undefined ? {} : { arn }) });
      return handleRecord(record, 7_000, dependencies);
    };
    return { process, retryAfter, reply, apologise, dependencies, handle };
  };

  it("gets a reply, with a lease longer than the maximum attempt", async () => {
    const { process, retryAfter, reply, handle } = setUp();
    expect(await handle(2)).toBe(true);
    expect(process).toHaveBeenCalledExactlyOnceWith(
      message,
      { queueMessageId: "queue-id", receiveCount: 2, isDeadLettered: false, milliseconds: 12_000 },
      reply,
    );
    expect(retryAfter).not.toHaveBeenCalled();
    expect(logger.error).not.toHaveBeenCalled();
  });

  it.each(["{", '{"id":"wamid.1"}', '{"kind":"of a newer version"}'])(
    "that this version cannot read (%s) stays in the queue for another, and the log says so",
    async (body) => {
      const { process, retryAfter, dependencies } = setUp();
      const record = { ...recordOf(message, { id: "queue-id" }), body };
      expect(await handleRecord(record, 7_000, dependencies)).toBe(false);
      expect(retryAfter).toHaveBeenCalledExactlyOnceWith(record, 300);
      const dead = { ...record, eventSourceARN: deadLetterQueueArn };
      expect(await handleRecord(dead, 7_000, dependencies)).toBe(false);
      expect(retryAfter).toHaveBeenCalledOnce();
      expect(process).not.toHaveBeenCalled();
      expect(logger.error).toHaveBeenCalledWith("message.unreadable", {
        queue_message_id: "queue-id",
        tries: 1,
      });
    },
  );

  it.each([
    [1, new Error("x"), 3],
    [2, new Error("x"), 10],
    [3, new Error("x"), 30],
    [4, new Error("x"), 60],
    [5, new Error("x"), 60],
    [1, new RetryLater(17, "x"), 17],
    [1, new RetryLater(301, "x"), 300],
  ])("whose try %i ended with %s comes again after %i s", async (attempts, failure, seconds) => {
    const { retryAfter, handle } = setUp(failure);
    expect(await handle(attempts)).toBe(false);
    expect(retryAfter).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ messageId: "queue-id" }),
      seconds,
    );
    expect(logger.error).toHaveBeenCalledExactlyOnceWith("message.not_answered", {
      trace,
      tries: attempts,
      dead_lettered: false,
      retry_seconds: failure instanceof RetryLater ? failure.seconds : seconds,
      reason: expect.objectContaining({ name: failure.name, message: "x" }),
    });
  });

  it("comes again in the queue's own time when it is dead-lettered, or its time cannot be set", async () => {
    const dead = setUp(new Error("x"));
    expect(await dead.handle(1, deadLetterQueueArn)).toBe(false);
    expect(dead.retryAfter).not.toHaveBeenCalled();
    const unset = setUp(new Error("x"));
    unset.retryAfter.mockRejectedValue(new Error("SQS is ill."));
    expect(await unset.handle()).toBe(false);
  });
});

describe("a message that is worked on", () => {
  const exchange = { question: "q", answer: "a" };
  const known: Conversation = { settings: initialSettings, exchanges: [], note: "A note." };
  const window = { since: sentAt, count: 1, told: false };
  const pace = { minute: window, day: window };
  const counted = { pace, last_message_at: sentAt };
  const unneeded = () => Promise.reject(new Error("Not needed."));

  const setUp = (
    options: {
      readonly claim?: Claim;
      readonly known?: Conversation | undefined;
      readonly stoppedAt?: string;
    } = {},
  ) => {
    const steps: string[] = [];
    const claim = options.claim ?? { kind: "claimed", record: messageRecord.parse({}) };
    const conversation = "known" in options ? options.known : known;
    const finish = vi.fn<ProcessDependencies["finish"]>(async () => undefined);
    const refreshNote = vi.fn(async (after: Conversation) => ({ ...after, note: "A new note." }));
    const showTyping = vi.fn(async () => void steps.push("typing"));
    const save = vi.fn(async () => undefined);
    const isForgotten = vi.fn(async () => false);
    const erase = vi.fn(async () => void steps.push("erased"));
    const forget = vi.fn(async () => void steps.push("forgotten"));
    const outcomeOf = async () => undefined;
    const clear = vi.fn(async () => void steps.push("cleared"));
    const dependencies: ProcessDependencies = {
      records: { claim: async () => claim, receipts: async () => ({}), save, isForgotten, erase },
      people: {
        find: async ({ sender: id }) => {
          const person = {
            id,
            others: [],
            unlinked: [],
            absorbed: [],
            stoppedAt: options.stoppedAt,
            versions: new Map(),
          };
          return { person, conversation };
        },
      },
      senderData: { find: unneeded, forget },
      resultTemplate: undefined,
      finish,
      receiptMilliseconds: 10,
      refreshNote,
      longRecordings: { outcomeOf, clear },
      voiceNotes: { make: () => Promise.reject(new Error("There is no voice.")) },
      platform: {
        send: async (_recipient, content) => {
          steps.push(content.kind === "text" ? content.text : content.kind);
          return accepted(`wamid.${steps.length}`);
        },
        showTyping,
        download: () => Promise.reject(new Error("Not needed.")),
        upload: () => Promise.reject(new Error("Not needed.")),
      },
    };
    const work = (planner: Planner, attempts = 1, given = message) =>
      processMessage(given, { ...attempt, receiveCount: attempts }, planner, dependencies, signal);
    return { steps, finish, refreshNote, showTyping, save, isForgotten, erase, work, dependencies };
  };

  it("that is a transcript is not counted, shows no typing, and is cleared away after the last word", async () => {
    const recording = { job_id: "job", until: sentAt };
    const { steps, finish, work } = setUp({ known: { ...known, long_recording: recording, pace } });
    const content = { type: "transcript", jobId: "job", voiceNoteId: "wamid.in" } as const;
    await work(() => plan(say("📝 Hello"), { long_recording: null }), 1, { ...message, content });
    expect(steps).toEqual(["📝 Hello", "cleared"]);
    expect(finish.mock.calls[0]?.[2].conversation).toEqual({ ...known, note: "A new note.", pace });
  });

  it("shows the typing indicator, again after an immediate message, and no more before the reply", async () => {
    const { steps, showTyping, work } = setUp();
    await work(async (_message, _conversation, { sayNow }) => {
      await sayNow(say("One moment"));
      return plan(say("The answer"));
    });
    expect(steps).toEqual(["typing", "One moment", "typing", "The answer"]);
    expect(showTyping).toHaveBeenCalledWith(message, message.id);
  });

  it("shows it every 20 seconds, even if the platform fails", async () => {
    vi.useFakeTimers();
    const { showTyping, work } = setUp();
    showTyping.mockRejectedValue(new Error("The platform is ill."));
    const thought = Promise.withResolvers<void>();
    const working = work(async () => {
      await thought.promise;
      return plan(say("The answer"));
    });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(showTyping).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(showTyping).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(showTyping).toHaveBeenCalledTimes(3);
    thought.resolve();
    await working;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(showTyping).toHaveBeenCalledTimes(3);
  });

  it("shows it no longer when planning fails, and writes nothing down", async () => {
    vi.useFakeTimers();
    const { showTyping, finish, work } = setUp();
    const fault = new Error("A fault nobody foresaw.");
    await expect(work(() => Promise.reject(fault))).rejects.toBe(fault);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(showTyping).toHaveBeenCalledTimes(1);
    expect(finish).not.toHaveBeenCalled();
  });

  it.each([
    [4, false],
    [5, true],
    [6, true],
  ])("knows in try %i whether it is the last one: %s", async (attempts, isLastAttempt) => {
    const planner = vi.fn<Planner>(() => plan(say("The answer")));
    await setUp().work(planner, attempts);
    expect(planner).toHaveBeenCalledExactlyOnceWith(message, known, {
      sayNow: expect.any(Function),
      isFirst: false,
      isStopped: false,
      isLastAttempt,
      signal,
    });
  });

  it("of a new person starts without a history", async () => {
    const planner = vi.fn<Planner>(() => ({ outputs: [say("Hello")], changes: { isFirst: true } }));
    const { finish, work } = setUp({ known: undefined });
    await work(planner);
    const nothing = { settings: { mode: "chat", language: "eng", voice: false }, exchanges: [], note: "" };
    expect(planner).toHaveBeenCalledWith(message, nothing, expect.objectContaining({ isFirst: true }));
    expect(finish.mock.calls[0]?.[2].conversation).toEqual({ ...nothing, note: "A new note.", ...counted });
  });

  it("that was planned before is sent without being planned or typed for again", async () => {
    const planner = vi.fn<Planner>(() => plan(say("Another answer")));
    const record = messageRecord.parse({ outputs: [say("One"), say("Two")], changes: {}, settled: 1 });
    const { steps, work } = setUp({ claim: { kind: "claimed", record } });
    await work(planner);
    expect(steps).toEqual(["Two"]);
    expect(planner).not.toHaveBeenCalled();
  });

  it.each([
    ["nothing", {}, { ...known, ...counted }],
    ["feedback", { feedback: { kind: "rating", value: "Good" } }, { ...known, ...counted }],
    [
      "settings",
      { settings: { ...initialSettings, voice: true } },
      { ...known, settings: { ...initialSettings, voice: true }, note: "A new note.", ...counted },
    ],
    [
      "an exchange",
      { exchange },
      { ...known, exchanges: [{ ...exchange, replies: ["wamid.2"] }], note: "A new note.", ...counted },
    ],
  ] as const)("that changes %s is remembered so", async (_what, changes, conversation) => {
    const { finish, refreshNote, work } = setUp();
    await work(() => ({ outputs: [say("The answer")], changes }));
    expect(finish).toHaveBeenCalledExactlyOnceWith(message, attempt, {
      person: {
        id: message.sender,
        others: [],
        unlinked: [],
        absorbed: [],
        stoppedAt: undefined,
        versions: new Map(),
      },
      conversation,
      feedback: "feedback" in changes ? changes.feedback : undefined,
      progress: {
        outputs: [say("The answer")],
        changes,
        settled: 1,
        replies: ["wamid.2"],
        refusals: [],
      },
    });
    expect(refreshNote).toHaveBeenCalledTimes(
      "note" in conversation && conversation.note !== known.note ? 1 : 0,
    );
  });
});

describe("the outbox", () => {
  const setUp = (
    record: Partial<MessageRecord> = {},
    outcomes: SendOutcome[] = [],
    { given = message, hasTemplate = false } = {},
  ) => {
    const saved: unknown[] = [];
    const sent: [Output, number][] = [];
    const receipts = vi.fn(async (): Promise<MessageRecord["receipts"]> => ({}));
    const outbox = new Outbox(message, attempt, messageRecord.parse(record), {
      records: {
        receipts,
        save: async (_message, _attempt, progress) => void saved.push(progress),
      },
      deliver: async (output, index) => {
        sent.push([output, index]);
        return outcomes.shift() ?? accepted(`wamid.${index}`);
      },
      afterRefusal: afterRefusal({ message: given, wording, hasTemplate }),
      receiptMilliseconds: 1_000,
    });
    return { outbox, saved, sent, receipts };
  };
  const [one, two] = [say("one"), say("two")];

  it("writes down that an output may be on its way before it is sent, one after the other", async () => {
    vi.useFakeTimers({ now: 5_000, toFake: ["Date"] });
    const { outbox, saved, sent } = setUp();
    await outbox.execute(plan([one, two], { isFirst: true }));
    const common = { outputs: [one, two], changes: { isFirst: true }, refusals: [], sending_since: 5_000 };
    expect(saved).toEqual([
      { ...common, settled: 0, replies: [] },
      { ...common, settled: 1, replies: ["wamid.0"] },
    ]);
    expect(sent).toEqual([
      [one, 0],
      [two, 1],
    ]);
    expect(outbox.progress).toEqual({
      outputs: [one, two],
      changes: { isFirst: true },
      settled: 2,
      replies: ["wamid.0", "wamid.1"],
      refusals: [],
    });
  });

  it("says at once what an earlier try has not said, and nothing twice", async () => {
    const { outbox, sent } = setUp({ outputs: [one], settled: 1, replies: ["wamid.0"] });
    await outbox.sayNow(one);
    await outbox.sayNow(two);
    expect(sent).toEqual([[two, 1]]);
    expect(outbox.isPlanned).toBe(false);
    await outbox.execute(plan(say("three")));
    expect(outbox.isPlanned).toBe(true);
    expect(sent.at(-1)).toEqual([say("three"), 2]);
  });

  it("keeps the code of an output that the platform has reported as refused", async () => {
    const { outbox, sent } = setUp({
      outputs: [one],
      changes: {},
      sending_since: Date.now(),
      receipts: { 0: { id: "wamid.x", refusal: 131_047 } },
    });
    await outbox.flush();
    expect(sent).toEqual([]);
    expect(outbox.progress).toMatchObject({ settled: 1, replies: [], refusals: [131_047] });
  });

  it("takes back that an output is on its way when it was certainly not taken", async () => {
    const { outbox, saved, sent } = setUp({}, [{ kind: "postponed", seconds: 17, code: 4 }]);
    await expect(outbox.execute(plan([one, two]))).rejects.toMatchObject({
      name: "RetryLater",
      seconds: 17,
      message: "The platform did not accept the reply (code 4).",
    });
    expect(saved).toHaveLength(2);
    expect(saved[1]).not.toHaveProperty("sending_since");
    expect(sent).toHaveLength(1);
  });
});

describe("an output on its way", () => {
  const setUp = (...outcomes: SendOutcome[]) => {
    const send = vi.fn(async (..._sent: unknown[]) => outcomes.shift() ?? accepted("wamid.out"));
    const upload = vi.fn(async () => "media-1");
    const make = vi.fn(async () => ({
      bytes: Buffer.from("OggS"),
      contentType: "audio/ogg",
      fileName: "v.ogg",
    }));
    const outcomeOf = vi.fn<LongRecordings["outcomeOf"]>(async () => ({
      kind: "transcribed",
      text: "Many words",
    }));
    const unused = () => Promise.reject(new Error("Not needed."));
    const platform = { send, upload, showTyping: unused, download: unused };
    const deliver = (output: Output) =>
      deliverOutput(
        message,
        output,
        3,
        "eng",
        {
          platform,
          voiceNotes: { make },
          longRecordings: { outcomeOf },
          senderData: { find: unused },
          resultTemplate: undefined,
        },
        signal,
      );
    return { send, upload, make, outcomeOf, deliver };
  };
  const recipient = { phoneNumberId: message.phoneNumberId, phone: message.phone, sender: message.sender };
  const reference = JSON.stringify([message.sender, message.id, 3]);
  const quotation: Output = { kind: "text", text: "📝 Hello", quoting: "wamid.in" };
  const speech: Output = { kind: "speech", text: "Webale", language: "lug" };
  const transcript: Output = { kind: "transcript", jobId: "job", caption: "Here", quoting: "wamid.in" };
  const wrong: SendOutcome = { kind: "refused", reason: "content", code: 131_009 };

  it("carries its quotation and our reference", async () => {
    const { send, deliver } = setUp();
    expect(await deliver(quotation)).toEqual(accepted("wamid.out"));
    expect(send).toHaveBeenCalledExactlyOnceWith(recipient, quotation, { quoting: "wamid.in", reference });
  });

  it("is sent without the quotation when the platform refuses it with one", async () => {
    const { send, deliver } = setUp(wrong);
    expect(await deliver(quotation)).toEqual(accepted("wamid.out"));
    expect(send.mock.calls[1]).toEqual([recipient, quotation, { quoting: undefined, reference }]);
  });

  it.each<[string, Output, SendOutcome]>([
    ["it is wrong without a quotation", say("x"), wrong],
    ["the person cannot be reached", quotation, { kind: "refused", reason: "unreachable", code: 131_047 }],
    ["it was postponed", quotation, { kind: "postponed", seconds: 10, code: 4 }],
    ["unknown", quotation, { kind: "unknown" }],
  ])("is sent once when %s", async (_when, output, outcome) => {
    const { send, deliver } = setUp(outcome);
    expect(await deliver(output)).toEqual(outcome);
    expect(send).toHaveBeenCalledOnce();
  });

  it("as a transcript is uploaded and sent as a file, quoting the voice note", async () => {
    const { send, upload, deliver } = setUp();
    expect(await deliver(transcript)).toEqual(accepted("wamid.out"));
    const file = {
      bytes: Buffer.from("Many words\n"),
      contentType: "text/plain",
      fileName: "transcript.txt",
    };
    expect(upload).toHaveBeenCalledExactlyOnceWith(recipient, file, { signal });
    expect(send).toHaveBeenCalledExactlyOnceWith(
      recipient,
      { kind: "document", mediaId: "media-1", fileName: "transcript.txt", caption: "Here" },
      { quoting: "wamid.in", reference },
    );
  });

  it("as a transcript waits for a platform that takes no files, and is nothing when it was cleared away", async () => {
    const { send, upload, outcomeOf, deliver } = setUp();
    vi.spyOn(logger, "warn").mockReturnValue();
    upload.mockRejectedValueOnce(new Error("The platform is ill."));
    expect(await deliver(transcript)).toMatchObject({ kind: "postponed" });
    outcomeOf.mockResolvedValue(undefined);
    expect(await deliver(transcript)).toMatchObject({ kind: "refused", reason: "unreachable" });
    expect(send).not.toHaveBeenCalled();
  });

  it("as speech is synthesised, uploaded and sent as a voice note", async () => {
    const { send, upload, make, deliver } = setUp();
    expect(await deliver(speech)).toEqual(accepted("wamid.out"));
    expect(make).toHaveBeenCalledExactlyOnceWith("Webale", "lug", { signal });
    expect(upload).toHaveBeenCalledExactlyOnceWith(recipient, await make(), { signal });
    expect(send).toHaveBeenCalledExactlyOnceWith(
      recipient,
      { kind: "audio", mediaId: "media-1" },
      { quoting: undefined, reference },
    );
  });

  it("as speech that cannot be synthesised or uploaded is replaced by a message", async () => {
    const unmade = setUp();
    unmade.make.mockRejectedValue(new Error("The model is ill."));
    const refused = setUp();
    refused.upload.mockRejectedValue(new Error("The platform is ill."));
    for (const { send, deliver } of [unmade, refused]) {
      expect(await deliver(speech)).toEqual(accepted("wamid.out"));
      expect(send.mock.calls[0]?.[1]).toEqual({ kind: "text", text: wording.voiceFailed });
    }
    expect(vi.mocked(logger.warn).mock.calls).toEqual([
      ["voice.not_made", { reason: expect.objectContaining({ message: "The model is ill." }) }],
      ["voice.not_made", { reason: expect.objectContaining({ message: "The platform is ill." }) }],
    ]);
  });
});
