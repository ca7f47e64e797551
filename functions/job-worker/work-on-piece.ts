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
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { TranscribedPiece } from "../../shared/recordings/jobs/transcribed-piece.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";
import { type JobTimeouts, judgeFailure } from "./judge-failure.ts";
import { type Cutter, openJobRecording, plannedPiece } from "./plan-job.ts";
import type { HeldPiece, Slots } from "./slots.ts";

/** Everything that working on a piece touches. */
export interface PieceDependencies extends EndDependencies {
  readonly jobs: EndDependencies["jobs"] & Pick<JobsRepository, "fail" | "finishPiece" | "noteWaiting">;
  readonly slots: Slots;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
  readonly cutter: Cutter;
  readonly transcriber: Transcriber;
  readonly queue: JobQueue;
  readonly timeouts: JobTimeouts;
  /** How often it is looked whether the job still goes on. */
  readonly watchMilliseconds: number;
}

/** A piece whose worker is killed again and again is what kills it. */
const maxStarts = 8;

/** Ends what is under way for a job within seconds of the job's own end. */
const watchJob = (name: JobName, { jobs, watchMilliseconds }: PieceDependencies) => {
  const over = new AbortController();
  const look = async (): Promise<void> => {
    // What cannot be read is looked at again.
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

/** Transcribes a piece and keeps what was said. @returns of how many milliseconds of the recording it is the only one. */
const transcribePiece = async (
  { name, index }: HeldPiece,
  job: StoredJob,
  { store, cutter, transcriber }: PieceDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const plan = await readJson(store, jobObjects.plan(name), z.array(plannedPiece));
  const piece = plan?.[index];
  if (!piece) throw new AppError("internal");
  const recording = await openJobRecording(store, job);
  const bytes = await collect(cutter.cut(recording, piece, signal));
  const { start, end, mediaType, fileExtension } = piece;
  const { text, segments, words } = await transcriber.transcribe(
    {
      recording: { source: bufferSource(bytes), mediaType, fileExtension },
      language: job.language,
      // Times tell best where the pieces are to be joined.
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

/** What is done with a piece before its place goes on: everything in it may be done twice. */
const finish = async (name: JobName, job: StoredJob, { queue }: PieceDependencies): Promise<void> => {
  if (job.done.size === job.pieces) await queue.send({ kind: "assemble", ...name });
};

/**
 * Works on the piece of a place, or on the next one that waits, and has the place go on with another: that one goes to the end
 * of the queue, behind those of other accounts.
 *
 * Every step may be the last of a worker that is killed. The place keeps its piece until all is done for it, and the message
 * that asks for the work is there until the one that goes on is sent.
 *
 * @returns in how many seconds it is to be tried again; `undefined` when it is done.
 */
export const workOnPiece = async (
  userId: number,
  slot: number,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { jobs, slots, store, queue, timeouts } = dependencies;
  const held = await slots.take(userId, slot);
  if (!held) return undefined;
  const { name, index } = held;

  const goOn = async (): Promise<undefined> => {
    await slots.clear(userId, slot);
    await queue.send({ kind: "piece", userId, place: slot });
  };
  const fail = async (error: NonNullable<StoredJob["error"]>): Promise<undefined> => {
    if (await jobs.fail(name, error)) logger.warn("job.failed", { code: error.code });
    await finishJob(name, dependencies);
    return goOn();
  };

  const job = await jobs.read(name);
  if (!job || isOver(job)) {
    await finishJob(name, dependencies);
    return goOn();
  }
  if (job.done.has(index)) {
    await finish(name, job, dependencies);
    return goOn();
  }
  const startedAt = Date.now();
  if (held.due_at > startedAt) return (held.due_at - startedAt) / 1_000;
  if ((await slots.begin(userId, slot)) > maxStarts) {
    return fail({ code: "internal", message: "A part of the recording ends whatever transcribes it." });
  }

  const watch = watchJob(name, dependencies);
  try {
    const both = AbortSignal.any([signal, watch.signal]);
    const milliseconds = await transcribePiece(held, job, dependencies, both);
    const counted = await jobs.finishPiece(name, index, milliseconds);
    if (counted) await finish(name, counted, dependencies);
    // Nobody is to find what a job has left behind that ended meanwhile.
    else await store.delete(jobObjects.piece(name, index));
    return goOn();
  } catch (error) {
    if (watch.signal.aborted) return goOn();
    const verdict = judgeFailure(error, held, timeouts, startedAt, Date.now());
    logger.warn("job.piece_failed", { tries: held.failures + 1, reason: describeError(error) });
    if (verdict.kind === "fail") return fail(verdict.error);
    await slots.postpone(userId, slot, verdict.next);
    if (verdict.waiting !== undefined) await jobs.noteWaiting(name, verdict.waiting);
    return (verdict.next.due_at - Date.now()) / 1_000;
  } finally {
    watch.end();
  }
};
