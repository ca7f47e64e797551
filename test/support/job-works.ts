import { setTimeout as sleep } from "node:timers/promises";
import { handleMessage } from "../../functions/job-worker/handle-message.ts";
import type { RecordDependencies } from "../../functions/job-worker/handle-record.ts";
import type { Cutter } from "../../functions/job-worker/plan-job.ts";
import { createSlots } from "../../functions/job-worker/slots.ts";
import { accountPoliciesWith } from "../../shared/accounts/limits/policies.ts";
import type { Speech } from "../../shared/audio/wav/streamed-wav.ts";
import type { DocumentFormat } from "../../shared/documents/document-formats.ts";
import type { InboundMessage } from "../../shared/messaging/inbound-message.ts";
import type { SpeechRequest } from "../../shared/models/inference/speech.ts";
import type { Transcription } from "../../shared/models/inference/transcription.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import type { CallbackRequest } from "../../shared/recordings/callbacks/callback-queue.ts";
import { createJobSpeeds } from "../../shared/recordings/jobs/capacity.ts";
import type { JobMessage } from "../../shared/recordings/jobs/job-queue.ts";
import {
  createJobsRepository,
  type JobsRepository,
  newJobId,
} from "../../shared/recordings/jobs/jobs-repository.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { TranscriptTarget } from "../../shared/recordings/jobs/target.ts";
import { speechOfAudio, tone } from "./test-audio.ts";
import { unsureJudgement } from "./unsure-detector.ts";

/** How long a piece of the fake recordings is, in seconds; they share nothing. */
export const pieceSeconds = 500;

/** A model of the test: is given what a piece holds, such as `interview 3`. */
export type FakeModel = (piece: string, signal: AbortSignal) => Promise<Transcription>;

/** Says what the piece holds. */
export const sayPiece: FakeModel = async (piece) => ({
  text: `said in ${piece}`,
  segments: [{ start: 1, end: 2, text: `said in ${piece}` }],
});

interface Waiting {
  readonly message: JobMessage;
  readonly group: string;
  readonly sentAt: number;
  visibleAt: number;
  isTaken: boolean;
}

const groupOf = (message: JobMessage): string =>
  message.kind === "piece" ? `${message.userId}/${message.place}` : `${message.userId}/${message.jobId}`;

/** A FIFO queue in memory: no message of a group is given out before the one before it is deleted. */
class MemoryQueue {
  readonly waiting: Waiting[] = [];

  send = async (message: JobMessage): Promise<void> => {
    const now = Date.now();
    this.waiting.push({ message, group: groupOf(message), sentAt: now, visibleAt: now, isTaken: false });
  };

  take(): Waiting | undefined {
    const blocked = new Set<string>();
    for (const each of this.waiting) {
      if (!blocked.has(each.group) && !each.isTaken && each.visibleAt <= Date.now()) {
        each.isTaken = true;
        return each;
      }
      blocked.add(each.group);
    }
    return undefined;
  }

  delete(done: Waiting): void {
    this.waiting.splice(this.waiting.indexOf(done), 1);
  }
}

/**
 * Simulates a killed worker process: after this many calls to anything outside of it, which all stay in effect,
 * nothing of it happens.
 */
class Life {
  #callsLeft: number;
  readonly #died = Promise.withResolvers<"died">();

  /** The timers of a killed process end with it; here they would continue, so it reads its jobs only every minute. */
  readonly watchMilliseconds: number;

  constructor(watchMilliseconds: number, calls?: number) {
    this.#callsLeft = calls ?? Number.POSITIVE_INFINITY;
    this.watchMilliseconds = calls === undefined ? watchMilliseconds : 60_000;
  }

  get end(): Promise<"died"> {
    return this.#died.promise;
  }

  async call<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#callsLeft <= 0) return new Promise<Result>(() => undefined);
    const result = await work();
    this.#callsLeft -= 1;
    if (this.#callsLeft > 0) return result;
    this.#died.resolve("died");
    return new Promise<Result>(() => undefined);
  }
}

/** The jobs of a test, with the worker's own code, over a table and a bucket. */
export interface JobWorks {
  readonly jobs: JobsRepository;
  readonly queue: MemoryQueue;
  /** The requests to the model, in order. */
  readonly requested: string[];
  /** What the translation model was shown of the text around them. */
  readonly contexts: (string | undefined)[];
  /** The requests to the voices, in order. */
  readonly spoken: SpeechRequest[];
  /** How often the callback queue was called, by event and job. */
  readonly callbacks: CallbackRequest[];
  /** The messages to the assistant. */
  readonly messages: InboundMessage[];
  /** Takes a job on, as the API does. */
  post(
    userId: number,
    pieces: number,
    more?: { recording?: string; callback_url?: string; targets?: TranscriptTarget[]; characters?: number },
  ): Promise<JobName>;
  /** Takes a document on, as the API does. @param characters what it counts as. */
  postDocument(
    userId: number,
    text: string,
    characters: number,
    more?: { format?: DocumentFormat; callback_url?: string },
  ): Promise<JobName>;
  /**
   * Works until the queue is empty.
   *
   *
   * @param options.killAfter after this many calls the first worker is killed; another one continues.
   * @param options.isTwice every message is delivered twice.
   */
  work(options?: {
    readonly atOnce?: number;
    readonly killAfter?: number;
    readonly isTwice?: boolean;
  }): Promise<{ readonly wasKilled: boolean }>;
}

export interface JobWorksOptions {
  readonly table: Table;
  readonly store: ObjectStore;
  readonly model?: FakeModel;
  /** A translation model of the test; by default it shouts. */
  readonly translation?: (text: string, signal: AbortSignal, targetLanguage: string) => Promise<string>;
  /** A voice of the test; by default a tone of a tenth of a second for each character. */
  readonly speak?: (request: SpeechRequest, signal: AbortSignal) => Promise<Speech>;
  readonly timeouts?: { readonly failsAfterSeconds: number; readonly waitsSeconds: number };
  readonly slotsPerAccount?: number;
  readonly watchMilliseconds?: number;
  /** How long the model may take for a part; without it, it is not measured. */
  readonly modelMilliseconds?: number;
  /** Whether the account may use the service. */
  readonly isActive?: () => boolean;
}

const cutter: Cutter = {
  plan: async (source, { durationSeconds }) => {
    const recording = Buffer.from(await source.read(0, source.size)).toString();
    return Array.from({ length: Math.ceil(durationSeconds / pieceSeconds) }, (_, index) => ({
      index,
      start: index * pieceSeconds,
      end: Math.min((index + 1) * pieceSeconds, durationSeconds),
      mediaType: "audio/wav",
      fileExtension: "wav",
      recording,
    }));
  },
  cut: async (_source, piece) => Buffer.from(`${piece["recording"]} ${piece.index}`),
  cutPart: async (piece, { from, maxSeconds }) => {
    const end = Math.min(from + maxSeconds, pieceSeconds);
    const bytes = Buffer.from(`${Buffer.from(piece).toString()} from ${from} to ${end}`);
    return { start: from, end, bytes, isLast: end === pieceSeconds };
  },
};

export const openJobWorks = ({
  table,
  store,
  model = sayPiece,
  translation = async (text) => text.toUpperCase(),
  speak = async ({ text }) => speechOfAudio(tone(text.length / 10)),
  timeouts = { failsAfterSeconds: 0.5, waitsSeconds: 60 },
  slotsPerAccount = 1,
  watchMilliseconds = 20,
  modelMilliseconds,
  isActive = () => true,
}: JobWorksOptions): JobWorks => {
  const queue = new MemoryQueue();
  const jobs = createJobsRepository(table);
  const requested: string[] = [];
  const contexts: (string | undefined)[] = [];
  const spoken: SpeechRequest[] = [];
  const callbacks: CallbackRequest[] = [];
  const messages: InboundMessage[] = [];

  /** What one process of the worker has to do with the world. */
  const dependenciesOf = (life: Life): Omit<RecordDependencies, "hide"> => {
    const ownTable: Table = {
      ...table,
      read: (...given) => life.call(() => table.read(...given)),
      update: (...given) => life.call(() => table.update(...given)),
      put: (...given) => life.call(() => table.put(...given)),
      putIf: (...given) => life.call(() => table.putIf(...given)),
      delete: (...given) => life.call(() => table.delete(...given)),
      deleteIf: (...given) => life.call(() => table.deleteIf(...given)),
      transact: (...given) => life.call(() => table.transact(...given)),
      query: (...given) => life.call(() => table.query(...given)),
    };
    const ownJobs = createJobsRepository(ownTable);
    return {
      jobs: ownJobs,
      slots: createSlots(ownTable, ownJobs),
      isActive: async () => isActive(),
      speeds: createJobSpeeds(ownTable),
      store: {
        open: (key) => life.call(() => store.open(key)),
        put: (...given) => life.call(() => store.put(...given)),
        delete: (key) => life.call(() => store.delete(key)),
        list: (prefix) => store.list(prefix),
        write: (key, options) => {
          const writer = store.write(key, options);
          return {
            // What is written becomes visible only when it is complete.
            write: (bytes) => writer.write(bytes),
            complete: (start) => life.call(() => writer.complete(start)),
            abort: () => writer.abort(),
          };
        },
      },
      queue: { send: (message) => life.call(() => queue.send(message)) },
      callbacks: {
        send: (request) =>
          life.call(async () => {
            callbacks.push(request);
          }),
      },
      messages: {
        send: (sent) =>
          life.call(async () => {
            messages.push(...sent);
          }),
      },
      cutter,
      ...unsureJudgement,
      transcriber: {
        transcribe: ({ recording: { source } }, { signal }) =>
          life.call(async () => {
            const piece = Buffer.from(await source.read(0, source.size)).toString();
            requested.push(piece);
            return model(piece, signal);
          }),
      },
      translator: {
        translate: ({ text, context, targetLanguage }, { signal }) =>
          life.call(async () => {
            requested.push(text);
            contexts.push(context);
            return { text: await translation(text, signal, targetLanguage), usage: undefined };
          }),
      },
      synthesizer: {
        synthesize: (request, { signal }) =>
          life.call(async () => {
            spoken.push(request);
            return speak(request, signal);
          }),
      },
      ...(modelMilliseconds === undefined ? {} : { modelMilliseconds }),
      stitch: (pieces) => ({
        text: pieces.map(({ text }) => text).join(" / "),
        segments: pieces.flatMap(({ segments = [], start }) =>
          segments.map((each) => ({ ...each, start: each.start + start, end: each.end + start })),
        ),
      }),
      timeouts,
      slotsPerAccount,
      watchMilliseconds: life.watchMilliseconds,
    };
  };

  return {
    jobs,
    queue,
    requested,
    contexts,
    spoken,
    callbacks,
    messages,

    post: async (userId, pieces, { recording = "recording", callback_url, ...targets } = {}) => {
      const key = `uploads/${recording}`;
      await store.put(key, Buffer.from(recording), { contentType: "audio/wav" });
      const object = await store.open(key);
      const name = { userId, jobId: newJobId(Date.now()) };
      await queue.send({ kind: "plan", ...name });
      await jobs.create(
        name,
        {
          file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
          language: "lug",
          timestamps: true,
          ...targets,
          key_id: undefined,
          callback_url,
          object_key: key,
          object_version: object?.version ?? "",
          facts: {
            container: "wav",
            mediaType: "audio/wav",
            fileExtension: "wav",
            codec: "pcm",
            durationSeconds: pieces * pieceSeconds,
          },
        },
        accountPoliciesWith(1),
      );
      return name;
    },

    postDocument: async (userId, text, characters, { format = "text", callback_url } = {}) => {
      const name = { userId, jobId: newJobId(Date.now()) };
      const key = `uploads/${name.jobId}/leaflet.txt`;
      await store.put(key, Buffer.from(text), { contentType: "text/plain" });
      const object = await store.open(key);
      await store.put(jobObjects.recording(name), Buffer.from(text), { contentType: "text/plain" });
      await queue.send({ kind: "plan", ...name });
      const newJob = {
        type: "translation",
        target_language: "lug",
        format,
        characters,
        file_id: "9d3c5f0e-8f0b-4f4e-9f0e-2f1d3c4b5a69",
        callback_url,
        object_key: key,
        object_version: object?.version ?? "",
      } as const;
      await jobs.create(name, newJob, accountPoliciesWith(1));
      return name;
    },

    work: async ({ atOnce = 1, killAfter, isTwice = false } = {}) => {
      let life = new Life(watchMilliseconds, killAfter);
      let wasKilled = false;
      const handle = async (taken: Waiting): Promise<void> => {
        const own = life;
        const handled = handleMessage(
          taken.message,
          taken.sentAt,
          dependenciesOf(own),
          new AbortController().signal,
        );
        const again = await Promise.race([handled, own.end]);
        taken.isTaken = false;
        if (again === "died") {
          wasKilled = true;
          life = new Life(watchMilliseconds);
        } else if (again === undefined) queue.delete(taken);
        else taken.visibleAt = Date.now() + again * 1_000;
      };
      const worker = async (): Promise<void> => {
        while (queue.waiting.length > 0) {
          const taken = queue.take();
          if (!taken) {
            await sleep(2);
            continue;
          }
          if (isTwice) {
            await handleMessage(
              taken.message,
              taken.sentAt,
              dependenciesOf(life),
              new AbortController().signal,
            );
          }
          await handle(taken);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, worker));
      return { wasKilled };
    },
  };
};
