import * as z from "zod";
import { bufferSource } from "../../shared/audio/reading/audio-source.ts";
import type { Transcriber } from "../../shared/models/inference/transcription.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { isOver, type StoredJob } from "../../shared/recordings/jobs/job.ts";
import { putJson, readJson } from "../../shared/recordings/jobs/job-objects.ts";
import type { JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { assistantId, type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { TranscribedPiece } from "../../shared/recordings/jobs/transcribed-piece.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";
import { type JobError, type JobTimeouts, judgeFailure } from "./judge-failure.ts";
import { type Cutter, openJobRecording, plannedPiece } from "./plan-job.ts";
import type { HeldPiece, Slots } from "./slots.ts";

export interface PieceDependencies extends EndDependencies {
  readonly jobs: EndDependencies["jobs"] & Pick<JobsRepository, "fail" | "finishPiece" | "noteWaiting">;
  readonly slots: Slots;
  /** Whether the account may use the service: it exists, is not disabled, and its deletion has not started. */
  readonly isActive: (userId: number) => Promise<boolean>;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly cutter: Cutter;
  readonly transcriber: Transcriber;
  readonly queue: JobQueue;
  readonly timeouts: JobTimeouts;
  readonly watchMilliseconds: number;
}

/** A piece whose workers are killed this often is probably what kills them. */
const maxStarts = 8;

/** Polls the job. The signal aborts within seconds after the job has ended. */
const watchJob = (name: JobName, { jobs, watchMilliseconds }: PieceDependencies) => {
  const over = new AbortController();
  const look = async (): Promise<void> => {
    // A failed read is repeated at the next tick.
    const job = await jobs.read(name).catch(() => ({ status: "running" }) as const);
    if (!job || isOver(job)) over.abort(new Error("The job was cancelled, deleted or has failed elsewhere."));
  };
  const timer = setInterval(() => void look(), watchMilliseconds);
  return { signal: over.signal, end: () => clearInterval(timer) };
};

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
};

/** Transcribes a piece and stores the text. @returns the milliseconds up to the start of the next piece. */
const transcribePiece = async (
  { name, index }: HeldPiece,
  job: StoredJob,
  { store, cutter, transcriber }: PieceDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const plan = await readJson(store, jobObjects.plan(name), z.array(plannedPiece));
  const piece = plan?.[index];
  if (!piece) throw new AppError("internal");
  const bytes = await collect(cutter.cut(await openJobRecording(store, job), piece, signal));
  const { start, end, mediaType, fileExtension } = piece;
  const { text, segments, words } = await transcriber.transcribe(
    {
      recording: { source: bufferSource(bytes), mediaType, fileExtension },
      language: job.language,
      // Stitching is most exact with times.
      withSegments: true,
    },
    { signal },
  );
  const said: TranscribedPiece = {
    start,
    end,
    text,
    ...(segments ? { segments: segments.map(({ start, end, text }) => ({ start, end, text })) } : {}),
    ...(words ? { words: [...words] } : {}),
  };
  await putJson(store, jobObjects.piece(name, index), said);
  const next = plan[index + 1]?.start ?? job.audio_milliseconds / 1_000;
  return Math.max(0, Math.round(next * 1_000) - Math.round(start * 1_000));
};

const assembleAfterLast = async (name: JobName, job: StoredJob, { queue }: PieceDependencies) => {
  if (job.done.size === job.pieces) await queue.send({ kind: "assemble", ...name });
};

const failJob = async (name: JobName, error: JobError, dependencies: PieceDependencies): Promise<void> => {
  if (await dependencies.jobs.fail(name, error)) logger.warn("job.failed", { code: error.code });
  await finishJob(name, dependencies);
};

/** Fails the job, or schedules another attempt. @returns the seconds until then. */
const handleFailure = async (
  error: unknown,
  held: HeldPiece,
  slot: number,
  startedAt: number,
  dependencies: PieceDependencies,
): Promise<number | undefined> => {
  const { jobs, slots, timeouts } = dependencies;
  const { name } = held;
  const verdict = judgeFailure(error, held, timeouts, startedAt, Date.now());
  logger.warn("job.piece_failed", { tries: held.failures + 1, reason: describeError(error) });
  if (verdict.kind === "fail") {
    await failJob(name, verdict.error, dependencies);
    return undefined;
  }
  await slots.postpone(name.userId, slot, verdict.next);
  if (verdict.waiting !== undefined) await jobs.noteWaiting(name, verdict.waiting);
  return (verdict.next.due_at - Date.now()) / 1_000;
};

const transcribeAndCount = async (
  held: HeldPiece,
  job: StoredJob,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { name, index } = held;
  const milliseconds = await transcribePiece(held, job, dependencies, signal);
  const counted = await dependencies.jobs.finishPiece(name, index, milliseconds);
  if (counted) await assembleAfterLast(name, counted, dependencies);
  // A job that ended in the meantime must not leave a piece behind.
  else await dependencies.store.delete(jobObjects.piece(name, index));
};

/** @returns the seconds until the next attempt; `undefined` when the slot no longer needs the piece. */
const attemptPiece = async (
  held: HeldPiece,
  slot: number,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { name, index } = held;
  const job = await dependencies.jobs.read(name);
  if (!job || isOver(job)) {
    await finishJob(name, dependencies);
    return undefined;
  }
  if (job.done.has(index)) {
    await assembleAfterLast(name, job, dependencies);
    return undefined;
  }
  if (name.userId !== assistantId && !(await dependencies.isActive(name.userId))) {
    await failJob(name, { code: "forbidden", message: "The account is disabled." }, dependencies);
    return undefined;
  }
  const startedAt = Date.now();
  if (held.due_at > startedAt) return (held.due_at - startedAt) / 1_000;
  if ((await dependencies.slots.begin(name.userId, slot)) > maxStarts) {
    const message = "A part of the recording stops every worker that transcribes it.";
    await failJob(name, { code: "internal", message }, dependencies);
    return undefined;
  }
  const watch = watchJob(name, dependencies);
  try {
    await transcribeAndCount(held, job, dependencies, AbortSignal.any([signal, watch.signal]));
    return undefined;
  } catch (error) {
    if (watch.signal.aborted) return undefined;
    return await handleFailure(error, held, slot, startedAt, dependencies);
  } finally {
    watch.end();
  }
};

/**
 * Works on the piece of a slot, or on the account's next waiting piece, and then sends the slot to the end of the queue,
 * behind the slots of other accounts.
 *
 * A worker can be killed at any step. The slot keeps its piece until all work on it is done, and the message stays in the
 * queue until the next one has been sent.
 *
 * @returns the seconds until the next attempt; `undefined` when the message is done.
 */
export const workOnPiece = async (
  userId: number,
  slot: number,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { slots, queue } = dependencies;
  const held = await slots.take(userId, slot);
  if (!held) return undefined;
  const again = await attemptPiece(held, slot, dependencies, signal);
  if (again !== undefined) return again;
  await slots.clear(userId, slot);
  await queue.send({ kind: "piece", userId, place: slot });
  return undefined;
};
