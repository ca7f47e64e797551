import { AppError } from "../errors/app-error.ts";
import { raceDeadline } from "../outbound/timeouts.ts";

/** When another try makes sense after the store has said nothing. */
const retryAfterSeconds = 5;

/** The object store was silent for too long. It looks like the SDK's own time-outs, and is treated like them. */
export class StorageTimeout extends Error {
  override readonly name = "TimeoutError";
  readonly $metadata = {};
}

/** The SDK gives its time-outs' name to lost connections too, and a signal's time-out, which has it, is none of the store's. */
const isSilence = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  thrown.name === "TimeoutError" &&
  "$metadata" in thrown &&
  (!("code" in thrown) || thrown.code === "ETIMEDOUT");

/**
 * A failure of the object store as one of our errors; what is one already stays as it is.
 *
 * @returns `service_unavailable` for a silence, which passes by itself, `storage_unavailable` for everything else.
 */
export const storageFailure = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (!isSilence(thrown)) return new AppError("storage_unavailable", { cause: thrown });
  return new AppError("service_unavailable", {
    message: "The store of audio files did not answer in time; try again shortly.",
    retryAfterSeconds,
    cause: thrown,
  });
};

/**
 * Carries out a call to the object store.
 *
 * @param milliseconds how long it may take in all; then its signal aborts.
 * @throws AppError `service_unavailable` when it takes longer, `storage_unavailable` when it fails.
 */
export const callStore = async <Result>(
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await raceDeadline(deadline, call);
  } catch (error) {
    throw storageFailure(
      deadline.aborted
        ? new StorageTimeout(`A call took more than ${milliseconds} ms.`, { cause: error })
        : error,
    );
  }
};
