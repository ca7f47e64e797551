import { describe, expect, it } from "vitest";
import { judgePace, type Pace, paceLimits } from "../../../functions/messaging/pace.ts";

/** The decisions on messages sent at these seconds, one after the other. */
const judge = (times: readonly number[], before?: Pace): { kinds: string[]; pace: Pace | undefined } => {
  let pace = before;
  const kinds = times.map((at) => {
    const verdict = judgePace(pace, at);
    if (verdict.kind !== "leave") pace = verdict.pace;
    return verdict.kind === "tell" ? `tell ${verdict.limit}` : verdict.kind;
  });
  return { kinds, pace };
};
const seconds = (count: number, from = 0, step = 1) =>
  Array.from({ length: count }, (_, index) => from + index * step);
const times = (kind: string, count: number) => Array.from({ length: count }, () => kind);

describe("the pace of one person", () => {
  it("of sixty messages in twenty seconds gets thirty replies and one warning", () => {
    const { kinds } = judge(seconds(60, 1_000, 1 / 3).map(Math.floor));
    expect(kinds).toEqual([...times("answer", 30), "tell minute", ...times("leave", 29)]);
  });

  it("is free again a minute after the first message, with another warning when that is too much again", () => {
    const { pace } = judge(seconds(35));
    expect(judge([59], pace).kinds).toEqual(["leave"]);
    expect(
      judge(
        times("", 32).map(() => 60),
        pace,
      ).kinds,
    ).toEqual([...times("answer", 30), "tell minute", "leave"]);
  });

  it("of a person who types is never too much", () => {
    expect(new Set(judge(seconds(400, 0, 4)).kinds)).toEqual(new Set(["answer"]));
  });

  it("has a daily maximum with one warning, and starts again after it", () => {
    const { kinds, pace } = judge(seconds(510, 0, 10));
    expect(kinds).toEqual([...times("answer", paceLimits.day.max), "tell day", ...times("leave", 9)]);
    expect(judge([86_399, 86_400], pace).kinds).toEqual(["leave", "answer"]);
  });

  it("does not restart because an earlier message comes late", () => {
    const { pace } = judge([100, 100]);
    expect(judge([70], pace).pace?.minute).toEqual({ since: 100, count: 3, told: false });
  });

  it("is judged the same for the same message, as long as nothing is written down", () => {
    const { pace } = judge(seconds(30));
    expect(judgePace(pace, 30)).toEqual(judgePace(pace, 30));
    expect(judgePace(pace, 30).kind).toBe("tell");
  });
});
