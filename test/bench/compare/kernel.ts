/**
 * What Linux reports about processes and cores. Other systems have no `/proc`, and every function returns
 * `undefined`.
 */
import { readFileSync } from "node:fs";

/** The unit of times in `/proc`: `USER_HZ`, which is 100 on every architecture that Node runs on. */
const ticksPerSecond = 100;

const readProc = (path: string): string | undefined => {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
};

/**
 * The CPU time in a line of `/proc/<pid>/stat`, of all threads, ended ones included, in the program and in the kernel.
 *
 * @returns microseconds.
 */
export const parseProcessCpu = (stat: string): number => sumOfTicks(stat, 11, 13);

/** The same together with its children that have ended and that it awaited. */
export const parseTreeCpu = (stat: string): number => sumOfTicks(stat, 11, 15);

const sumOfTicks = (stat: string, start: number, end: number): number => {
  // The second field is the program's name in brackets, which may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(start, end).map(Number);
  if (ticks.length < end - start || !ticks.every(Number.isInteger))
    throw new Error("A line of /proc is not as expected.");
  return (ticks.reduce((sum, one) => sum + one, 0) * 1_000_000) / ticksPerSecond;
};

/**
 * The time a core was busy, by a line of `/proc/stat`: everything but idling and waiting for disks.
 *
 * @returns microseconds, `undefined` when there is no such core.
 */
export const parseCoreBusy = (stat: string, core: number): number | undefined => {
  const line = stat.split("\n").find((one) => one.startsWith(`cpu${core} `));
  if (line === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , interrupt = 0, softInterrupt = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const ticks = user + nice + system + interrupt + softInterrupt + stolen;
  return (ticks * 1_000_000) / ticksPerSecond;
};

/** The resident memory in `/proc/<pid>/status`, in megabytes. */
export const parseResident = (status: string): number | undefined => {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
};

/** The cores in a list such as `0-2,5`. */
export const parseCores = (list: string): number[] =>
  list
    .trim()
    .split(",")
    .flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });

const parsed = <Value>(text: string | undefined, parse: (text: string) => Value): Value | undefined =>
  text === undefined ? undefined : parse(text);

/** CPU time of a process with all its threads, in microseconds. */
export const processCpu = (pid: number): number | undefined =>
  parsed(readProc(`${pid}/stat`), parseProcessCpu);

/** CPU time of a process and of its children that have ended, in microseconds. */
export const treeCpu = (pid: number | "self"): number | undefined =>
  parsed(readProc(`${pid}/stat`), parseTreeCpu);

/** The same of this process. */
export const ownCpu = (): number | undefined => treeCpu("self");

/** Memory of a process in megabytes, with its share of what it has in common with others. */
export const proportionalMegabytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readProc(`${pid}/smaps_rollup`) ?? "")?.[1] ?? 0) / 1_024;

/** The name of a process's program. */
export const processName = (pid: number): string | undefined => readProc(`${pid}/comm`)?.trim();

/** How long a core has been busy, in microseconds. */
export const coreBusy = (core: number): number | undefined =>
  parsed(readProc("stat"), (stat) => parseCoreBusy(stat, core));

/** Resident memory of a process, in megabytes. */
export const residentMegabytes = (pid: number): number | undefined =>
  parsed(readProc(`${pid}/status`), parseResident);

/** The cores that this process may use. */
export const allowedCores = (): number[] =>
  parsed(readProc("self/status"), (status) =>
    parseCores(/^Cpus_allowed_list:\s+(.+)$/m.exec(status)?.[1] ?? ""),
  ) ?? [];

/**
 * How long the main threads of processes waited for a busy core, in milliseconds. Subtracted from a time it leaves
 * the time of an idle machine.
 */
export const waitedForCore = (pids: readonly number[]): number => {
  let nanoseconds = 0;
  for (const pid of pids) nanoseconds += Number(readProc(`${pid}/schedstat`)?.split(" ")[1] ?? 0);
  return nanoseconds / 1_000_000;
};
