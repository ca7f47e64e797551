import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLongRecordings } from "../../../functions/messaging/long-recordings.ts";
import { createPeopleRepository } from "../../../functions/messaging/person.ts";
import { english as wording } from "../../../functions/messaging/wording/english.ts";
import { forgetSender } from "../../../infra/commands/forget-sender.ts";
import { type InboundMessage, inboundMessage } from "../../../shared/messaging/inbound-message.ts";
import { AppError } from "../../../shared/platform/errors/app-error.ts";
import { BackendRefusal } from "../../../shared/platform/outbound/failures.ts";
import { voiceNotesFolder } from "../../../shared/platform/storage/object-store.ts";
import type { Table } from "../../../shared/platform/storage/table.ts";
import { createJobsRepository } from "../../../shared/recordings/jobs/jobs-repository.ts";
import { assistantId, jobKeys, jobObjects } from "../../../shared/recordings/jobs/keys.ts";
import { makeOggOpus } from "../../fixtures/audio/make-ogg.ts";
import {
  consentNotice,
  deadLetterQueueArn,
  FakePlatform,
  Lifeline,
  newMessage,
  recordOf,
  replyBasics,
  startWorker,
  wordsOf,
} from "../../support/assistant.ts";
import { type FakeModel, openJobWorks } from "../../support/job-works.ts";
import { startTestBucket, type TestBucket } from "../../support/test-bucket.ts";
import { startTestTable, type TestTable } from "../../support/test-table.ts";
import { unsureJudgement } from "../../support/unsure-detector.ts";

let server: TestTable;
let bucket: TestBucket;
let table: Table;
beforeAll(async () => {
  [server, bucket] = await Promise.all([startTestTable(), startTestBucket()]);
  table = server.open();
});
afterAll(async () => {
  await Promise.all([server.close(), bucket.close()]);
});

const notRequested = () => Promise.reject(new Error("No model should be called here."));
const longNote = makeOggOpus(660 * 50, { preSkip: 0, packetBytes: 2 });
const words = "Oli otya ssebo nnyabo?";

/** A person with an assistant of their own, and the worker of jobs with a model that says so of each piece. */
const setUp = (model: FakeModel = async () => ({ text: words, segments: undefined })) => {
  const works = openJobWorks({ table, store: bucket.store, model });
  const platform = new FakePlatform(server.openForRequests());
  platform.recording = longNote;
  const start = (lastStep?: number) => {
    const lifeline = new Lifeline(lastStep);
    const jobs = createJobsRepository(table);
    const recordings = createLongRecordings({
      jobs: {
        createForAssistant: lifeline.guard(jobs.createForAssistant),
        find: lifeline.guard(jobs.find),
        markDeleted: lifeline.guard(jobs.markDeleted),
        read: lifeline.guard(jobs.read),
      },
      queue: { send: lifeline.guard(works.queue.send) },
      store: { open: lifeline.guard(bucket.store.open), put: lifeline.guard(bucket.store.put) },
    });
    return startWorker({
      table,
      platform,
      recordings,
      models: {
        chat: { reply: notRequested },
        translator: { translate: notRequested },
        ...unsureJudgement,
        transcriber: { transcribe: notRequested },
        platform,
        transcriptionRetry: { after: 1_000, pause: 1 },
        longRecordings: recordings,
        ...replyBasics,
      },
      lifeline,
    });
  };
  return { works, platform, start };
};

const note = (): InboundMessage => ({
  ...newMessage({ type: "voice", mediaId: "77" }),
  sentAt: Math.floor(Date.now() / 1_000),
});

const firstMessage = (messages: readonly InboundMessage[]): InboundMessage =>
  inboundMessage.parse(JSON.parse(JSON.stringify(messages[0])));

const conversationOf = async ({ sender }: InboundMessage) =>
  (await createPeopleRepository(table).find({ sender })).conversation;

/** What remains of a job anywhere. */
const leftOf = async (jobId: string): Promise<string[]> => {
  const objects: string[] = [];
  for (const prefix of [jobObjects.folder({ userId: assistantId, jobId }), `${voiceNotesFolder}${jobId}`]) {
    for await (const object of bucket.store.list(prefix)) objects.push(object.name);
  }
  const items = await table.query({ partition: jobKeys.ofAccount(assistantId), attributes: ["SK"] });
  return [...objects, ...items.map(({ SK }) => String(SK)).filter((key) => key.includes(jobId))];
};

const jobIdOf = ({ content }: InboundMessage): string => (content.type === "transcript" ? content.jobId : "");

describe("a voice note of eleven minutes", () => {
  it("gets its transcript later, once, and then nothing of it remains", async () => {
    const { works, platform, start } = setUp();
    const message = note();
    expect(await start().handle(recordOf(message))).toBe(true);
    expect(platform.taken.map(wordsOf)).toEqual([
      consentNotice,
      wording.listening,
      wording.transcriptLater(11),
      expect.stringContaining("Where would you like to start?"),
    ]);
    const before = await conversationOf(message);
    const jobId = before?.long_recording?.job_id ?? "";
    expect((await leftOf(jobId)).length).toBeGreaterThan(1);

    // Every message to the worker of jobs comes twice.
    await works.work({ isTwice: true });
    const transcript = firstMessage(works.messages);
    expect(new Set(works.messages.map(({ id }) => id))).toEqual(new Set([transcript.id]));
    expect(transcript).toMatchObject({
      sender: message.sender,
      phone: message.phone,
      sentAt: message.sentAt,
    });
    platform.typing.length = 0;
    await start().handle(recordOf(transcript));
    await start().handle(recordOf(transcript, { id: "again" }));
    const [, , , , ...replies] = platform.taken;
    expect(replies.map(({ content, options: { quoting } }) => ({ content, quoting }))).toEqual([
      { content: expect.objectContaining({ text: `📝 ${words} / ${words}` }), quoting: message.id },
    ]);
    expect(platform.typing).toEqual([]);
    const after = await conversationOf(message);
    expect(after).toEqual({ ...before, long_recording: undefined });

    await works.work();
    expect(await leftOf(jobId)).toEqual([]);
  });

  it("of two people comes with a line for each turn", async () => {
    const segments = [
      { start: 0, end: 1, text: "Oli otya?", speaker: "SPEAKER_01" },
      { start: 1, end: 2, text: "Bulungi.", speaker: "SPEAKER_00" },
    ];
    const { works, platform, start } = setUp(async () => ({ text: "Oli otya? Bulungi.", segments }));
    await start().handle(recordOf(note()));
    await works.work();
    await start().handle(recordOf(firstMessage(works.messages)));
    expect(wordsOf(platform.taken.at(-1) ?? expect.fail("There is no reply."))).toContain(
      "A: Oli otya?\nB: Bulungi.\nA: Oli otya?\nB: Bulungi.",
    );
  });

  it("is transcribed once and gets one reply, wherever its workers are killed", async () => {
    // As many steps as a whole try has, and one more.
    for (let lastStep = 1; lastStep < 40; lastStep += 1) {
      const { works, platform, start } = setUp();
      const message = note();
      await start(lastStep)
        .handle(recordOf(message))
        .catch(() => undefined);
      expect(await start().handle(recordOf(message, { attempts: 2 }))).toBe(true);
      await works.work({ killAfter: lastStep });
      // Of two pieces the one in progress is transcribed again.
      expect(works.requested.length).toBeLessThanOrEqual(3);
      const transcript = firstMessage(works.messages);
      await start(lastStep)
        .handle(recordOf(transcript))
        .catch(() => undefined);
      expect(await start().handle(recordOf(transcript, { attempts: 2 }))).toBe(true);
      await works.work();
      const said = platform.taken.map(wordsOf);
      expect(said.filter((each) => each === wording.transcriptLater(11))).toHaveLength(1);
      expect(said.filter((each) => each.startsWith("📝"))).toHaveLength(1);
      expect(await leftOf(jobIdOf(transcript))).toEqual([]);
      expect((await conversationOf(message))?.long_recording).toBeUndefined();
    }
  }, 120_000);

  it("that says more than four messages hold comes as a file", async () => {
    const much = `${words} `.repeat(500).trim();
    const { works, platform, start } = setUp(async () => ({ text: much, segments: undefined }));
    await start().handle(recordOf(note()));
    await works.work();
    const transcript = firstMessage(works.messages);
    await start().handle(recordOf(transcript));
    expect(platform.taken.at(-1)).toMatchObject({
      content: { kind: "document", fileName: "transcript.txt", caption: wording.transcriptAsFile },
    });
    expect(platform.files).toEqual([`${much} / ${much}\n`]);
    await works.work();
    expect(await leftOf(jobIdOf(transcript))).toEqual([]);
  });

  it("that no model accepts ends with a message, and another one can be sent", async () => {
    const { works, platform, start } = setUp(async () => {
      throw new AppError("external_service_error", { cause: new BackendRefusal(422) });
    });
    const message = note();
    await start().handle(recordOf(message));
    const second = { ...note(), sender: message.sender, phone: message.phone };
    await start().handle(recordOf(second));
    expect(platform.taken.map(wordsOf).at(-1)).toBe(wording.oneLongVoiceNote);
    await works.work();
    expect(works.messages).toHaveLength(1);
    const transcript = firstMessage(works.messages);
    await start().handle(recordOf(transcript));
    expect(platform.taken.map(wordsOf).at(-1)).toBe(wording.notTranscribed);
    await works.work();
    expect(await leftOf(jobIdOf(transcript))).toEqual([]);
    await start().handle(recordOf({ ...second, id: `${second.id}-again` }));
    expect(platform.taken.map(wordsOf).at(-1)).toBe(wording.transcriptLater(11));
    await works.work();
  });

  it.each(["while it is transcribed", "when its transcript is on its way"])(
    "of a person who is forgotten %s is forgotten too, without a further message",
    async (when) => {
      const message = note();
      const forget = () => forgetSender(message.sender, { table, store: bucket.store });
      const isEarly = when.startsWith("while");
      const { works, platform, start } = setUp(async () => {
        if (isEarly) expect(await forget()).toBe(2);
        return { text: words, segments: undefined };
      });
      await start().handle(recordOf(message));
      const jobId = (await conversationOf(message))?.long_recording?.job_id ?? "";
      const said = platform.taken.length;
      await works.work();
      expect(works.messages).toHaveLength(isEarly ? 0 : 1);
      if (!isEarly) {
        expect(await forget()).toBe(2);
        expect(await start().handle(recordOf(firstMessage(works.messages)))).toBe(true);
        await works.work();
      }
      expect(platform.taken).toHaveLength(said);
      expect(await leftOf(jobId)).toEqual([]);
      expect(await conversationOf(message)).toBeUndefined();
    },
  );

  it("whose transcript could not be sent in any attempt gets an apology and is deleted", async () => {
    const { works, platform, start } = setUp();
    const message = note();
    await start().handle(recordOf(message));
    await works.work();
    const transcript = firstMessage(works.messages);
    await start().handle(recordOf(transcript, { arn: deadLetterQueueArn, id: "dead" }));
    expect(platform.taken.map(wordsOf).at(-1)).toContain("something went wrong");
    await works.work();
    expect(await leftOf(jobIdOf(transcript))).toEqual([]);
    expect((await conversationOf(message))?.long_recording).toBeUndefined();
  });
});
