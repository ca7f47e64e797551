import { Readable } from "node:stream";
import { withIdleTimeout } from "../outbound/timeouts.ts";
import { StorageTimeout, storageFailure } from "./storage-failure.ts";

/**
 * Reads the body of an answer of S3 as it arrives. Only time spent waiting for S3 counts as its silence: a reader that
 * takes its time does not break the reading.
 *
 * @param longestSilence how long S3 may pause between two pieces, in milliseconds.
 * @throws AppError `service_unavailable` when S3 falls silent, `storage_unavailable` when it fails or breaks off, or when
 * the signal aborts.
 */
export async function* readStoredBody(
  ask: () => Promise<{ readonly Body?: unknown }>,
  signal: AbortSignal,
  longestSilence: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let body: Readable | undefined;
  const breakOff = (reason: unknown) =>
    body?.destroy(reason instanceof Error ? reason : new Error("The reading was ended."));
  const onAbort = () => breakOff(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const { Body } = await ask();
    if (!(Body instanceof Readable)) throw new Error("S3 gave no body.");
    body = Body;
    const silence = new StorageTimeout(`S3 was silent for ${longestSilence} ms.`);
    yield* withIdleTimeout<Uint8Array>(body, {
      milliseconds: longestSilence,
      onIdle: () => breakOff(silence),
    });
  } catch (error) {
    throw storageFailure(error);
  } finally {
    signal.removeEventListener("abort", onAbort);
    body?.destroy();
  }
}
