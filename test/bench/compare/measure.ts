import * as z from "zod";
import { ask, type BenchProcess } from "../processes.ts";
import { toleratedShare } from "../quiet-machine.ts";
import { median, shuffled } from "../statistics.ts";
import { type Cores, chatName, type Gateway, plainProxyName } from "./gateways.ts";
import { coreBusy, processCpu } from "./kernel.ts";
import {
  alternateResult,
  type LoadCommand,
  type LoadOutcome,
  loadResult,
  loadResults,
  type TimedResponse,
} from "./load.ts";
import type { LoadTarget } from "./load-client.ts";
import type { ModelReply } from "./model-responses.ts";
import { note } from "./note.ts";

/** Where a measurement happens. */
export interface Bench {
  readonly load: BenchProcess;
  readonly mock: BenchProcess;
  readonly gateways: readonly Gateway[];
  readonly direct: LoadTarget;
  readonly cores: Cores;
  /** Why gateways were given up during the measurement, by their names. Nothing measures them again. */
  readonly givenUp: Map<string, string>;
}

/** The gateways that have not failed. */
const remaining = ({ gateways, givenUp }: Bench): Gateway[] =>
  gateways.filter(({ target }) => !givenUp.has(target.name));

/** Leaves a gateway out from now on. @throws Error when there is no comparison without it. */
const giveUp = ({ givenUp }: Bench, name: string, failure: string): void => {
  if (name === chatName || name === plainProxyName) throw new Error(failure);
  givenUp.set(name, failure);
  note(`Given up, because it failed: ${failure.split("\n", 1)[0]}`);
};

/** What one gateway did for a while. */
export interface Window {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Of its process, by the kernel; not a number where the kernel does not tell. */
  readonly cpuMicroseconds: number;
  readonly medianMilliseconds: number;
}

/** Windows of every gateway, one round after the other. */
export interface Rounds {
  readonly byName: ReadonlyMap<string, readonly Window[]>;
  /** How many of them there were, and how many had the gateways' core to themselves. */
  readonly all: number;
  readonly clean: number;
}

/** The share of a core that others used since a moment: of the time that it was busy, what these processes did not use. */
const watchCore = (core: number | undefined, pids: readonly number[]): (() => number) => {
  const own = () => pids.reduce((sum, pid) => sum + (processCpu(pid) ?? Number.NaN), 0);
  const busy = () => (core === undefined ? undefined : coreBusy(core));
  const before = { at: performance.now(), own: own(), busy: busy() };
  return () => {
    const busyNow = busy();
    if (before.busy === undefined || busyNow === undefined) return 0;
    const lasted = (performance.now() - before.at) * 1_000;
    return (busyNow - before.busy - (own() - before.own)) / lasted;
  };
};

const callCounts = z.object({
  model: z.int(),
  DynamoDB: z.int(),
  SecretsManager: z.int(),
  forwarded: z.int(),
});

/** How many calls the mock has handled. */
export const readCalls = ({ mock }: Bench): Promise<z.infer<typeof callCounts>> =>
  ask(mock, { kind: "counts" }, callCounts);

interface Windows {
  /** Whether no one else used the cores meanwhile. */
  readonly isClean: boolean;
  readonly windows: ReadonlyMap<string, Window>;
}

/** One window of some gateways. Those that fail are given up and have none. */
const measureWindows = async (
  bench: Bench,
  gateways: readonly Gateway[],
  send: () => Promise<readonly LoadOutcome[]>,
): Promise<Windows> => {
  const { cores, load, mock } = bench;
  const cpu = () => gateways.map(({ pid }) => processCpu(pid) ?? Number.NaN);
  const foreign = [
    watchCore(
      cores.gateway,
      gateways.map(({ pid }) => pid),
    ),
    watchCore(cores.load, [load.pid, mock.pid]),
  ];
  const before = cpu();
  const outcomes = await send();
  const after = cpu();
  const isClean = foreign.every((share) => share() <= toleratedShare);
  const windows = new Map<string, Window>();
  for (const [index, outcome] of outcomes.entries()) {
    const name = gateways[index]?.target.name ?? "";
    if ("failure" in outcome) {
      giveUp(bench, name, outcome.failure);
      continue;
    }
    const { requests, milliseconds, medianMilliseconds } = outcome;
    windows.set(name, {
      requests,
      requestsPerSecond: (requests * 1_000) / milliseconds,
      cpuMicroseconds: (after[index] ?? Number.NaN) - (before[index] ?? Number.NaN),
      medianMilliseconds,
    });
  }
  return { isClean, windows };
};

interface RoundCounts {
  readonly rounds: number;
  readonly repeats: number;
}

/**
 * Rounds in which others used one of the cores are repeated, up to a bound; when too few are left without them, all of
 * them count, as ratios hold there too.
 */
const repeatRounds = async (
  { gateways }: Bench,
  { rounds, repeats }: RoundCounts,
  measureRound: () => Promise<Windows>,
): Promise<Rounds> => {
  const measured: Windows[] = [];
  const cleanOnes = () => measured.filter(({ isClean }) => isClean);
  while (cleanOnes().length < rounds && measured.length < rounds + repeats) {
    measured.push(await measureRound());
  }
  const used = cleanOnes().length >= Math.ceil(rounds / 2) ? cleanOnes() : measured;
  const byName = new Map(
    gateways.map(({ target: { name } }) => [name, used.flatMap(({ windows }) => windows.get(name) ?? [])]),
  );
  return { byName, all: measured.length, clean: cleanOnes().length };
};

const failureOf = (error: unknown): LoadOutcome => ({ failure: String(error) });

/** Measures every gateway once a round, in an order that changes. */
export const measureRounds = (
  bench: Bench,
  counts: RoundCounts,
  command: (target: LoadTarget) => LoadCommand,
): Promise<Rounds> =>
  repeatRounds(bench, counts, async () => {
    const all = new Map<string, Window>();
    let isClean = true;
    for (const gateway of shuffled(remaining(bench))) {
      const measured = await measureWindows(bench, [gateway], async () => [
        await ask(bench.load, command(gateway.target), loadResult).catch(failureOf),
      ]);
      for (const [name, window] of measured.windows) all.set(name, window);
      isClean &&= measured.isClean;
    }
    return { isClean, windows: all };
  });

/**
 * Measures streams of all gateways at the same time. They leave most of a core free, and what a token costs depends on what
 * else the core does: so it does the same for all.
 */
export const measureStreams = (
  bench: Bench,
  counts: RoundCounts,
  options: { readonly connections: number; readonly reply: ModelReply },
): Promise<Rounds> =>
  repeatRounds(bench, counts, () => {
    const gateways = shuffled(remaining(bench));
    const targets = gateways.map(({ target }) => target);
    const command: LoadCommand = { kind: "streams", targets, ...options };
    return measureWindows(bench, gateways, () => ask(bench.load, command, loadResults));
  });

/** What one request at a time takes. */
export interface Alternated {
  /**
   * What a gateway adds to the time of the model's server, in milliseconds: the medians of blocks of rounds, so that their
   * spread can be shown.
   */
  readonly addedOf: (name: string) => readonly number[];
  readonly directMilliseconds: number;
}

const blocks = 5;

const withoutWaiting = ({ milliseconds, waitedMilliseconds }: TimedResponse): number =>
  milliseconds - waitedMilliseconds;

/** One request at a time, to the model's server and to every gateway in each round; the differences within rounds count. */
export const measureAlternating = async (
  bench: Bench,
  rounds: number,
  reply?: ModelReply,
): Promise<Alternated> => {
  const { load, mock, direct } = bench;
  const targets = [
    { ...direct, pids: [mock.pid] },
    ...remaining(bench).map(({ target, pid }) => ({ ...target, pids: [mock.pid, pid] })),
  ];
  const command: LoadCommand = { kind: "alternate", targets, rounds, ...(reply ? { reply } : {}) };
  const result = await ask(load, command, alternateResult);
  const timesOf = (name: string): number[] => {
    const outcome = result[name] ?? [];
    if (!("failure" in outcome)) return outcome.map(withoutWaiting);
    giveUp(bench, name, outcome.failure);
    return [];
  };
  const times = new Map(targets.map(({ name }) => [name, timesOf(name)]));
  const directTimes = times.get(direct.name) ?? [];
  return {
    directMilliseconds: median(directTimes),
    addedOf: (name) => {
      const added = (times.get(name) ?? []).map((time, round) => time - (directTimes[round] ?? Number.NaN));
      const size = Math.ceil(added.length / blocks);
      return Array.from({ length: blocks }, (_, block) =>
        median(added.slice(block * size, (block + 1) * size)),
      );
    },
  };
};
