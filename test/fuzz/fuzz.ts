import fc from "fast-check";
import { operations } from "../../functions/manifest.ts";
import { type FuzzRequest, fuzzRequests, fuzzRequestsTo } from "./requests.ts";
import type { Fuzzer } from "./run-requests.ts";

/** Sent in parallel; only a few, so that a failure is soon isolated. */
const batch = 8;

/** @throws Error with the smallest request found that got a wrong response, and how to send it again. */
const check = async (
  fuzzer: Fuzzer,
  batches: fc.Arbitrary<FuzzRequest[]>,
  numRuns: number,
  seed: number,
): Promise<void> => {
  const { failed, errorInstance, counterexamplePath } = await fc.check(
    fc.asyncProperty(batches, fuzzer.run),
    { seed, numRuns, interruptAfterTimeLimit: 240_000 },
  );
  if (failed) {
    throw new Error(`A request got a wrong response (seed ${seed}, path ${counterexamplePath}).`, {
      cause: errorInstance,
    });
  }
};

/** Sends this many requests (rounded up to a multiple of 8). The same seed sends the same requests. */
export const fuzz = (fuzzer: Fuzzer, requests: number, seed: number): Promise<void> =>
  check(
    fuzzer,
    fc.array(fuzzRequests, { minLength: batch, maxLength: batch }),
    Math.ceil(requests / batch),
    seed,
  );

/** Sends this many requests to each operation. */
export const fuzzEach = async (fuzzer: Fuzzer, requests: number, seed: number): Promise<void> => {
  for (let start = 0; start < operations.length; start += batch) {
    const arbitraries = operations.slice(start, start + batch).map(fuzzRequestsTo);
    await check(fuzzer, fc.tuple(...arbitraries), requests, seed + start);
  }
};
