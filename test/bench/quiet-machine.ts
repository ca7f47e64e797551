/** Whether other programs use the machine: a figure is worth less when they do, and its reader must know. */
import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { allowedCores, coreBusy, ownCpu, processCpu, processName } from "./compare/kernel.ts";

const watchedMilliseconds = 2_000;

/** Beyond this share of a core, others had too much of it. */
export const toleratedShare = 0.05;

const otherProcesses = (): number[] => {
  try {
    return readdirSync("/proc").flatMap((name) => {
      const pid = Number(name);
      return Number.isInteger(pid) && pid !== process.pid ? [pid] : [];
    });
  } catch {
    return [];
  }
};

const cpuByProcess = (): Map<number, number> =>
  new Map(otherProcesses().flatMap((pid) => [[pid, processCpu(pid) ?? 0] as const]));

/**
 * Watches the machine for two seconds, before anything is started that is measured.
 *
 * @returns a sentence that names the programs that used more than 5% of a core; `undefined` when there were none, or when the
 * system has no `/proc`.
 */
export const findOthers = async (): Promise<string | undefined> => {
  const before = cpuByProcess();
  await pause(watchedMilliseconds);
  const busy = [...cpuByProcess()].flatMap(([pid, now]) => {
    const share = (now - (before.get(pid) ?? 0)) / (watchedMilliseconds * 1_000);
    return share > toleratedShare ? [`${processName(pid) ?? pid} ${Math.round(share * 100)}%`] : [];
  });
  if (busy.length === 0) return undefined;
  return `NOT A QUIET MACHINE: before the run, other programs used this much of a core: ${busy.join(", ")}.`;
};

/**
 * Watches the cores while this process and those that it starts and awaits do something.
 *
 * @returns a function that reports whether others have left the cores to them so far; always true without `/proc`.
 */
export const watchCores = (): (() => boolean) => {
  const cores = allowedCores();
  const busy = () => cores.reduce((sum, core) => sum + (coreBusy(core) ?? Number.NaN), 0);
  const before = { at: performance.now(), busy: busy(), own: ownCpu() ?? Number.NaN };
  return () => {
    const lasted = (performance.now() - before.at) * 1_000;
    const others = busy() - before.busy - ((ownCpu() ?? Number.NaN) - before.own);
    return !(others / lasted > toleratedShare * cores.length);
  };
};
