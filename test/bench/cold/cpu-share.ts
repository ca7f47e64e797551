import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A function with this much memory has one CPU on Lambda; one with less has a share of it. */
const megabytesOfOneCpu = 1_769;

/** The share of a CPU that a function with this much memory has on Lambda. */
export const cpuShare = (memoryMegabytes: number): number => Math.min(1, memoryMegabytes / megabytesOfOneCpu);

const periodMicroseconds = 20_000;
const group = "/sys/fs/cgroup/cpu/language-ai-bench";

/**
 * Runs something with a control group of Linux that has this share of a CPU.
 *
 * @param run receives the file to which a process writes its id to join the group.
 * @returns its result; `undefined` where the machine has no such groups.
 */
export const withCpuShare = async <Result>(
  share: number,
  run: (processesFile: string) => Promise<Result>,
): Promise<Result | undefined> => {
  try {
    await mkdir(group, { recursive: true });
    await writeFile(join(group, "cpu.cfs_period_us"), String(periodMicroseconds));
    await writeFile(join(group, "cpu.cfs_quota_us"), String(Math.round(periodMicroseconds * share)));
  } catch {
    return undefined;
  }
  try {
    return await run(join(group, "cgroup.procs"));
  } finally {
    await rmdir(group).catch(() => undefined);
  }
};
