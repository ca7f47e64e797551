import * as z from "zod";
import { ask, type BenchProcess } from "../processes.ts";
import { median, shuffled } from "../statistics.ts";
import type { Gateway } from "./gateways.ts";
import { coreBusy, processCpu } from "./kernel.ts";
import {
  alternateResult,
  type LoadCommand,
  type LoadResult,
  loadResult,
  loadResults,
  type TimedResponse,
} from "./load.ts";
import type { LoadTarget } from "./load-client.ts";
import type { ModelReply } from "./model-responses.ts";

/** Where a measurement happens. */
export interface Bench {
  readonly load: BenchProcess;
  readonly mock: BenchProcess;
  readonly gateways: readonly Gateway[];
  readonly direct: LoadTarget;
  /** That of the gateways; `undefined` when they have none of their own. */
  readonly core: number | undefined;
}

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

/** Beyond this share of a gateway's core, others had too much of it. */
const toleratedForeignShare = 0.05;

const callCounts = z.object({
  model: z.int(),
  DynamoDB: z.int(),
  SecretsManager: z.int(),
  forwarded: z.int(),
});

/** How many calls the mock has handled. */
export const readCalls = ({ mock }: Bench): Promise<z.infer<typeof callCounts>> =>
  ask(mock, { kind: "counts" }, callCounts);

/** One window of some gateways, in their order, and whether others were at their core meanwhile. */
const measureWindows = async (
  { core }: Bench,
  gateways: readonly Gateway[],
  send: () => Promise<readonly LoadResult[]>,
): Promise<{ readonly isClean: boolean; readonly windows: readonly Window[] }> => {
  const busy = () => (core === undefined ? undefined : coreBusy(core));
  const cpu = () => gateways.map(({ pid }) => processCpu(pid) ?? Number.NaN);
  const startedAt = performance.now();
  const before = { cpu: cpu(), busy: busy() };
  const results = await send();
  const used = cpu().map((microseconds, index) => microseconds - (before.cpu[index] ?? Number.NaN));
  const lasted = (performance.now() - startedAt) * 1_000;
  const busyAfter = busy();
  const own = used.reduce((sum, microseconds) => sum + microseconds, 0);
  const foreign =
    before.busy === undefined || busyAfter === undefined ? 0 : (busyAfter - before.busy - own) / lasted;
  const windows = results.map(({ requests, milliseconds, medianMilliseconds }, index) => ({
    requests,
    requestsPerSecond: (requests * 1_000) / milliseconds,
    cpuMicroseconds: used[index] ?? Number.NaN,
    medianMilliseconds,
  }));
  return { isClean: foreign <= toleratedForeignShare, windows };
};

interface Round {
  readonly isClean: boolean;
  readonly windows: ReadonlyMap<string, Window>;
}

interface RoundCounts {
  readonly rounds: number;
  readonly repeats: number;
}

/**
 * Rounds in which others used the gateways' core are repeated, up to a bound; when too few are left without them, all of
 * them count, as ratios hold there too.
 */
const repeatRounds = async (
  { gateways }: Bench,
  { rounds, repeats }: RoundCounts,
  measureRound: () => Promise<Round>,
): Promise<Rounds> => {
  const measured: Round[] = [];
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

/** Measures every gateway once a round, in an order that changes. */
export const measureRounds = (
  bench: Bench,
  counts: RoundCounts,
  command: (target: LoadTarget) => LoadCommand,
): Promise<Rounds> =>
  repeatRounds(bench, counts, async () => {
    const windows = new Map<string, Window>();
    let isClean = true;
    for (const gateway of shuffled(bench.gateways)) {
      const { target } = gateway;
      const send = async () => [await ask(bench.load, command(target), loadResult)];
      const measured = await measureWindows(bench, [gateway], send);
      for (const window of measured.windows) windows.set(target.name, window);
      isClean &&= measured.isClean;
    }
    return { isClean, windows };
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
  repeatRounds(bench, counts, async () => {
    const gateways = shuffled(bench.gateways);
    const targets = gateways.map(({ target }) => target);
    const command: LoadCommand = { kind: "streams", targets, ...options };
    const { isClean, windows } = await measureWindows(bench, gateways, () =>
      ask(bench.load, command, loadResults),
    );
    const named = windows.map((window, index): [string, Window] => [targets[index]?.name ?? "", window]);
    return { isClean, windows: new Map(named) };
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
  const { load, mock, gateways, direct } = bench;
  const targets = [
    { ...direct, pids: [mock.pid] },
    ...gateways.map(({ target, pid }) => ({ ...target, pids: [mock.pid, pid] })),
  ];
  const command: LoadCommand = { kind: "alternate", targets, rounds, ...(reply ? { reply } : {}) };
  const result = await ask(load, command, alternateResult);
  const timesOf = (name: string): number[] => (result[name] ?? []).map(withoutWaiting);
  const directTimes = timesOf(direct.name);
  return {
    directMilliseconds: median(directTimes),
    addedOf: (name) => {
      const added = timesOf(name).map((time, round) => time - (directTimes[round] ?? Number.NaN));
      const size = Math.ceil(added.length / blocks);
      return Array.from({ length: blocks }, (_, block) =>
        median(added.slice(block * size, (block + 1) * size)),
      );
    },
  };
};
