import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createFinishMessage } from "../../../functions/messaging/finish-message.ts";
import { welcomeList as welcomeListIn } from "../../../functions/messaging/menus.ts";
import {
  type Attempt,
  createMessageRecords,
  LeaseLost,
} from "../../../functions/messaging/message-records.ts";
import { createPeopleRepository } from "../../../functions/messaging/person.ts";
import { say } from "../../../functions/messaging/plan.ts";
import type { ReplyDependencies } from "../../../functions/messaging/reply-to-text.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";
import { forgetSender } from "../../../infra/commands/forget-sender.ts";
import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import type { Table } from "../../../shared/platform/storage/table.ts";
import {
  consentNotice,
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
import { audioBytes, wavFile } from "../../support/wav.ts";

const welcomeList = welcomeListIn(wording);

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
  transcriber: { transcribe: async () => ({ text: "What is the answer?", segments: undefined }) },
  platform: { download: async () => ({ bytes: new Uint8Array() }) },
  transcriptionRetry: { after: 120_000, pause: 1 },
  longRecordings: noLongRecordings,
  ...replyBasics,
  ...overrides,
});

const setUp = (overrides: Partial<ReplyDependencies> = {}) => {
  const platform = new FakePlatform(server.openForRequests());
  platform.recording = wavFile(audioBytes(48_000), { stated: true });
  const start = (lastStep?: number) =>
    startWorker({
      table,
      platform,
      models: models(overrides),
      lifeline: new Lifeline(lastStep),
    });
  return { platform, start, words: () => platform.taken.map(wordsOf) };
};

const question = () => newMessage({ type: "text", text: "What is the answer?" });
const recording = () => newMessage({ type: "voice", mediaId: "123" });

const recordItem = ({ sender, id }: InboundMessage) => server.read(messagingKeys.message(sender, id));
const conversationOf = async ({ sender }: InboundMessage) =>
  (await createPeopleRepository(table).find({ sender })).conversation;

const textReply = [consentNotice, "It is 42.", welcomeList.text];
const voiceReply = [
  consentNotice,
  wording.listening,
  wording.transcript("What is the answer?"),
  "It is 42.",
  welcomeList.text,
];

describe("a message", () => {
  it("gets a reply, is recorded and closed, with three calls to the table and two for each identifier", async () => {
    const { platform, start, words } = setUp();
    platform.reports = false;
    const first = question();
    await start().handle(recordOf(first));
    const second = { ...question(), sender: first.sender };
    server.calls.length = 0;
    expect(await start().handle(recordOf(second))).toBe(true);
    expect(server.calls).toEqual([
      "UpdateItem",
      ...["Query", "GetItem", "Query", "GetItem"],
      "UpdateItem",
      "TransactWriteItems",
    ]);
    expect(words()).toEqual([...textReply, "It is 42."]);
    expect((await conversationOf(first))?.exchanges).toEqual([
      {
        question: "What is the answer?",
        answer: "It is 42.",
        replies: platform.taken.slice(0, 3).map(({ id }) => id),
      },
      { question: "What is the answer?", answer: "It is 42.", replies: [platform.taken[3]?.id] },
    ]);
  });

  it("leaves a record without anyone's words, for eight days", async () => {
    const { start } = setUp();
    const message = question();
    await start().handle(recordOf(message));
    const item = await recordItem(message);
    expect(item).toMatchObject({
      done_at: expect.any(String),
      replies: [expect.any(String), expect.any(String), expect.any(String)],
    });
    expect(JSON.stringify(item)).not.toMatch(/answer\?|It is/);
    const days = (Number(item?.["expires_at"]) - Date.now() / 1_000) / 86_400;
    expect(days).toBeGreaterThan(7.9);
    expect(days).toBeLessThan(8.1);
  });

  it("and what is remembered of it end 90 days later, unless the person writes again", async () => {
    const { start } = setUp();
    const first = question();
    const key = messagingKeys.conversation(first.sender);
    const expiry = async () => Number((await server.read(key))?.["expires_at"]);
    await start().handle(recordOf(first));
    const days = ((await expiry()) - Date.now() / 1_000) / 86_400;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThan(90.1);

    await table.update({
      Key: key,
      UpdateExpression: "SET expires_at = :soon",
      ExpressionAttributeValues: { ":soon": Math.floor(Date.now() / 1_000) + 60 },
    });
    expect((await conversationOf(first))?.exchanges).toHaveLength(1);
    await start().handle(recordOf({ ...question(), sender: first.sender }));
    expect((await conversationOf(first))?.exchanges).toHaveLength(2);
    expect(((await expiry()) - Date.now() / 1_000) / 86_400).toBeGreaterThan(89.9);
  });

  it("is forgotten when its time has passed, before the table has removed it", async () => {
    const { start } = setUp();
    const message = question();
    await start().handle(recordOf(message));
    vi.useFakeTimers({ now: Date.now() + 90 * 86_400_000 + 1_000, toFake: ["Date"] });
    try {
      expect(await conversationOf(message)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("gets one reply, however often the platform delivers it", async () => {
    const { start, words } = setUp();
    const message = question();
    for (let delivery = 0; delivery < 5; delivery += 1) {
      expect(await start().handle(recordOf(message, { id: `delivery-${delivery}-${message.id}` }))).toBe(
        true,
      );
    }
    expect(words()).toEqual(textReply);
  });

  it("gets one reply from twenty workers that receive it at the same time; the others return it", async () => {
    const { start, words } = setUp();
    const message = question();
    const records = Array.from({ length: 20 }, (_, index) =>
      recordOf(message, { id: `copy-${index}-${message.id}` }),
    );
    const done = await Promise.all(records.map((record) => start().handle(record)));
    expect(done.filter((isDone) => isDone).length).toBeGreaterThanOrEqual(1);
    for (const record of records) expect(await start().handle(record)).toBe(true);
    expect(words()).toEqual(textReply);
  });
});

describe("the lease of a message", () => {
  const records = () => createMessageRecords(table);
  const attempt = (members: Partial<Attempt> = {}): Attempt => ({
    queueMessageId: "first",
    receiveCount: 1,
    isDeadLettered: false,
    milliseconds: 60_000,
    ...members,
  });
  const nothing = { outputs: [], settled: 0, replies: [], refusals: [] };

  it("keeps every other try away while it lasts, and says for how long", async () => {
    const message = question();
    expect(await records().claim(message, attempt())).toMatchObject({ kind: "claimed", record: nothing });
    const held = { kind: "held", secondsLeft: 60 };
    expect(await records().claim(message, attempt({ queueMessageId: "second" }))).toEqual(held);
    expect(await records().claim(message, attempt({ queueMessageId: "second", receiveCount: 2 }))).toEqual(
      held,
    );
    expect(await records().claim(message, attempt())).toEqual(held);
  });

  it("goes to a later attempt at the same queue message, to the dead-letter queue, and to any worker when it expires", async () => {
    const message = question();
    await records().claim(message, attempt());
    const later = attempt({ receiveCount: 2, milliseconds: -1 });
    expect(await records().claim(message, later)).toMatchObject({ kind: "claimed" });
    const other = attempt({ queueMessageId: "second" });
    expect(await records().claim(message, other)).toMatchObject({ kind: "claimed" });
    const dead = attempt({ queueMessageId: "third", isDeadLettered: true });
    expect(await records().claim(message, dead)).toMatchObject({ kind: "claimed" });
    for (const lost of [attempt(), later, other, attempt({ queueMessageId: "third" })]) {
      await expect(records().save(message, lost, nothing)).rejects.toBeInstanceOf(LeaseLost);
    }
    const progress = { ...nothing, outputs: [say("Webale")], changes: { isFirst: true }, sending_since: 7 };
    await records().save(message, dead, progress);
    expect(await records().claim(message, { ...dead, receiveCount: 2 })).toEqual({
      kind: "claimed",
      record: { ...progress, receipts: {} },
    });
    await records().save(message, { ...dead, receiveCount: 2 }, { ...nothing, settled: 1 });
    expect(await recordItem(message)).not.toHaveProperty("sending_since");
  });

  it("is released when the message is done", async () => {
    const message = question();
    await records().claim(message, attempt());
    const finish = createFinishMessage(table);
    const { person } = await createPeopleRepository(table).find(message);
    const result = { person, conversation: undefined, feedback: undefined, progress: nothing };
    await expect(finish(message, attempt({ receiveCount: 2 }), result)).rejects.toBeInstanceOf(LeaseLost);
    await finish(message, attempt(), result);
    await expect(finish(message, attempt(), result)).rejects.toBeInstanceOf(LeaseLost);
    for (const next of [attempt({ receiveCount: 2 }), attempt({ isDeadLettered: true })]) {
      expect(await records().claim(message, next)).toEqual({ kind: "done" });
    }
    expect(await recordItem(message)).toEqual({
      ...messagingKeys.message(message.sender, message.id),
      claimed_by: "first",
      receive_count: 1,
      receipts: {},
      replies: [],
      refusals: [],
      done_at: expect.any(String),
      expires_at: expect.any(Number),
    });
    expect(await conversationOf(message)).toBeUndefined();
  });

  it("ends with a person's rating and conversation written down as they are", async () => {
    const message = { ...question(), phone: "256700000042" };
    await records().claim(message, attempt());
    const conversation = {
      settings: { mode: "translate", language: "lug", voice: true } as const,
      exchanges: [{ question: "q", answer: "a", replies: ["wamid.a"] }],
      note: "A note.",
    };
    const feedback = { kind: "rating", value: "Good" } as const;
    const { person } = await createPeopleRepository(table).find(message);
    const result = { person, conversation, feedback, progress: nothing };
    await createFinishMessage(table)(message, attempt(), result);
    expect(await conversationOf(message)).toEqual({ ...conversation, phones: ["256700000042"] });
    expect(await server.read(messagingKeys.feedback(message.sender, message.id))).toEqual({
      ...messagingKeys.feedback(message.sender, message.id),
      ...feedback,
      expires_at: expect.any(Number),
      at: expect.any(String),
    });
    expect(await server.read(messagingKeys.alias("256700000042"))).toMatchObject({
      alias_of: message.sender,
    });
  });
});

describe("a worker that is killed", () => {
  const kinds = [
    { what: "a text", make: question, expected: textReply },
    { what: "a voice note", make: recording, expected: voiceReply },
  ];

  it.each(kinds)(
    "between any two steps of replying to $what leaves the rest to the next one, and nothing is sent twice",
    async ({ make, expected }) => {
      for (let lastStep = 1; ; lastStep += 1) {
        const { platform, start, words } = setUp();
        const message = make();
        const isDone = await start(lastStep).handle(recordOf(message));
        expect(await start().handle(recordOf(message, { attempts: 2 })), `step ${lastStep}`).toBe(true);
        expect(words(), `killed at step ${lastStep}`).toEqual(expected);
        expect((await conversationOf(message))?.exchanges[0]?.replies).toEqual(
          platform.taken.map(({ id }) => id),
        );
        if (isDone) {
          expect(lastStep).toBeGreaterThan(12);
          return;
        }
      }
    },
    120_000,
  );

  it.each(kinds)(
    "again and again while it replies to $what still sends everything once",
    async ({ make, expected }) => {
      for (let lastStep = 1; lastStep <= 20; lastStep += 1) {
        const { start, words } = setUp();
        const message = make();
        await start(lastStep).handle(recordOf(message));
        await start(1 + ((lastStep * 7) % 23)).handle(recordOf(message, { attempts: 2 }));
        await start(1 + ((lastStep * 11) % 17)).handle(recordOf(message, { attempts: 3 }));
        expect(await start().handle(recordOf(message, { attempts: 4 }))).toBe(true);
        expect(words(), `killed at step ${lastStep}`).toEqual(expected);
      }
    },
    120_000,
  );

  it("but is only slow says nothing when another one has taken over", async () => {
    const thinking = Promise.withResolvers<void>();
    const { start, words } = setUp({
      chat: {
        reply: async () => {
          await thinking.promise;
          return { text: "It is 41.", finishReason: "stop", usage: undefined };
        },
      },
    });
    const { platform } = setUp();
    const message = question();
    const slow = start().handle(recordOf(message));
    await expect.poll(async () => (await recordItem(message))?.["claimed_by"]).toBe(message.id);

    const other = startWorker({ table, platform, models: models() });
    expect(await other.handle(recordOf(message, { attempts: 2 }))).toBe(true);
    thinking.resolve();
    expect(await slow).toBe(true);
    expect(words()).toEqual([]);
    expect(platform.taken.map(wordsOf)).toEqual(textReply);
  });
});

describe("a person who writes faster than the assistant replies", () => {
  const flood = (count: number): InboundMessage[] => {
    const first = { ...newMessage({ type: "text", text: "status" }), sentAt: 1_795_168_800 };
    return Array.from({ length: count }, (_, index) => ({
      ...first,
      id: `${first.id}-${index}`,
      sentAt: first.sentAt + Math.floor(index / 3),
    }));
  };
  const warned = (texts: readonly string[]) =>
    texts.filter((words) => words === wording.tooMany.minute).length;
  const replied = (texts: readonly string[]) =>
    texts.filter((words) => words.startsWith("*Your settings*")).length;

  it("gets thirty replies to sixty messages in twenty seconds, and one warning; no other person waits", async () => {
    const { start, words } = setUp();
    const messages = flood(60);
    for (const message of messages) expect(await start().handle(recordOf(message))).toBe(true);
    expect([replied(words()), warned(words()), words().length]).toEqual([30, 1, 33]);
    expect(words().at(-1)).toBe(wording.tooMany.minute);
    // A dropped message is done: the platform may deliver it again.
    for (const message of messages)
      expect(await start().handle(recordOf(message, { id: `again-${message.id}` }))).toBe(true);
    expect(words()).toHaveLength(33);
    const other = setUp();
    await other.start().handle(recordOf(question()));
    expect(other.words()).toEqual(textReply);
  });

  it("is warned once, and counted once, although the worker is killed between any two steps", async () => {
    for (let lastStep = 1; ; lastStep += 1) {
      const { start, words } = setUp();
      const messages = flood(33);
      for (const message of messages.slice(0, 29)) await start().handle(recordOf(message));
      // The 30th gets a reply, the 31st a warning, the 32nd and the 33rd are dropped.
      let isDone = true;
      for (const message of messages.slice(29)) {
        isDone = (await start(lastStep).handle(recordOf(message))) && isDone;
        expect(await start().handle(recordOf(message, { attempts: 2 })), `step ${lastStep}`).toBe(true);
      }
      expect([replied(words()), warned(words()), words().length], `step ${lastStep}`).toEqual([30, 1, 33]);
      const conversation = await conversationOf(messages[0] ?? question());
      expect(conversation?.pace?.minute).toMatchObject({ count: 30, told: true });
      if (isDone) {
        expect(lastStep).toBeGreaterThan(6);
        return;
      }
    }
  }, 120_000);

  it("also gets a reply when the message was queued before messages had a time", async () => {
    const { start, words } = setUp();
    const { sentAt: _, ...old } = flood(1)[0] ?? question();
    expect(await start().handle(recordOf(old))).toBe(true);
    expect(replied(words())).toBe(1);
  });
});

describe("a reply with an unknown outcome", () => {
  it("is not sent again when the platform reports that it has it", async () => {
    const { platform, start, words } = setUp();
    const message = question();
    const worker = startWorker({
      table,
      platform,
      models: models(),
      work: {
        platform: {
          send: async (...sent) => {
            await platform.take(...sent);
            return { kind: "unknown" };
          },
          showTyping: async () => undefined,
          download: platform.download.bind(platform),
          upload: platform.upload.bind(platform),
        },
      },
    });
    expect(await worker.handle(recordOf(message))).toBe(false);
    expect(await start().handle(recordOf(message, { attempts: 2 }))).toBe(true);
    expect(words()).toEqual(textReply);
  });

  it("is sent again when no report comes", async () => {
    const { platform, start, words } = setUp();
    const message = question();
    platform.outcomes.push({ kind: "unknown" });
    expect(await start().handle(recordOf(message))).toBe(false);
    expect(await start().handle(recordOf(message, { attempts: 2 }))).toBe(true);
    expect(words()).toEqual(textReply);
  });
});

describe("a reply that the platform refuses", () => {
  it("because of its rates comes again through the queue, without asking the model again", async () => {
    let requested = 0;
    const { platform, start, words } = setUp({
      chat: {
        reply: async () => {
          requested += 1;
          return { text: "It is 42.", finishReason: "stop", usage: undefined };
        },
      },
    });
    platform.outcomes.push({ kind: "postponed", seconds: 10, code: 131_056 });
    const message = question();
    const worker = start();
    expect(await worker.handle(recordOf(message))).toBe(false);
    expect(worker.retries).toEqual([10]);
    expect(await start().handle(recordOf(message, { attempts: 2 }))).toBe(true);
    expect(words()).toEqual(textReply);
    expect(requested).toBe(1);
  });

  it("because 24 hours have passed is recorded, and not tried again", async () => {
    const { platform, start, words } = setUp();
    platform.outcomes.push(
      { kind: "refused", reason: "unreachable", code: 131_047 },
      { kind: "refused", reason: "unreachable", code: 131_047 },
      { kind: "refused", reason: "unreachable", code: 131_047 },
    );
    const message = question();
    expect(await start().handle(recordOf(message))).toBe(true);
    expect(await start().handle(recordOf(message, { id: "again" }))).toBe(true);
    expect(words()).toEqual([]);
    expect(await recordItem(message)).toMatchObject({
      refusals: [131_047, 131_047, 131_047],
      done_at: expect.any(String),
    });
  });

  it("because something is wrong with a menu is replaced by an apology", async () => {
    const { platform, start, words } = setUp();
    platform.outcomes.push("take", { kind: "refused", reason: "content", code: 100 });
    const message = newMessage({ type: "text", text: "mode" });
    expect(await start().handle(recordOf(message))).toBe(true);
    expect(words()).toEqual([
      consentNotice,
      welcomeList.text,
      expect.stringContaining("something went wrong on our side"),
    ]);
  });

  it("because it quotes a message that is gone is sent without the quotation", async () => {
    const { platform, start, words } = setUp();
    const message = recording();
    platform.outcomes.push("take", "take", { kind: "refused", reason: "content", code: 131_009 });
    expect(await start().handle(recordOf(message))).toBe(true);
    expect(words()).toEqual(voiceReply);
    expect(platform.taken[2]?.options.quoting).toBeUndefined();
  });
});

describe("a message that ends every try", () => {
  const poison = async () => {
    throw new Error("A fault nobody foresaw.");
  };

  it("returns after growing pauses, and then gets one apology", async () => {
    const { platform, words } = setUp();
    const message = question();
    const worker = startWorker({ table, platform, models: models(), plan: poison });
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      expect(await worker.handle(recordOf(message, { attempts }))).toBe(false);
    }
    expect(worker.retries).toEqual([3, 10, 30, 60, 60]);
    const deadLettered = recordOf(message, { attempts: 6, arn: deadLetterQueueArn });
    expect(await worker.handle(deadLettered)).toBe(true);
    expect(await worker.handle(deadLettered)).toBe(true);
    expect(words()).toEqual([expect.stringContaining("something went wrong on our side")]);
    expect(await conversationOf(message)).toBeUndefined();
    expect(await recordItem(message)).toMatchObject({ done_at: expect.any(String) });
  });

  it("gets the reply instead of an apology when it was planned before the attempts ended", async () => {
    const { platform, start, words } = setUp();
    const message = question();
    platform.outcomes.push({ kind: "postponed", seconds: 60, code: 190 });
    expect(await start().handle(recordOf(message, { attempts: 5 }))).toBe(false);
    expect(await start().handle(recordOf(message, { attempts: 6, arn: deadLetterQueueArn }))).toBe(true);
    expect(words()).toEqual(textReply);
  });

  it("stays in the dead-letter queue when it cannot be read", async () => {
    const { start, words } = setUp();
    for (const attempt of [{ attempts: 1 }, { attempts: 6, arn: deadLetterQueueArn }]) {
      expect(await start().handle({ ...recordOf(question(), attempt), body: "{" })).toBe(false);
    }
    expect(words()).toEqual([]);
  });
});

const noFiles = {
  put: async () => undefined,
  delete: () => Promise.reject(new Error("There are no files in this test.")),
  list: () => {
    throw new Error("There are no files in this test.");
  },
};

describe("a person who is forgotten", () => {
  it("leaves nothing in the table", async () => {
    const { start } = setUp();
    const message = { ...question(), phone: "256700000009" };
    await start().handle(recordOf(message));
    await start().handle(
      recordOf({ ...newMessage({ type: "choice", id: "", title: "Good" }), sender: message.sender }),
    );
    // By phone number, though the platform names the person by a user id, and by a second number too.
    expect(await forgetSender("256700000009", { table, store: noFiles })).toBe(6);
    expect(await conversationOf(message)).toBeUndefined();
    expect(await recordItem(message)).toBeUndefined();
    expect(await forgetSender("256700000009", { table, store: noFiles })).toBe(0);
  });

  it("while one of their messages gets its reply is not recorded again", async () => {
    const { platform, words } = setUp();
    const message = question();
    const worker = startWorker({
      table,
      platform,
      models: models(),
      work: {
        refreshNote: async (conversation) => {
          await forgetSender(message.sender, { table, store: noFiles });
          return conversation;
        },
      },
    });
    expect(await worker.handle(recordOf(message))).toBe(true);
    expect(words()).toEqual(textReply);
    expect(await conversationOf(message)).toBeUndefined();
  });
});
