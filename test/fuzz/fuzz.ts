import fc from "fast-check";
import { fuzzRequests } from "./requests.ts";
import type { Fuzzer } from "./run-requests.ts";

/** Sent side by side; few, so that a failure is soon told apart from its neighbours. */
const batch = 8;

/**
 * Sends so many requests (to the next multiple of 8). The same seed sends the same requests.
 *
 * @throws Error that shows the smallest request found which was not answered well, and how to send it again.
 */
export const fuzz = async (fuzzer: Fuzzer, requests: number, seed: number): Promise<void> => {
  const { failed, errorInstance, counterexamplePath } = await fc.check(
    fc.asyncProperty(fc.array(fuzzRequests, { minLength: batch, maxLength: batch }), fuzzer.run),
    { seed, numRuns: Math.ceil(requests / batch), interruptAfterTimeLimit: 240_000 },
  );
  if (failed) {
    throw new Error(`A request was not answered well (seed ${seed}, path ${counterexamplePath}).`, {
      cause: errorInstance,
    });
  }
};
