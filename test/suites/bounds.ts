import * as z from "zod";
import bounds from "../../.ci/suites.json" with { type: "json" };
import type { Measured } from "./measured.ts";

const seconds = { cpuSeconds: z.number(), wallSeconds: z.number() };

/** What a suite may use on two quiet cores, with a browser. */
const bound = z.strictObject({
  ...seconds,
  /** What was added later, and for what. */
  raised: z.array(z.strictObject({ for: z.string().min(20), ...seconds })),
});
export type Bound = z.output<typeof bound>;

const suiteBounds: Readonly<Record<string, Bound>> = z.record(z.string(), bound).parse(bounds);

/** A suite that waits is slow, too. Times on shared machines differ too much for a failure. */
const warnedFactor = 1.5;

/** What a suite used, in words, and whether it was too much. */
export interface Judgement {
  readonly lines: readonly string[];
  readonly isBeyond: boolean;
}

/** Compares what a suite used with its bound, when it has one. */
export const judge = (
  suite: string,
  { cpuSeconds, wallSeconds }: Omit<Measured, "code">,
  { [suite]: found }: Readonly<Record<string, Bound>> = suiteBounds,
): Judgement => {
  const used =
    cpuSeconds === undefined
      ? "CPU not measured, because there is no Perl"
      : `${Math.round(cpuSeconds)} s of CPU`;
  const took = `${Math.round(wallSeconds)} s`;
  if (!found) return { lines: [`${suite}: ${used}, took ${took}`], isBeyond: false };
  const all = [found, ...found.raised];
  const maxCpu = all.reduce((sum, each) => sum + each.cpuSeconds, 0);
  const maxWall = all.reduce((sum, each) => sum + each.wallSeconds, 0);
  const isBeyond = (cpuSeconds ?? 0) > maxCpu;
  return {
    lines: [
      `${suite}: ${used} (at most ${maxCpu}), took ${took} (${maxWall} s on two quiet cores)`,
      ...(isBeyond ? [`FAILED: ${suite} uses more CPU than .ci/suites.json allows.`] : []),
      ...(wallSeconds > warnedFactor * maxWall
        ? [`Warning: ${suite} took more than ${warnedFactor} times as long as it should.`]
        : []),
    ],
    isBeyond,
  };
};
