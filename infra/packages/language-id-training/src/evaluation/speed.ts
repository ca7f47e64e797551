import { lengthBuckets } from "../training/length-buckets.ts";
import type { Identifier } from "./accuracy.ts";
import type { TestText } from "./test-texts.ts";

const warmUpRounds = 2;
const measuredRounds = 9;

/** Microseconds a text takes once warm, by length: the fastest of several rounds, since other work only adds. */
export const measureSpeed = (identify: Identifier, texts: readonly TestText[]): ReadonlyMap<string, number> =>
  new Map(
    lengthBuckets.map(({ name }) => {
      const inBucket = texts.filter((text) => text.bucket === name).map(({ text }) => text);
      const rounds = Array.from({ length: warmUpRounds + measuredRounds }, () => {
        const started = performance.now();
        for (const text of inBucket) identify(text);
        return ((performance.now() - started) * 1000) / inBucket.length;
      });
      return [name, Math.min(...rounds.slice(warmUpRounds))];
    }),
  );
