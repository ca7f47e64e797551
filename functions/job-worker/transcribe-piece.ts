import * as z from "zod";
import { UnreadableAudioError, UntrimmableAudioError } from "../../shared/audio/reading/audio-errors.ts";
import { bufferSource } from "../../shared/audio/reading/audio-source.ts";
import type { Transcriber } from "../../shared/models/inference/transcription.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import type { StoredTranscription } from "../../shared/recordings/jobs/job.ts";
import { putJson, readJson } from "../../shared/recordings/jobs/job-objects.ts";
import { type JobName, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import {
  type JobTranscript,
  type TranscribedPiece,
  transcribedPiece,
} from "../../shared/recordings/jobs/transcribed-piece.ts";
import { isSlow } from "./judge-failure.ts";
import {
  type Cutter,
  openJobRecording,
  type PiecePart,
  type PlannedPiece,
  plannedPiece,
} from "./plan-job.ts";

export interface PieceTranscriptionDependencies {
  readonly store: Pick<ObjectStore, "open" | "put">;
  readonly cutter: Cutter;
  readonly transcriber: Transcriber;
  readonly stitch: (parts: readonly TranscribedPiece[]) => JobTranscript;
}

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
}

type Work = PieceTranscriptionDependencies & {
  readonly job: StoredTranscription;
  readonly signal: AbortSignal;
};

/** Cuts what the model can transcribe in its time: the whole piece, or its next part. */
const cutNext = async (
  piece: PlannedPiece,
  parts: readonly TranscribedPiece[],
  { store, cutter, job, signal }: Work,
): Promise<PiecePart & { readonly canBeHalved: boolean }> => {
  const seconds = piece.end - piece.start;
  const bytes = await cutter.cut(await openJobRecording(store, job), piece, signal);
  const whole = { start: 0, end: seconds, bytes, isLast: true };
  const { max_part_seconds: maxSeconds } = job;
  const from = parts.at(-1)?.end ?? 0;
  if (maxSeconds === undefined || (from === 0 && seconds <= maxSeconds)) {
    return { ...whole, canBeHalved: seconds >= minHalvedSeconds };
  }
  try {
    const part = await cutter.cutPart(bytes, { from, maxSeconds }, signal);
    return { ...part, canBeHalved: maxSeconds >= minHalvedSeconds };
  } catch (error) {
    const isUncuttable = error instanceof UntrimmableAudioError || error instanceof UnreadableAudioError;
    if (!isUncuttable || from > 0) throw error;
    return { ...whole, canBeHalved: false };
  }
};

/** Transcribes a file. @throws PartTooLong when the model ran out of time at a file that can be halved. */
const transcribeFile = async (
  { start, end, bytes, canBeHalved }: Awaited<ReturnType<typeof cutNext>>,
  { mediaType, fileExtension }: PlannedPiece,
  { transcriber, job, signal }: Work,
): Promise<TranscribedPiece> => {
  const recording = { source: bufferSource(bytes), mediaType, fileExtension };
  // Stitching is most exact with times.
  const request = { recording, language: job.language, withSegments: true };
  try {
    const { text, segments, words } = await transcriber.transcribe(request, { signal });
    return {
      start,
      end,
      text,
      ...(segments ? { segments: segments.map(({ start, end, text }) => ({ start, end, text })) } : {}),
      ...(words ? { words: [...words] } : {}),
    };
  } catch (error) {
    throw canBeHalved && isSlow(error) ? new PartTooLong(end - start, error) : error;
  }
};

/**
 * Transcribes a piece, or its next part when the job's model is too slow for whole pieces, and stores the text. The parts that
 * are transcribed are the only record of how far the piece is, so a killed worker loses no more than the part in progress.
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
  const stored = job.max_part_seconds
    ? ((await readJson(store, jobObjects.parts(name, index), z.array(transcribedPiece))) ?? [])
    : [];
  const work = { ...dependencies, job, signal };
  const next = await cutNext(piece, stored, work);
  const parts = [...stored, await transcribeFile(next, piece, work)];
  const seconds = next.end - next.start;
  if (!next.isLast) {
    await putJson(store, jobObjects.parts(name, index), parts);
    return { seconds, done: undefined };
  }
  const { start, end } = piece;
  const said = parts.length > 1 ? stitch(parts) : parts[0];
  await putJson(store, jobObjects.piece(name, index), { ...said, start, end });
  const following = plan[index + 1]?.start ?? job.audio_milliseconds / 1_000;
  return { seconds, done: Math.max(0, Math.round(following * 1_000) - Math.round(start * 1_000)) };
};
