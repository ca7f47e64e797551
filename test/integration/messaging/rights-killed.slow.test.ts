import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LongRecordings } from "../../../functions/messaging/long-recordings.ts";
import { createPeopleRepository } from "../../../functions/messaging/person.ts";
import type { ReplyDependencies } from "../../../functions/messaging/reply-to-text.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";
import type { InboundMessage, MessageContent } from "../../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import { readTranslationFeedback } from "../../../shared/messaging/translation-feedback.ts";
import type { Table } from "../../../shared/platform/storage/table.ts";
import {
  deadLetterQueueArn,
  FakePlatform,
  Lifeline,
  newMessage,
  noLongRecordings,
  recordOf,
  replyBasics,
  startWorker,
  wordsOf,
} from "../../support/assistant.ts";
import { startTestTable, type TestTable } from "../../support/test-table.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";

let server: TestTable;
let table: Table;
beforeAll(async () => {
  server = await startTestTable();
  table = server.open();
});
afterAll(() => server.close());

const models = (overrides: Partial<ReplyDependencies> = {}): ReplyDependencies => ({
  chat: { reply: async () => ({ text: "It is 42.", finishReason: "stop", usage: undefined }) },
  translator: { translate: async () => ({ text: "Webale", usage: undefined }) },
  ...unsureJudgement,
  transcriber: { transcribe: async () => ({ text: "Oli otya?", segments: undefined }) },
  platform: { download: async () => ({ bytes: new Uint8Array() }) },
  transcriptionRetry: { after: 120_000, pause: 1 },
  longRecordings: noLongRecordings,
  ...replyBasics,
  ...overrides,
});

/** The job of a long recording that has ended, with what was removed. */
const endedJob = (text = "Oli otya?") => {
  const cleared: string[] = [];
  const recordings: LongRecordings = {
    begin: async () => "job",
    outcomeOf: async () => (cleared.length === 0 ? { kind: "transcribed", text } : undefined),
    clear: async (jobId) => void cleared.push(jobId),
  };
  return { cleared, recordings };
};

/** A person and their assistant. */
const setUp = ({
  recordings = noLongRecordings,
  hasResultTemplate = false,
}: {
  recordings?: LongRecordings;
  hasResultTemplate?: boolean;
} = {}) => {
  const platform = new FakePlatform(server.openForRequests());
  const person = newMessage({ type: "text", text: "" });
  const start = (lastStep?: number) =>
    startWorker({
      table,
      platform,
      recordings,
      models: models({ hasResultTemplate }),
      lifeline: new Lifeline(lastStep),
    });
  const messageOf = (content: MessageContent, sentAt = Math.floor(Date.now() / 1_000)): InboundMessage => ({
    ...newMessage(content, person.sender),
    sentAt,
  });
  const handle = (content: MessageContent, sentAt?: number) =>
    start().handle(recordOf(messageOf(content, sentAt)));
  /** Handles a message with a worker that dies at a step, and then with another. @returns whether the first one lived. */
  const handleKilled = async (message: InboundMessage, lastStep: number): Promise<boolean> => {
    const isDone = await start(lastStep).handle(recordOf(message));
    expect(await start().handle(recordOf(message, { attempts: 2 })), `step ${lastStep}`).toBe(true);
    return isDone;
  };
  return {
    platform,
    sender: person.sender,
    start,
    messageOf,
    handleKilled,
    say: (text: string, sentAt?: number) => handle({ type: "text", text }, sentAt),
    handle,
    words: () => platform.taken.map(wordsOf),
    found: () => createPeopleRepository(table).find(person),
    items: () => table.query({ partition: messagingKeys.sender(person.sender) }),
  };
};

const text = (words: string): MessageContent => ({ type: "text", text: words });
const transcript: MessageContent = { type: "transcript", jobId: "job", voiceNoteId: "wamid.long" };
const yesterday = () => Math.floor(Date.now() / 1_000) - 25 * 60 * 60;

describe("STOP", () => {
  it("is confirmed once and applies, wherever its worker is killed, and shows no read receipt", async () => {
    for (let lastStep = 1; ; lastStep += 1) {
      const { platform, messageOf, handleKilled, say, words, found } = setUp();
      await say("hello");
      platform.taken.length = 0;
      platform.typing.length = 0;
      const isDone = await handleKilled(messageOf(text("STOP")), lastStep);
      expect(words()).toEqual([wording.stopped]);
      expect((await found()).person.stoppedAt).toEqual(expect.any(String));
      await say("What is the answer?");
      expect([words().length, platform.typing]).toEqual([1, []]);
      if (isDone) {
        expect(lastStep).toBeGreaterThan(6);
        return;
      }
    }
  });

  it("ends with START, wherever its worker is killed", async () => {
    for (let lastStep = 1; ; lastStep += 1) {
      const { platform, messageOf, handleKilled, say, words, found } = setUp();
      await say("hello");
      await say("STOP");
      platform.taken.length = 0;
      const isDone = await handleKilled(messageOf(text("Start")), lastStep);
      expect(words()).toEqual([wording.started]);
      expect((await found()).person.stoppedAt).toBeUndefined();
      if (isDone) return;
    }
  });

  it("does not expire, and works for a person who writes too fast", async () => {
    const { sender, say, words } = setUp();
    for (let count = 0; count < 32; count += 1) await say("status");
    await say("STOP");
    expect(words().at(-1)).toBe(wording.stopped);
    const stopped = await table.read({ Key: messagingKeys.stopped(sender) });
    expect(stopped).not.toHaveProperty("expires_at");
  });

  it("also silences messages whose attempts have all failed", async () => {
    const { start, messageOf, say, words } = setUp();
    await say("STOP");
    const failed = messageOf(text("What is the answer?"));
    expect(await start().handle(recordOf(failed, { attempts: 6, arn: deadLetterQueueArn }))).toBe(true);
    expect(words()).toEqual([wording.stopped]);
  });

  it("removes a transcript of a person of whom nothing else is stored", async () => {
    const { cleared, recordings } = endedJob();
    const { say, handle, words } = setUp({ recordings });
    await say("STOP");
    await handle(transcript);
    expect([words(), cleared]).toEqual([[wording.stopped], ["job"]]);
  });
});

describe("a person who wants to be forgotten", () => {
  it("is, and learns it once, wherever the worker is killed; nothing of them stays", async () => {
    for (let lastStep = 1; ; lastStep += 1) {
      const { sender, platform, messageOf, handleKilled, start, say, words, items } = setUp();
      await say("My name is Okello");
      await say("forget me");
      platform.taken.length = 0;
      const confirmation = messageOf(text("YES"));
      const isDone = await handleKilled(confirmation, lastStep);
      expect(words(), `step ${lastStep}`).toEqual([wording.forgotten]);
      expect(await items(), `step ${lastStep}`).toEqual([]);
      // The platform delivers the message again, when the queue no longer knows it.
      expect(await start().handle(recordOf(confirmation, { id: `again-${lastStep}` }))).toBe(true);
      expect([words().length, await items()]).toEqual([1, []]);
      // The job of a recording ends after its person was forgotten.
      expect(await startWithoutJob(platform).handle(recordOf(messageOf(transcript)))).toBe(true);
      expect([words().length, await items(), sender.length > 0]).toEqual([1, [], true]);
      if (isDone) {
        expect(lastStep).toBeGreaterThan(12);
        return;
      }
    }
  }, 120_000);

  const startWithoutJob = (platform: FakePlatform) => {
    const { recordings } = endedJob();
    const outcomeOf = async () => undefined;
    const gone = { ...recordings, outcomeOf };
    return startWorker({ table, platform, recordings: gone, models: models() });
  };

  it("loses the mark of their last message after eight days, and the mark names no one", async () => {
    const { sender, messageOf, start, say } = setUp();
    await say("forget me");
    const confirmation = messageOf(text("yes please"));
    await start().handle(recordOf(confirmation));
    const digest = createHash("sha256").update(`${sender} ${confirmation.id}`).digest("hex");
    const key = messagingKeys.forgotten(digest);
    const mark = await table.read({ Key: key });
    expect(mark).toEqual({ ...key, expires_at: expect.any(Number) });
    const days = (Number(mark?.["expires_at"]) - Date.now() / 1_000) / 86_400;
    expect([days > 7.9, days < 8.1]).toEqual([true, true]);
  });
});

describe("a result that comes after the platform's 24 hours", () => {
  it("waits, and is sent once with the reply to the next message, wherever workers are killed", async () => {
    for (let lastStep = 1; ; lastStep += 1) {
      const { cleared, recordings } = endedJob();
      const { platform, messageOf, handleKilled, say, words, found } = setUp({ recordings });
      await say("hello", yesterday());
      platform.taken.length = 0;
      const isDone = await handleKilled(messageOf(transcript), lastStep);
      expect([words(), cleared]).toEqual([[], []]);
      expect((await found()).conversation?.waiting_result).toEqual({
        job_id: "job",
        voice_note_id: "wamid.long",
      });
      const isNextDone = await handleKilled(messageOf(text("status")), lastStep);
      expect(words().slice(1)).toEqual(["📝 Oli otya?"]);
      expect(platform.taken[1]?.options.quoting).toBe("wamid.long");
      expect([...new Set(cleared)]).toEqual(["job"]);
      expect((await found()).conversation?.waiting_result).toBeUndefined();
      if (isDone && isNextDone) return;
    }
  });

  it("also waits when the platform refuses it, and none of its other parts is sent", async () => {
    const { cleared, recordings } = endedJob("Oli otya ssebo nnyabo? ".repeat(300));
    const { platform, say, handle, words, found } = setUp({ recordings });
    await say("hello");
    platform.taken.length = 0;
    platform.outcomes.push({ kind: "refused", reason: "unreachable", code: 131_047 });
    await handle(transcript);
    expect([words(), cleared]).toEqual([[], []]);
    expect((await found()).conversation?.waiting_result).toBeDefined();
    await say("status");
    expect(words()).toHaveLength(3);
    expect(cleared).toEqual(["job"]);
  });

  it.each([
    ["before it is refused", yesterday(), false],
    ["after it was refused", undefined, true],
  ])("goes as a template message where the stage names one: %s", async (_when, sentAt, isRefused) => {
    const { cleared, recordings } = endedJob();
    const { platform, say, handle, found } = setUp({ recordings, hasResultTemplate: true });
    await say("hello", sentAt);
    platform.taken.length = 0;
    if (isRefused) platform.outcomes.push({ kind: "refused", reason: "unreachable", code: 131_047 });
    await handle(transcript);
    expect(platform.taken.map(({ content }) => content)).toEqual([
      {
        kind: "template",
        template: { name: "transcript_ready", language: "en" },
        mediaId: expect.any(String),
        fileName: "transcript.txt",
      },
    ]);
    expect(platform.files).toEqual(["Oli otya?\n"]);
    expect(cleared).toEqual(["job"]);
    expect((await found()).conversation?.waiting_result).toBeUndefined();
  });

  it("waits when the platform refuses the template", async () => {
    const { cleared, recordings } = endedJob();
    const { platform, say, handle, words, found } = setUp({ recordings, hasResultTemplate: true });
    await say("hello", yesterday());
    platform.taken.length = 0;
    platform.outcomes.push({ kind: "refused", reason: "content", code: 132_001 });
    await handle(transcript);
    expect([words(), cleared]).toEqual([[], []]);
    expect((await found()).conversation?.waiting_result).toBeDefined();
  });
});

describe("a wrong translation", () => {
  const month = new Date().toISOString().slice(0, 7);
  const feedbackOf = async (source: string) =>
    (await readTranslationFeedback(table, month)).filter((each) => each.source === source);

  it("is stored once after YES, wherever the worker is killed, and deleted with its person", async () => {
    for (let lastStep = 1; ; lastStep += 1) {
      const { platform, messageOf, handleKilled, say, words, items } = setUp();
      const source = `Thank you ${lastStep}`;
      await say("mode translate");
      await say(source);
      await say("wrong: Weebale");
      expect(await feedbackOf(source)).toEqual([]);
      platform.taken.length = 0;
      const isDone = await handleKilled(messageOf(text("YES")), lastStep);
      expect(words()).toEqual([wording.thanksForFeedback]);
      expect(await feedbackOf(source)).toEqual([
        {
          source,
          translation: "Webale",
          target_language: "eng",
          correction: "Weebale",
          consent_at: expect.any(String),
        },
      ]);
      await say("forget me");
      await say("YES");
      expect([await feedbackOf(source), await items()]).toEqual([[], []]);
      if (isDone) return;
    }
  }, 120_000);
});
