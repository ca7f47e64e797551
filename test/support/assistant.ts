import { randomUUID } from "node:crypto";
import type { SQSRecord } from "aws-lambda";
import { createFinishMessage } from "../../functions/messaging/finish-message.ts";
import { handleRecord } from "../../functions/messaging/handle-record.ts";
import type { LongRecordings } from "../../functions/messaging/long-recordings.ts";
import { createMessageRecords } from "../../functions/messaging/message-records.ts";
import type {
  Content,
  MessagingPlatform,
  NewMedia,
  Recipient,
  SendOptions,
  SendOutcome,
} from "../../functions/messaging/messaging-platform.ts";
import { createPeopleRepository } from "../../functions/messaging/person.ts";
import type { Planner } from "../../functions/messaging/plan.ts";
import { type ProcessDependencies, processMessage } from "../../functions/messaging/process-message.ts";
import { createReplyPlanner, planApology } from "../../functions/messaging/reply-to-message.ts";
import type { ReplyDependencies } from "../../functions/messaging/reply-to-text.ts";
import { createSenderData } from "../../functions/messaging/sender-data.ts";
import { english } from "../../functions/messaging/wording/english.ts";
import type { InboundMessage, MessageContent } from "../../shared/messaging/inbound-message.ts";
import { readReference, saveReceipt } from "../../shared/messaging/send-receipt.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { unsureJudgement } from "./unsure-detector.ts";

export const queueArn = "arn:aws:sqs:us-east-1:000000000000:messages.fifo";
export const deadLetterQueueArn = "arn:aws:sqs:us-east-1:000000000000:messages-dead.fifo";

/** A message of a new person. */
export const newMessage = (content: MessageContent, sender = `person-${randomUUID()}`): InboundMessage => ({
  id: `wamid.${randomUUID()}`,
  sender,
  phone: sender,
  phoneNumberId: "100000000000001",
  name: "Amina Nakato",
  content,
});

/** A message as the queue hands it out for the so-many-th time. */
export const recordOf = (
  message: InboundMessage,
  { attempts = 1, id = message.id, arn = queueArn }: { attempts?: number; id?: string; arn?: string } = {},
): SQSRecord => ({
  messageId: id,
  receiptHandle: `${id}-${attempts}`,
  body: JSON.stringify(message),
  attributes: {
    ApproximateReceiveCount: String(attempts),
    SentTimestamp: "0",
    SenderId: "0",
    ApproximateFirstReceiveTimestamp: "0",
  },
  messageAttributes: {},
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: arn,
  awsRegion: "us-east-1",
});

/** Something the platform has taken. */
export interface TakenMessage {
  readonly id: string;
  readonly recipient: Recipient;
  readonly content: Content;
  readonly options: SendOptions;
}

/** The platform as seen from outside: what it has accepted stays accepted, even if the worker dies. */
export class FakePlatform implements MessagingPlatform {
  readonly taken: TakenMessage[] = [];
  readonly typing: string[] = [];
  /** What was uploaded, as text. */
  readonly files: string[] = [];
  /** The outcome of the next sends; after those, and for `take`, messages are accepted. */
  readonly outcomes: (SendOutcome | "take")[] = [];
  /** Whether reports about messages reach the webhook. */
  reports = true;
  recording: Uint8Array = new Uint8Array();
  readonly #table: Pick<Table, "update">;

  constructor(table: Pick<Table, "update">) {
    this.#table = table;
  }

  async send(recipient: Recipient, content: Content, options: SendOptions): Promise<SendOutcome> {
    const outcome = this.outcomes.shift();
    if (outcome && outcome !== "take") return outcome;
    return this.take(recipient, content, options);
  }

  /** Takes a message, and reports it. */
  async take(recipient: Recipient, content: Content, options: SendOptions): Promise<SendOutcome> {
    const id = `wamid.answer-${randomUUID()}`;
    this.taken.push({ id, recipient, content, options });
    const reply = readReference(options.reference);
    if (!reply) throw new Error("The message has no reference.");
    if (this.reports) await saveReceipt(this.#table, reply, { id });
    return { kind: "accepted", id };
  }

  async showTyping(_recipient: unknown, messageId: string): Promise<void> {
    this.typing.push(messageId);
  }

  async download(): Promise<{ bytes: Uint8Array }> {
    return { bytes: this.recording };
  }

  async upload(_recipient: unknown, media: NewMedia): Promise<string> {
    this.files.push(Buffer.from(media.bytes).toString());
    return `media-${randomUUID()}`;
  }
}

/** What a person would read. */
export const wordsOf = ({ content }: TakenMessage): string => {
  switch (content.kind) {
    case "audio":
      return `audio ${content.mediaId}`;
    case "document":
      return content.caption;
    case "template":
      return `template ${content.template.name}`;
    default:
      return content.text;
  }
};

/** The process of a worker has come to its end. */
export class Killed extends Error {
  override readonly name = "Killed";
}

/**
 * Counts the steps of a worker and kills it at one of them. A step is a call to something outside of the process; it can
 * die before the call leaves, and after the call has taken effect but before its result arrives.
 */
export class Lifeline {
  steps = 0;
  readonly #lastStep: number;

  constructor(lastStep = Number.POSITIVE_INFINITY) {
    this.#lastStep = lastStep;
  }

  get isDead(): boolean {
    return this.steps >= this.#lastStep;
  }

  #pass(): void {
    if (this.isDead) throw new Killed();
    this.steps += 1;
    if (this.isDead) throw new Killed();
  }

  /** The same function, with a chance to die before and after it. */
  guard<Arguments extends unknown[], Result>(
    call: (...args: Arguments) => Promise<Result>,
  ): (...args: Arguments) => Promise<Result> {
    return async (...args) => {
      this.#pass();
      const result = await call(...args);
      this.#pass();
      return result;
    };
  }
}

export const privacyNotice = "http://127.0.0.1/privacy";

/** The first message that every person gets. */
export const consentNotice = english.consent(privacyNotice);

/** What replies need besides models. Texts that a test does not say something else about are in no language that is known. */
export const replyBasics = {
  identifyLanguage: (): string | undefined => undefined,
  privacyNotice,
  hasResultTemplate: false,
  senderData: { find: async () => ({ items: [], conversations: [], jobIds: [] }) },
} satisfies Partial<ReplyDependencies>;

/** What a test says about a worker. */
export interface WorkerOptions {
  readonly table: Table;
  readonly platform: FakePlatform;
  readonly models: ReplyDependencies;
  readonly lifeline?: Lifeline;
  readonly plan?: Planner;
  readonly work?: Partial<ProcessDependencies>;
  readonly recordings?: LongRecordings;
}

/** For tests without long recordings. */
export const noLongRecordings: LongRecordings = {
  begin: () => Promise.reject(new Error("There are no long recordings in this test.")),
  outcomeOf: () => Promise.reject(new Error("There are no long recordings in this test.")),
  clear: () => Promise.reject(new Error("There are no long recordings in this test.")),
};

/** A worker that runs in this process, over a real table. */
export const startWorker = ({
  table,
  platform,
  models,
  lifeline,
  plan,
  work,
  recordings = noLongRecordings,
}: WorkerOptions) => {
  const line = lifeline ?? new Lifeline();
  const longRecordings: LongRecordings = {
    begin: line.guard(recordings.begin),
    outcomeOf: line.guard(recordings.outcomeOf),
    clear: line.guard(recordings.clear),
  };
  const records = createMessageRecords(table);
  const data = createSenderData(table, longRecordings, { put: async () => undefined });
  const senderData = { find: line.guard(data.find), forget: line.guard(data.forget) };
  const people = createPeopleRepository(table);
  const alive: MessagingPlatform = {
    send: line.guard(platform.send.bind(platform)),
    showTyping: line.guard(platform.showTyping.bind(platform)),
    download: line.guard(platform.download.bind(platform)),
    upload: line.guard(platform.upload.bind(platform)),
  };
  const dependencies: ProcessDependencies = {
    records: {
      claim: line.guard(records.claim),
      receipts: line.guard(records.receipts),
      save: line.guard(records.save),
      isForgotten: line.guard(records.isForgotten),
      erase: line.guard(records.erase),
    },
    people: { find: line.guard(people.find) },
    finish: line.guard(createFinishMessage(table)),
    receiptMilliseconds: 60,
    platform: alive,
    longRecordings,
    senderData,
    resultTemplate: models.hasResultTemplate ? { name: "transcript_ready", language: "en" } : undefined,
    voiceNotes: {
      make: async () => {
        throw new Error("There is no voice in this test.");
      },
    },
    refreshNote: line.guard(async (conversation) => conversation),
    ...work,
  };
  const reply =
    plan ??
    createReplyPlanner({
      ...models,
      ...unsureJudgement,
      chat: { reply: line.guard(models.chat.reply) },
      translator: { translate: line.guard(models.translator.translate) },
      transcriber: { transcribe: line.guard(models.transcriber.transcribe) },
      platform: alive,
      longRecordings,
      senderData,
    });
  const retries: number[] = [];
  const signal = new AbortController().signal;
  return {
    /** The delays in seconds after which the queue should deliver messages again. */
    retries,
    handle: (record: SQSRecord): Promise<boolean> =>
      handleRecord(record, 300_000, {
        process: (message, attempt, planner) =>
          processMessage(message, attempt, planner, dependencies, signal),
        reply,
        apologise: planApology,
        deadLetterQueueArn,
        retryAfter: async (_record, seconds) => {
          if (line.isDead) throw new Killed();
          retries.push(seconds);
        },
      }),
  };
};
