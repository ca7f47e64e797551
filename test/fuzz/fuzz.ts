import fc from "fast-check";
import { fuzzRequests } from "./requests.ts";
import type { Fuzzer } from "./run-requests.ts";

/** Sent in parallel; only a few, so that a failure is soon isolated. */
const batch = 8;

/**
 * Sends this many requests (rounded up to a multiple of 8). The same seed sends the same requests.
 *
 *
 * @throws Error with the smallest request found that got a wrong response, and how to send it again.
 */
export const fuzz = async (fuzzer: Fuzzer, requests: number, seed: number): Promise<void> => {
  const { failed, errorInstance, counterexamplePath } = await fc.check(
    fc.asyncProperty(fc.array(fuzzRequests, { minLength: batch, maxLength: batch }), fuzzer.run),
    { seed, numRuns: Math.ceil(requests / batch), interruptAfterTimeLimit: 240_000 },
  );
  if (failed) {
    throw new Error(`A request got a wrong response (seed ${seed}, path ${counterexamplePath}).`, {
      cause: errorInstance,
    });
  }
};
