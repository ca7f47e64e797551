import * as z from "zod";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { UnreadableAudioError } from "../../shared/audio/reading/audio-errors.ts";
import { ReadingBudget } from "../../shared/audio/reading/reading-budget.ts";
import { inOrderOfUse, promptWith } from "../../shared/models/inference/keywords.ts";
import type { Recording, Segment, Transcription } from "../../shared/models/inference/transcription.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { BackendTimeout } from "../../shared/platform/outbound/failures.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import { putJson, readJson } from "../../shared/recordings/jobs/job-objects.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import {
  type JobTranscript,
  type TranscribedPiece,
  transcribedPiece,
} from "../../shared/recordings/jobs/transcribed-piece.ts";
import {
  transcribeUnnamed,
  type UnnamedDependencies,
} from "../../shared/recordings/spoken-language/transcribe-unnamed.ts";
import { isSlow } from "./judge-failure.ts";
import {
  type Cutter,
  openJobRecording,
  type PiecePart,
  type PlannedPiece,
  plannedPiece,
} from "./plan-job.ts";

export interface PieceTranscriptionDependencies extends UnnamedDependencies {
  readonly store: Pick<ObjectStore, "open" | "put">;
  readonly cutter: Cutter;
  readonly stitch: (parts: readonly TranscribedPiece[]) => JobTranscript;
  /** How long a model may take for a part; without it, models are not measured. */
  readonly modelMilliseconds?: number;
}

/** The first part of a recording shows how fast the model is, and soon that there is progress. */
const firstPartSeconds = 60;

/** Parts that a measured model should transcribe in half of its time. */
const safeShare = 1 / 2;
const minPartSeconds = 30;

/** Shorter parts are not halved: a model that takes minutes for them has another problem than their length. */
const minHalvedSeconds = 60;

/** The model ran out of time at a part that can be halved. */
export class PartTooLong extends Error {
  override readonly name = "PartTooLong";
  /** The maximum length of parts from now on. */
  readonly maxSeconds: number;

  constructor(seconds: number, cause: unknown) {
    super(`The model did not transcribe ${Math.round(seconds)} seconds in time.`, { cause });
    this.maxSeconds = seconds / 2;
  }
}

/** The result of an attempt that succeeded. */
export interface Transcribed {
  /** How many seconds of audio the model transcribed. */
  readonly seconds: number;
  /** The milliseconds up to the start of the next piece; `undefined` when more parts of this one follow. */
  readonly done: number | undefined;
  /** How far the parts of the recording's first piece are. */
  readonly reachedMilliseconds?: number;
  /** The length of parts that this model transcribes in time, if that is less than the piece. */
  readonly maxPartSeconds?: number;
}

type Work = PieceTranscriptionDependencies & {
  readonly job: StoredTranscription;
  readonly signal: AbortSignal;
};

/** The maximum length of the next part; `undefined` for a whole piece. */
const maxSecondsOf = (
  { index, start, end }: PlannedPiece,
  from: number,
  { job: { max_part_seconds: stored }, modelMilliseconds }: Work,
): number | undefined => {
  const seconds = end - start;
  const isMeasured = modelMilliseconds !== undefined && index === 0 && seconds >= 2 * firstPartSeconds;
  if (stored !== undefined || !isMeasured) return stored;
  return from === 0 ? firstPartSeconds : seconds;
};

/** Cuts what the model can transcribe in its time: the whole piece, or its next part. */
const cutNext = async (
  piece: PlannedPiece,
  parts: readonly TranscribedPiece[],
  work: Work,
): Promise<PiecePart & { readonly canBeHalved: boolean }> => {
  const { store, cutter, job, signal } = work;
  const seconds = piece.end - piece.start;
  const bytes = await cutter.cut(await openJobRecording(store, job), piece, signal);
  const whole = { start: 0, end: seconds, bytes, isLast: true };
  const from = parts.at(-1)?.end ?? 0;
  const maxSeconds = maxSecondsOf(piece, from, work);
  if (maxSeconds === undefined || (from === 0 && seconds <= maxSeconds)) {
    return { ...whole, canBeHalved: seconds >= minHalvedSeconds };
  }
  try {
    const part = await cutter.cutPart(bytes, { from, maxSeconds }, signal);
    return { ...part, canBeHalved: maxSeconds >= minHalvedSeconds };
  } catch (error) {
    if (!(error instanceof UnreadableAudioError) || from > 0) throw error;
    return { ...whole, canBeHalved: false };
  }
};

/** Waits until a server has ended a call that was abandoned: it would work on both. */
const abandoned = async ({ cause }: AppError, signal: AbortSignal): Promise<void> => {
  if (!(cause instanceof BackendTimeout) || signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([cause.ended, aborted]);
};

/** The keywords of a job in the order of their use: those of the piece before come last, where it is transcribed. */
const keywordsFor = async (
  name: JobName,
  { index }: PlannedPiece,
  parts: readonly TranscribedPiece[],
  { store, job: { keywords = [] } }: Work,
): Promise<readonly string[]> => {
  if (keywords.length === 0) return [];
  const before = parts.at(-1) ?? (await readJson(store, jobObjects.piece(name, index - 1), transcribedPiece));
  return before ? inOrderOfUse(keywords, before.text) : keywords;
};

/** The probability that a model reports of a segment; the rest of its details is not stored. */
const storedSegment = ({ details, ...segment }: Segment) => {
  const { averageLogProbability: log } = details ?? {};
  return { ...segment, ...(log === undefined ? {} : { probability: Math.min(1, Math.exp(log)) }) };
};

/** Transcribes a recording in the language of its job, or in those of its candidates that it is in. */
const hear = async (
  recording: Recording,
  keywords: readonly string[],
  work: Work,
): Promise<Transcription> => {
  const { transcriber, job, signal } = work;
  // Stitching is most exact with times.
  const speakers = job.speakers ? ("required" as const) : job.reply_to && ("if-known" as const);
  const request = { recording, withSegments: true, speakers, prompt: promptWith(keywords), confidence: true };
  const { languages: candidates } = job;
  if (!candidates) return transcriber.transcribe({ ...request, language: job.language }, { signal });
  const facts = await inspectAudio(recording.source, { signal, budget: ReadingBudget.forBackgroundWork() });
  const unnamed = { ...request, candidates, recording: { ...recording, ...facts } };
  const { transcription } = await transcribeUnnamed(unnamed, work, { signal });
  const { language, segments = [{ start: 0, end: facts.durationSeconds, text: transcription.text }] } =
    transcription;
  if (language === undefined) return transcription;
  return { ...transcription, segments: segments.map((segment) => ({ language, ...segment })) };
};

/** Transcribes a file. @throws PartTooLong when the model ran out of time at a file that can be halved. */
const transcribeFile = async (
  { start, end, bytes, canBeHalved }: Awaited<ReturnType<typeof cutNext>>,
  { mediaType, fileExtension }: PlannedPiece,
  work: Work,
  keywords: readonly string[],
): Promise<TranscribedPiece> => {
  const { signal } = work;
  try {
    const { text, segments, words } = await hear(
      { source: bufferSource(bytes), mediaType, fileExtension },
      keywords,
      work,
    );
    return {
      start,
      end,
      text,
      ...(segments ? { segments: segments.map(storedSegment) } : {}),
      ...(words ? { words: [...words] } : {}),
    };
  } catch (error) {
    if (!canBeHalved || !isSlow(error)) throw error;
    await abandoned(toAppError(error), signal);
    throw new PartTooLong(end - start, error);
  }
};

/** Returns the length of parts that the model transcribes in time, from how long it took for a part. */
const sizeParts = (seconds: number, took: number, { modelMilliseconds }: Work): number | undefined =>
  modelMilliseconds === undefined || took <= 0
    ? undefined
    : Math.max(minPartSeconds, ((seconds * modelMilliseconds) / took) * safeShare);

/**
 * Transcribes a piece, or its next part when the job's model is too slow for whole pieces or not measured yet, and stores the text. The
 * parts that are transcribed are the only record of how far the piece is, so a killed worker loses no more than the part in progress.
 *
 * @throws PartTooLong; the errors of the store, the cutter and the model.
 */
export const transcribePiece = async (
  name: JobName,
  index: number,
  job: StoredTranscription,
  dependencies: PieceTranscriptionDependencies,
  signal: AbortSignal,
): Promise<Transcribed> => {
  const { store, stitch } = dependencies;
  const plan = await readJson(store, jobObjects.plan(name), z.array(plannedPiece));
  const piece = plan?.[index];
  if (!piece) throw new AppError("internal");
  const stored =
    job.max_part_seconds || index === 0
      ? ((await readJson(store, jobObjects.parts(name, index), z.array(transcribedPiece))) ?? [])
      : [];
  const work = { ...dependencies, job, signal };
  const next = await cutNext(piece, stored, work);
  const startedAt = performance.now();
  const keywords = await keywordsFor(name, piece, stored, work);
  const parts = [...stored, await transcribeFile(next, piece, work, keywords)];
  const seconds = next.end - next.start;
  if (!next.isLast) {
    await putJson(store, jobObjects.parts(name, index), parts);
    const took = performance.now() - startedAt;
    const maxPartSeconds = stored.length === 0 ? sizeParts(seconds, took, work) : undefined;
    return {
      seconds,
      done: undefined,
      ...(index === 0 ? { reachedMilliseconds: Math.round(next.end * 1_000) } : {}),
      ...(maxPartSeconds !== undefined && maxPartSeconds < piece.end - piece.start ? { maxPartSeconds } : {}),
    };
  }
  const { start, end } = piece;
  const said = parts.length > 1 ? stitch(parts) : parts[0];
  await putJson(store, jobObjects.piece(name, index), { ...said, start, end });
  const following = plan[index + 1]?.start ?? job.audio_milliseconds / 1_000;
  return { seconds, done: Math.max(0, Math.round(following * 1_000) - Math.round(start * 1_000)) };
};
