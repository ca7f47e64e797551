import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import type { JobSpeed } from "../../shared/recordings/jobs/capacity.ts";
import { isOver, type StoredJob, type StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import type { JobQueue } from "../../shared/recordings/jobs/job-queue.ts";
import { stageOf } from "../../shared/recordings/jobs/job-stages.ts";
import type { WorkKind } from "../../shared/recordings/jobs/job-work.ts";
import type { JobsRepository } from "../../shared/recordings/jobs/jobs-repository.ts";
import { assistantId, type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import type { JobStage } from "../../shared/recordings/jobs/target.ts";
import { readStagePlan } from "../../shared/recordings/jobs/translated-recording.ts";
import { type EndDependencies, finishJob } from "./finish-job.ts";
import { type JobError, type JobTimeouts, judgeFailure } from "./judge-failure.ts";
import { planAgain } from "./plan-job.ts";
import type { HeldPiece, Slots } from "./slots.ts";
import { type SegmentSpeechDependencies, speakSegments } from "./speak-segments.ts";
import {
  PartTooLong,
  type PieceTranscriptionDependencies,
  type Transcribed,
  transcribePiece,
} from "./transcribe-piece.ts";
import { type PieceTranslationDependencies, translatePiece } from "./translate-piece.ts";
import { translateSegments } from "./translate-segments.ts";

export interface PieceDependencies
  extends EndDependencies,
    PieceTranscriptionDependencies,
    PieceTranslationDependencies,
    SegmentSpeechDependencies {
  readonly jobs: EndDependencies["jobs"] &
    Pick<
      JobsRepository,
      "fail" | "finishPiece" | "forgetPlan" | "noteProgress" | "noteWaiting" | "shortenParts"
    >;
  readonly slots: Slots;
  readonly speeds: Readonly<Record<WorkKind, Pick<JobSpeed, "note">>>;
  /** Whether the account may use the service: it exists, is not disabled, and its deletion has not started. */
  readonly isActive: (userId: number) => Promise<boolean>;
  readonly store: Pick<ObjectStore, "delete" | "list" | "open" | "put">;
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

const assembleAfterLast = async (name: JobName, job: StoredJob, { queue }: PieceDependencies) => {
  if (job.done.size === job.pieces) await queue.send({ kind: "assemble", ...name });
};

const failJob = async (name: JobName, error: JobError, dependencies: PieceDependencies): Promise<void> => {
  if (await dependencies.jobs.fail(name, { error })) logger.warn("job.failed", { code: error.code });
  await finishJob(name, dependencies);
};

/** Halves the parts of the job and lets the slot continue at once with a shorter one. */
const halve = async (
  { maxSeconds }: PartTooLong,
  { name, failures, failing_since: since }: HeldPiece,
  slot: number,
  startedAt: number,
  { jobs, slots, speeds }: PieceDependencies,
): Promise<number> => {
  await speeds.transcription.note(0, Date.now() - startedAt);
  await jobs.shortenParts(name, maxSeconds);
  await jobs.noteWaiting(
    name,
    "The model took too long. The job continues with shorter parts of the recording.",
  );
  // Only the shortest parts count as failures. The time counts from here, so a model that never responds fails the job then.
  await slots.postpone(name.userId, slot, {
    failures,
    due_at: Date.now(),
    failing_since: since ?? startedAt,
  });
  return 0;
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
  if (error instanceof PartTooLong) return halve(error, held, slot, startedAt, dependencies);
  if (verdict.kind === "fail") {
    await failJob(name, verdict.error, dependencies);
    return undefined;
  }
  await slots.postpone(name.userId, slot, verdict.next);
  if (verdict.waiting !== undefined) await jobs.noteWaiting(name, verdict.waiting);
  return (verdict.next.due_at - Date.now()) / 1_000;
};

/** The slot's next step: with the piece's next part, or without the piece. */
type NextStep = "part" | "release";

/** What an attempt at a piece has done. */
interface WorkDone {
  readonly kind: WorkKind;
  /** In the unit of its kind. */
  readonly worked: number;
  /** What the piece counts when it is done. */
  readonly done: number | undefined;
  /** What a part of a recording has shown. */
  readonly part?: Pick<Transcribed, "maxPartSeconds" | "reachedMilliseconds">;
}

/** Works on a piece of the targets of a recording. */
const workOnTargets = async (
  { name, index }: HeldPiece,
  stage: JobStage,
  job: StoredTranscription,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<WorkDone> => {
  const plan = await readStagePlan(dependencies.store, name, stage);
  const piece = plan?.[index - stage.from];
  if (!piece) throw new AppError("internal");
  if (stage.kind === "speak") {
    const characters = await speakSegments(name, index, piece, job, dependencies, signal);
    return { kind: "speech", worked: characters, done: 0 };
  }
  const characters = await translateSegments(name, index, piece, job, dependencies, signal);
  return { kind: "translation", worked: characters, done: characters };
};

/** Does the next step of a piece. @returns `undefined` when its job has to be planned again. */
const workOnNext = async (
  held: HeldPiece,
  job: StoredJob,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<WorkDone | undefined> => {
  const { name, index } = held;
  if (job.type === "translation") {
    const characters = await translatePiece(name, index, job, dependencies, signal);
    if (characters === undefined) {
      await planAgain(name, job, dependencies);
      return undefined;
    }
    return { kind: "translation", worked: characters, done: characters };
  }
  const stage = stageOf(job, index);
  if (stage) return workOnTargets(held, stage, job, dependencies, signal);
  const { seconds, done, ...part } = await transcribePiece(name, index, job, dependencies, signal);
  return { kind: "transcription", worked: seconds * 1_000, done, part };
};

/** Stores what a part has shown, for the caller and for the parts that follow. */
const notePart = async (
  name: JobName,
  { maxPartSeconds, reachedMilliseconds }: NonNullable<WorkDone["part"]>,
  { jobs }: PieceDependencies,
): Promise<void> => {
  if (maxPartSeconds !== undefined) await jobs.shortenParts(name, maxPartSeconds);
  if (reachedMilliseconds !== undefined) await jobs.noteProgress(name, reachedMilliseconds);
};

const workAndCount = async (
  held: HeldPiece,
  job: StoredJob,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<NextStep> => {
  const { jobs, store, speeds } = dependencies;
  const { name, index } = held;
  const startedAt = Date.now();
  const attempted = await workOnNext(held, job, dependencies, signal);
  if (!attempted) return "release";
  const { kind, worked, done, part } = attempted;
  await speeds[kind].note(worked, Date.now() - startedAt);
  if (part) await notePart(name, part, dependencies);
  const current =
    done === undefined ? await jobs.read(name) : await jobs.finishPiece(name, index, done, kind);
  if (current?.status === "running") {
    if (done === undefined) return "part";
    await assembleAfterLast(name, current, dependencies);
  } else {
    // A job that ended in the meantime must not leave a piece behind.
    await store.delete(jobObjects.piece(name, index));
    await store.delete(jobObjects.parts(name, index));
  }
  return "release";
};

/** @returns the seconds until the next attempt, or the slot's next step. */
const attemptPiece = async (
  held: HeldPiece,
  slot: number,
  dependencies: PieceDependencies,
  signal: AbortSignal,
): Promise<number | NextStep> => {
  const { name, index } = held;
  const job = await dependencies.jobs.read(name);
  if (!job || isOver(job)) {
    await finishJob(name, dependencies);
    return "release";
  }
  if (job.status === "queued") {
    // A worker that is killed after it has forgotten the plan has not sent the message for another.
    await dependencies.queue.send({ kind: "plan", ...name });
    return "release";
  }
  if (job.done.has(index)) {
    await assembleAfterLast(name, job, dependencies);
    return "release";
  }
  if (name.userId !== assistantId && !(await dependencies.isActive(name.userId))) {
    await failJob(name, { code: "forbidden", message: "The account is disabled." }, dependencies);
    return "release";
  }
  const startedAt = Date.now();
  if (held.due_at > startedAt) return (held.due_at - startedAt) / 1_000;
  if ((await dependencies.slots.begin(name.userId, slot)) > maxStarts) {
    const message = `A part of the ${job.type === "translation" ? "document" : "recording"} stops every worker that works on it.`;
    await failJob(name, { code: "internal", message }, dependencies);
    return "release";
  }
  const watch = watchJob(name, dependencies);
  try {
    return await workAndCount(held, job, dependencies, AbortSignal.any([signal, watch.signal]));
  } catch (error) {
    if (watch.signal.aborted) return "release";
    return (await handleFailure(error, held, slot, startedAt, dependencies)) ?? "release";
  } finally {
    watch.end();
  }
};

/**
 * Works on the piece of a slot, one part at a time, or on the account's next waiting piece, and then sends the slot to the end of the queue,
 * behind the slots of other accounts.
 *
 * A worker can be killed at any step. The slot keeps its piece until all of it is done, and the message stays in the
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
  const next = await attemptPiece(held, slot, dependencies, signal);
  if (typeof next === "number") return next;
  if (next === "part") await slots.proceed(userId, slot);
  else await slots.clear(userId, slot);
  await queue.send({ kind: "piece", userId, place: slot });
  return undefined;
};
