/** How the chat function's CPU and memory grow. */
import * as z from "zod";
import type { ServedChat } from "../compare/gateways.ts";
import { processCpu } from "../compare/kernel.ts";
import { type LoadCommand, loadResult, loadResults } from "../compare/load.ts";
import { note } from "../compare/note.ts";
import { measuredIn, type Row } from "../compare/verdict.ts";
import { ask, type BenchProcess } from "../processes.ts";
import { shuffled } from "../statistics.ts";
import type { GrowthPlan } from "./plan.ts";
import { type Cost, describeCosts, differencesOf, exponentsOf, ratiosOf } from "./slope.ts";

/** What the rows of chat measure with. */
export interface ChatSetup {
  readonly served: ServedChat;
  readonly load: BenchProcess;
  readonly plan: GrowthPlan;
}

const memory = z.object({ bytes: z.number() });

/** What the function holds after a collection, in bytes. */
const heldBytes = async ({ served }: ChatSetup): Promise<number> =>
  (await ask(served.chat, { kind: "memory" }, memory)).bytes;

/** Measures each size once a round, in random order. */
export const measureSizes = async (
  sizes: readonly number[],
  rounds: number,
  measure: (size: number) => Promise<number>,
): Promise<Cost[]> => {
  const costs = sizes.map((size) => ({ size, rounds: [] as number[] }));
  for (const { size } of costs) await measure(size);
  for (let round = 0; round < rounds; round += 1) {
    for (const { size, rounds: measured } of shuffled(costs)) measured.push(await measure(size));
  }
  return costs;
};

const connections = 4;

/** CPU of the function for one request of this many bytes, in milliseconds. */
const cpuOfBody = async ({ served, load, plan }: ChatSetup, bodyBytes: number): Promise<number> => {
  const { target, pid } = served.chat;
  const { milliseconds } = plan;
  const command: LoadCommand = {
    kind: "saturate",
    target,
    connections,
    milliseconds,
    requests: 8,
    bodyBytes,
  };
  const before = processCpu(pid) ?? Number.NaN;
  const { requests } = await ask(load, command, loadResult);
  return ((processCpu(pid) ?? Number.NaN) - before) / requests / 1_000;
};

const chatBody = async (setup: ChatSetup): Promise<Row[]> => {
  const costs = await measureSizes([1_000, 10_000, 100_000, 1_000_000], setup.plan.rounds, (size) =>
    cpuOfBody(setup, size),
  );
  return [
    {
      what: "chat, bytes of the body: CPU, exponent",
      measured: measuredIn(exponentsOf(costs)),
      bound: { must: 1.1 },
      figures: describeCosts(costs, "ms"),
    },
  ];
};

const streams = 16;

const runStreams = async (
  { served, load }: ChatSetup,
  tokens: number,
  pauseMilliseconds: number,
  connections = streams,
) => {
  const { target } = served.chat;
  const command: LoadCommand = {
    kind: "streams",
    targets: [target],
    connections,
    reply: { tokens, pauseMilliseconds },
  };
  const [outcome] = await ask(load, command, loadResults);
  if (!outcome || "failure" in outcome) throw new Error(outcome?.failure ?? "There was no stream.");
};

/** CPU of the function for one stream of this many tokens, in milliseconds. */
const cpuOfStream = async (setup: ChatSetup, tokens: number): Promise<number> => {
  const { pid } = setup.served.chat;
  const times = Math.max(1, Math.round(setup.plan.tokens / tokens / streams));
  const before = processCpu(pid) ?? Number.NaN;
  for (let time = 0; time < times; time += 1) await runStreams(setup, tokens, 0);
  return ((processCpu(pid) ?? Number.NaN) - before) / (times * streams) / 1_000;
};

const megabyte = 1_024 ** 2;
const streamMilliseconds = 500;

/** What the function holds while streams of this many tokens run, shortly before they end, in MB. */
const heldByStreams = async (setup: ChatSetup, tokens: number): Promise<number> => {
  const pause = Math.max(1, streamMilliseconds / tokens);
  const running = runStreams(setup, tokens, pause);
  await new Promise((resolve) => setTimeout(resolve, 0.8 * tokens * pause));
  const held = await heldBytes(setup);
  await running;
  return held / megabyte;
};

/** What the function holds after one stream of this many tokens, in MB. */
const heldAfterStream = async (setup: ChatSetup, tokens: number): Promise<number> => {
  await runStreams(setup, tokens, 0, 1);
  return (await heldBytes(setup)) / megabyte;
};

const stream = async (setup: ChatSetup): Promise<Row[]> => {
  const { rounds, longStreams } = setup.plan;
  const after = await measureSizes(longStreams, 1, (size) => heldAfterStream(setup, size));
  const sizes = [10, 100, 1_000, 4_000];
  const cpu = await measureSizes(sizes, rounds, (size) => cpuOfStream(setup, size));
  const held = await measureSizes(sizes, Math.min(rounds, 3), (size) => heldByStreams(setup, size));
  return [
    {
      what: "stream, tokens: CPU, exponent",
      measured: measuredIn(exponentsOf(cpu)),
      bound: { must: 1.05 },
      figures: describeCosts(cpu, "ms"),
    },
    {
      what: `${streams} streams, tokens: memory, MB of difference`,
      measured: measuredIn(differencesOf(held)),
      bound: { must: 2 },
      figures: describeCosts(held, "MB", 1),
    },
    {
      what: "after one stream, tokens: memory, MB of difference",
      measured: measuredIn(differencesOf(after)),
      bound: { must: 2 },
      figures: describeCosts(after, "MB", 1),
    },
  ];
};

/** Longer than what the buffers of the system take. */
const unreadTokens = 4_000;

/** What the function holds for streams whose readers have stopped, in kB. */
const heldByReaders = async (setup: ChatSetup, count: number): Promise<number> => {
  const { served, load } = setup;
  const reply = { tokens: unreadTokens, pauseMilliseconds: 0 };
  const before = await heldBytes(setup);
  const hold: LoadCommand = { kind: "hold", target: served.chat.target, connections: count, reply };
  await ask(load, hold, z.unknown());
  const held = await heldBytes(setup);
  await ask(load, { kind: "release" }, z.unknown());
  return (held - before) / count / 1_024;
};

const slowReaders = async (setup: ChatSetup): Promise<Row[]> => {
  const { rounds, readers } = setup.plan;
  const costs = await measureSizes(readers, Math.min(rounds, 3), (size) => heldByReaders(setup, size));
  const most = costs.at(-1)?.rounds ?? [];
  return [
    {
      what: "slow readers, open streams: memory of each, kB",
      measured: measuredIn(most),
      bound: { must: 64 },
      figures: describeCosts(costs, "kB", 1),
    },
  ];
};

const keys = async (setup: ChatSetup): Promise<Row[]> => {
  const { served, plan } = setup;
  const sizes = [1, 20];
  const targets = new Map<number, string>();
  for (const count of sizes) targets.set(count, await served.keyOfAccountWith(count));
  const costs = await measureSizes(sizes, plan.rounds, async (count) => {
    const headers = { Authorization: `Bearer ${targets.get(count)}` };
    const target = { ...served.chat, target: { ...served.chat.target, headers } };
    return cpuOfBody({ ...setup, served: { ...served, chat: target } }, 1_000);
  });
  return [
    {
      what: "keys of an account: CPU of a request, ratio",
      measured: measuredIn(ratiosOf(costs)),
      bound: { must: 1.1 },
      figures: describeCosts(costs, "ms", 3),
    },
  ];
};

/** The rows that the chat function is measured for, by their names on the command line. */
export const chatRows = { body: chatBody, stream, readers: slowReaders, keys } as const;

/** Measures one of these rows. */
export const measureChatRow = (name: keyof typeof chatRows, setup: ChatSetup): Promise<Row[]> => {
  note(`Measuring: ${name}.`);
  return chatRows[name](setup);
};
