import { describe, expect, it } from "vitest";
import {
  parseCoreBusy,
  parseCores,
  parseProcessCpu,
  parseResident,
  processCpu,
} from "../../bench/compare/kernel.ts";

/** A line as Linux writes it: 250 ticks in the program, 50 in the kernel; 7 and 9 are those of children that ended. */
const stat = (name: string): string =>
  `4711 (${name}) S 1 4711 4711 0 -1 4194560 5120 0 0 0 250 50 7 9 20 0 11 0 123456 1234567 8901 18446744073709551615`;

describe("CPU time of a process", () => {
  it("is that of program and kernel together, without that of children", () => {
    expect(parseProcessCpu(stat("node"))).toBe(3_000_000);
  });

  it("is found behind a program's name with spaces and brackets", () => {
    expect(parseProcessCpu(stat("node (worker) 1 2"))).toBe(3_000_000);
  });

  it("is an error rather than a wrong figure when the line is another one", () => {
    expect(() => parseProcessCpu("4711 (node) S 1 4711")).toThrow("not as expected");
  });

  it("is unknown for a missing process", () => {
    expect(processCpu(2 ** 31 - 1)).toBeUndefined();
  });
});

describe("time of a core", () => {
  const cores = [
    "cpu  300 30 60 3000 300 3 6 9 0 0",
    "cpu0 100 10 20 1000 100 1 2 3 0 0",
    "cpu1 200 20 40 2000 200 2 4 6 0 0",
    "cpu10 1 1 1 1 1 1 1 1 1 1",
    "intr 123",
  ].join("\n");

  it("counts what others took from the machine, and neither idling nor waiting for disks", () => {
    expect(parseCoreBusy(cores, 0)).toBe(1_360_000);
  });

  it("distinguishes cores whose numbers start alike", () => {
    expect(parseCoreBusy(cores, 1)).toBe(2_720_000);
    expect(parseCoreBusy(cores, 2)).toBeUndefined();
  });
});

it("resident memory is read in megabytes, not its peak", () => {
  expect(parseResident("VmHWM:\t  999999 kB\nVmRSS:\t  102400 kB\nRssAnon:\t 1 kB")).toBe(100);
  expect(parseResident("Name:\tzombie")).toBeUndefined();
});

it("cores that may be used are listed one by one", () => {
  expect(parseCores("0-2,5,8-9\n")).toEqual([0, 1, 2, 5, 8, 9]);
  expect(parseCores("3")).toEqual([3]);
});
