import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PieceLimits, PiecePlanner, type Span } from "../../../shared/audio/pieces/piece-planner.ts";
import { UnreadableAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import type { CutPoint } from "../../../shared/audio/reading/piece.ts";
import "../../support/property-seed.ts";

const limits: PieceLimits = { maxSeconds: 60, overlapSeconds: 10, maxBytes: 100_000 };

const point = (seconds: number, bytes: number): CutPoint => ({
  position: { offset: bytes, ticks: seconds },
  startsAt: seconds,
  endsAt: seconds,
  bytes,
});

const plan = (points: readonly CutPoint[]): readonly Span[] => {
  const planner = new PiecePlanner(limits);
  for (const each of points.slice(0, -1)) planner.add(each);
  return planner.finish(points.at(-1) ?? point(0, 0));
};

/** Seconds of audio, each with its size; of recordings whose rate varies. */
const someSeconds = fc.array(fc.integer({ min: 0, max: 20_000 }), {
  minLength: 2,
  maxLength: 600,
  size: "max",
});

const pointsOf = (sizes: readonly number[]): CutPoint[] => {
  let bytes = 0;
  return [0, ...sizes].map((size, index) => {
    bytes += size;
    return point(index, bytes);
  });
};

describe("the pieces of a recording", () => {
  it("are within their limits, leave nothing out and share their ends, for any rate", () => {
    fc.assert(
      fc.property(someSeconds, (sizes) => {
        const spans = plan(pointsOf(sizes));
        expect(spans[0]?.from.startsAt).toBe(0);
        expect(spans.at(-1)?.to.endsAt).toBe(sizes.length);
        for (const [index, { from, to }] of spans.entries()) {
          expect(to.endsAt - from.startsAt).toBeLessThanOrEqual(limits.maxSeconds);
          expect(to.bytes - from.bytes).toBeLessThanOrEqual(limits.maxBytes);
          const before = spans[index - 1];
          if (!before) continue;
          expect(before.to.endsAt).toBeLessThan(to.endsAt);
          expect(from.startsAt).toBeGreaterThan(before.from.startsAt);
          expect(from.startsAt).toBeLessThanOrEqual(before.to.endsAt);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("are long and share ten seconds where size does not matter, the last one too", () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 1_000 }), (seconds) => {
        const spans = plan(pointsOf(new Array<number>(seconds).fill(1)));
        for (const [index, { from, to }] of spans.entries()) {
          expect(to.endsAt - from.startsAt).toBeGreaterThanOrEqual(30);
          const before = spans[index - 1];
          if (before) expect(before.to.endsAt - from.startsAt).toBeGreaterThanOrEqual(10);
        }
      }),
    );
  });

  it("include a pause without packets, and the speech before it", () => {
    const minutes = [0, 10, 20, 5_000, 5_010].map((seconds) => point(seconds, seconds));
    const spans = plan(minutes);
    expect(spans[0]?.from.startsAt).toBe(0);
    for (const [index, { from }] of spans.entries()) {
      expect(from.startsAt).toBeLessThanOrEqual(spans[index - 1]?.to.endsAt ?? 0);
    }
    expect(spans.at(-1)?.to.endsAt).toBe(5_010);
  });

  it("cannot be cut from packets that are larger than they", () => {
    expect(() => plan([point(0, 0), point(1, 100), point(2, 200_000)])).toThrow(UnreadableAudioError);
  });

  it("are no more than can be stored", () => {
    expect(() => plan(pointsOf(new Array<number>(25_000).fill(1)))).toThrow("too long");
  });
});
