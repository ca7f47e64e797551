import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, dateOfDay, secondsUntil, windowsAt } from "../../../../shared/accounts/limits/windows.ts";

const at = (text: string) => windowsAt(Date.parse(text));
const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

describe("the windows of a moment", () => {
  it("are the minute, the day and the month of UTC", () => {
    const { ends, ...windows } = at("2026-11-20T10:01:30.500Z");
    expect(windows).toEqual({
      minute: Date.parse("2026-11-20T10:01:00Z") / 60_000,
      day: Date.parse("2026-11-20T00:00:00Z") / 86_400_000,
      month: "2026-11",
    });
    expect(Object.values(ends).map(iso)).toEqual([
      "2026-11-20T10:02:00.000Z",
      "2026-11-21T00:00:00.000Z",
      "2026-12-01T00:00:00.000Z",
    ]);
  });

  it.each([
    ["the last millisecond of a year", "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"],
    ["the first of the next", "2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"],
    ["the end of February", "2027-02-28T23:59:00.000Z", "2027-03-01T00:00:00.000Z"],
    ["the end of February in a leap year", "2028-02-29T23:59:00.000Z", "2028-03-01T00:00:00.000Z"],
  ])("turn together: %s", (_case, moment, monthEnd) => {
    const windows = at(moment);
    expect(iso(windows.ends.month)).toBe(monthEnd);
    const next = windowsAt(windows.ends.month);
    expect(dateOfDay(next.day)).toBe(monthEnd.slice(0, 10));
    expect(next.minute * 60_000).toBe(windows.ends.month);
  });

  it("always hold the moment, and the smaller ones end no later than the larger", () => {
    const moments = fc.integer({ min: 0, max: Date.parse("2100-01-01T00:00:00Z") });
    fc.assert(
      fc.property(moments, (moment) => {
        const { ends, month, day, minute } = windowsAt(moment);
        expect(moment).toBeLessThan(ends.minute);
        expect(ends.minute - moment).toBeLessThanOrEqual(60_000);
        expect(ends.minute).toBeLessThanOrEqual(ends.day);
        expect(ends.day).toBeLessThanOrEqual(ends.month);
        expect(dateOf(moment)).toBe(dateOfDay(day));
        expect(dateOf(moment).slice(0, 7)).toBe(month);
        expect(ends.minute).toBe((minute + 1) * 60_000);
      }),
    );
  });
});

describe("the seconds until a window ends", () => {
  it.each([
    [59_999, 1],
    [58_999, 2],
    [0, 60],
    [60_000, 1],
  ])("are whole ones, and at least one: %i ms into a minute", (now, seconds) => {
    expect(secondsUntil(60_000, now)).toBe(seconds);
  });
});
