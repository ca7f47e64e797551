import {
  NotAudioError,
  UnreadableAudioError,
  UntrimmableAudioError,
} from "../../shared/audio/reading/audio-errors.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { BackendRefusal, BackendTimeout } from "../../shared/platform/outbound/failures.ts";
import type { HeldPiece, NextAttempt } from "./slots.ts";

/** What a job is told of a failure. */
export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** How long failures are put up with. */
export interface JobTimeouts {
  /** A model that fails. */
  readonly failsAfterSeconds: number;
  /** A model that is out of reach. */
  readonly waitsSeconds: number;
}

/** What follows from a failure: the job fails, or the piece is tried again. */
export type Verdict =
  | { readonly kind: "fail"; readonly error: JobError }
  | { readonly kind: "again"; readonly next: NextAttempt; readonly waiting: string | undefined };

/** A failure as the job's owner is told of it. */
export const jobError = (error: unknown): JobError => {
  if (
    error instanceof NotAudioError ||
    error instanceof UnreadableAudioError ||
    error instanceof UntrimmableAudioError
  ) {
    return { code: "unreadable_audio", message: error.message };
  }
  const { code, message } = toAppError(error);
  return { code, message };
};

/** What the model's server says of this recording, and will say again. */
const finalStatuses: readonly number[] = [400, 413, 415, 422];

const isFinal = (error: unknown): boolean => {
  if (!(error instanceof AppError)) return jobError(error).code === "unreadable_audio";
  if (error.code === "unreadable_audio" || error.code === "not_found") return true;
  return error.cause instanceof BackendRefusal && finalStatuses.includes(error.cause.status);
};

/** That it takes too long may be due to the piece; everything else that passes by itself is waited for. */
const isDown = (error: unknown): boolean => {
  const { code, cause } = toAppError(error);
  const isSlow =
    cause instanceof BackendTimeout ||
    (cause instanceof Error && cause.name === "TimeoutError") ||
    (cause instanceof BackendRefusal && cause.status === 504);
  return code === "service_unavailable" && !isSlow;
};

/** A piece is tried so often. */
export const maxAttempts = 5;

/** Pauses after each failed try, as shares of the time in which a job fails. */
const pauses = [1 / 60, 1 / 20, 1 / 10, 1 / 5];

/** While a model is out of reach it is asked every so often, a little less often each time. */
const firstWaitSeconds = 5;
const maxWaitSeconds = 300;

/**
 * What follows from a failure at a piece.
 *
 * @param startedAt when the try was begun, in milliseconds of Unix time, as is `now`.
 */
export const judgeFailure = (
  error: unknown,
  held: Pick<HeldPiece, "down_since" | "failing_since" | "failures">,
  { failsAfterSeconds, waitsSeconds }: JobTimeouts,
  startedAt: number,
  now: number,
): Verdict => {
  const fail = { kind: "fail", error: jobError(error) } as const;
  if (isFinal(error)) return fail;
  if (isDown(error)) {
    const since = held.down_since ?? startedAt;
    const waited = (now - since) / 1_000;
    if (waited >= waitsSeconds) return fail;
    const seconds = Math.min(Math.max(firstWaitSeconds, waited / 5), maxWaitSeconds, waitsSeconds / 10);
    const until = new Date(since + waitsSeconds * 1_000).toISOString();
    return {
      kind: "again",
      next: { failures: held.failures, due_at: Math.ceil(now + seconds * 1_000), down_since: since },
      waiting: `The model cannot be reached since ${new Date(since).toISOString()}; the job goes on when it can, and fails if it cannot until ${until}.`,
    };
  }
  const failures = held.failures + 1;
  const since = held.failing_since ?? startedAt;
  const pause = (pauses[failures - 1] ?? 0) * failsAfterSeconds * 1_000;
  // Another try that takes as long as this one has to end in time as well.
  const endOfNext = now + pause + (now - startedAt);
  if (failures >= maxAttempts || endOfNext > since + failsAfterSeconds * 1_000) return fail;
  return {
    kind: "again",
    next: { failures, due_at: Math.ceil(now + pause), failing_since: since },
    waiting: undefined,
  };
};
