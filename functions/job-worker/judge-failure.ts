import { NotAudioError, UnreadableAudioError } from "../../shared/audio/reading/audio-errors.ts";
import { NoTranslation } from "../../shared/models/inference/translation.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import { toAppError } from "../../shared/platform/errors/dependency-failure.ts";
import { BackendRefusal, BackendTimeout } from "../../shared/platform/outbound/failures.ts";
import type { HeldPiece, NextAttempt } from "./slots.ts";

export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** How long failures are tolerated. */
export interface JobTimeouts {
  /** Of a model that responds with failures. */
  readonly failsAfterSeconds: number;
  /** Of a model that cannot be reached. */
  readonly waitsSeconds: number;
}

export type Verdict =
  | { readonly kind: "fail"; readonly error: JobError }
  | { readonly kind: "again"; readonly next: NextAttempt; readonly waiting: string | undefined };

const jobError = (error: unknown): JobError => {
  if (error instanceof NotAudioError || error instanceof UnreadableAudioError) {
    return { code: "unreadable_audio", message: error.message };
  }
  const { code, message } = toAppError(error);
  return { code, message };
};

/** Statuses that a model's server would repeat for the same recording. */
const finalStatuses: readonly number[] = [400, 413, 415, 422];

/** Errors that another attempt would repeat. */
const finalCodes: readonly string[] = [
  "content_policy_violation",
  "context_length_exceeded",
  "file_too_large",
  "not_found",
  "unreadable_audio",
  "unreadable_document",
  "unsupported_parameter",
];

const isFinal = (error: unknown): boolean => {
  if (!(error instanceof AppError)) return jobError(error).code === "unreadable_audio";
  // It was requested twice.
  if (finalCodes.includes(error.code) || error instanceof NoTranslation) return true;
  return error.cause instanceof BackendRefusal && finalStatuses.includes(error.cause.status);
};

/** Statuses of gateways, Cloudflare's among them, whose time for a response has ended. */
const timeoutStatuses: readonly number[] = [504, 524];

/** Whether a model ran out of time. */
export const isSlow = (error: unknown): boolean => {
  const { cause } = toAppError(error);
  return (
    cause instanceof BackendTimeout ||
    (cause instanceof Error && cause.name === "TimeoutError") ||
    (cause instanceof BackendRefusal && timeoutStatuses.includes(cause.status))
  );
};

/** Whether the model is unavailable. A timeout does not count, because the piece may have caused it. */
const isDown = (error: unknown): boolean =>
  toAppError(error).code === "service_unavailable" && !isSlow(error);

export const maxAttempts = 5;

/** Pauses after failed attempts, as shares of `failsAfterSeconds`. */
const pauses = [1 / 60, 1 / 20, 1 / 10, 1 / 5];

/** Bounds of the pause while a model cannot be reached. It grows with the time already waited. */
const firstWaitSeconds = 5;
const maxWaitSeconds = 300;

const waitForModel = (
  held: Pick<HeldPiece, "down_since" | "failures">,
  waitsSeconds: number,
  now: number,
): Verdict | undefined => {
  const since = held.down_since ?? now;
  const waited = (now - since) / 1_000;
  if (waited >= waitsSeconds) return undefined;
  const seconds = Math.min(Math.max(firstWaitSeconds, waited / 5), maxWaitSeconds, waitsSeconds / 10);
  const from = new Date(since).toISOString();
  const until = new Date(since + waitsSeconds * 1_000).toISOString();
  return {
    kind: "again",
    next: { failures: held.failures, due_at: Math.ceil(now + seconds * 1_000), down_since: since },
    waiting: `The model has been unreachable since ${from}. The job continues when it is back, and fails if it is not back by ${until}.`,
  };
};

/**
 * Decides what follows from a failed attempt at a piece.
 *
 * @param startedAt when the attempt started, in Unix milliseconds like `now`.
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
  if (isDown(error)) return waitForModel(held, waitsSeconds, now) ?? fail;
  const failures = held.failures + 1;
  const since = held.failing_since ?? startedAt;
  const pause = (pauses[failures - 1] ?? 0) * failsAfterSeconds * 1_000;
  // The next attempt may take as long as this one, and must end in time too.
  const endOfNext = now + pause + (now - startedAt);
  if (failures >= maxAttempts || endOfNext > since + failsAfterSeconds * 1_000) return fail;
  return {
    kind: "again",
    next: { failures, due_at: Math.ceil(now + pause), failing_since: since },
    waiting: undefined,
  };
};
