import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { bundleOptions } from "../../../infra/bundling/bundle-options.ts";
import { measureStarts, prepareBundles, type Starts, startRatios, withStandIn } from "../cold/starts.ts";
import { stopProcess } from "../processes.ts";
import { median } from "../statistics.ts";
import type { ComparisonSetup } from "./compare-gateways.ts";
import { directTarget, type Gateway } from "./gateways.ts";
import { type Bench, measureAlternating, measureRounds } from "./measure.ts";
import { note, type Plan, saturate, shortStream, warmUp } from "./plan.ts";
import { type Comparison, measuredIn, type Row } from "./verdict.ts";

/** Without this much less CPU, code of our own is not worth reading. */
const minSavedPercent = 2;
const overNode = "node:http";

/** Replaces the one import that decides how texts are exchanged. */
const exchangeOverNode: Plugin = {
  name: "exchange-over-node",
  setup(builder) {
    const replacement = join(import.meta.dirname, "exchange-over-node.ts");
    builder.onResolve({ filter: /\/socket-exchange\.ts$/ }, () => ({ path: replacement }));
  },
};

/** Bundles functions like for deployment, but over `node:http`. */
const buildOverNode = async (names: readonly string[], folder: string): Promise<void> => {
  const entries = Object.fromEntries(names.map((name) => [name, `functions/${name}/handler.ts`]));
  const options = bundleOptions(entries, folder);
  await build({ ...options, plugins: [exchangeOverNode, ...options.plugins] });
};

const bundleIn = (folder: string, name: string): string => join(folder, name, "index.mjs");

/** A line about a figure that both variants have once a round. */
const savedRow = (
  what: string,
  own: readonly number[],
  nodes: readonly number[],
  { digits, unit, must }: { readonly digits: number; readonly unit: string; readonly must?: number },
): Row => ({
  what,
  measured: measuredIn(own.map((value, round) => 100 * (1 - value / (nodes[round] ?? Number.NaN)))),
  unit: "%",
  ...(must === undefined ? {} : { bound: { must, kind: "at least" } }),
  figures: `own sockets ${median(own).toFixed(digits)}, ${overNode} ${median(nodes).toFixed(digits)} ${unit}`,
});

const measureRequests = async (
  { served, load, cores, plan }: ComparisonSetup,
  other: Gateway,
): Promise<Row[]> => {
  const bench: Bench = {
    load,
    mock: served.mock,
    gateways: [served.chat, other],
    direct: directTarget(served.mock),
    core: cores.gateway,
  };
  const [own, nodes] = [served.chat.target.name, other.target.name];
  note("Warming up.");
  for (const target of [bench.direct, served.chat.target, other.target]) await warmUp(bench, target, plan);
  note("Many requests at a time.");
  const { byName } = await measureRounds(bench, plan, saturate(plan));
  const cpuOf = (name: string): number[] =>
    (byName.get(name) ?? []).map(({ cpuMicroseconds, requests }) => cpuMicroseconds / requests);
  note("One request at a time, and one stream.");
  const single = await measureAlternating(bench, plan.alternations);
  const first = await measureAlternating(bench, plan.alternations / 2, shortStream);
  const milliseconds = { digits: 2, unit: "ms" };
  return [
    savedRow("CPU a request, 16 connections", cpuOf(own), cpuOf(nodes), {
      digits: 0,
      unit: "µs",
      must: minSavedPercent,
    }),
    savedRow("time added, one connection", single.addedOf(own), single.addedOf(nodes), milliseconds),
    savedRow("first token, beyond direct", first.addedOf(own), first.addedOf(nodes), milliseconds),
  ];
};

const started = ["authorizer", "chat"];
const startFigures = [
  ["start of", "startMilliseconds"],
  ["CPU of a start of", "startCpuMilliseconds"],
] as const;

const measureStartsOf = async (folder: string, overNodeFolder: string, plan: Plan): Promise<Row[]> => {
  note("Starts.");
  const starts: Starts = await withStandIn(async (standIn) => {
    const own = await prepareBundles(folder, standIn, started);
    const others = own
      .filter(({ name }) => started.includes(name))
      .map((bundle) => ({
        ...bundle,
        name: `${bundle.name} ${overNode}`,
        file: bundleIn(overNodeFolder, bundle.name),
      }));
    return measureStarts([...own, ...others], standIn, 3 * plan.rounds);
  });
  return started.flatMap((name) =>
    startFigures.map(([what, figure]) => {
      const [own, nodes] = [name, `${name} ${overNode}`].map((each) => startRatios(starts, each, figure));
      return savedRow(`${what} ${name}`, own ?? [], nodes ?? [], { digits: 2, unit: "times an empty one" });
    }),
  );
};

/** Measures the chat function with our own exchange of texts and with one over `node:http` instead, in one run. */
export const compareProtocols = async (setup: ComparisonSetup): Promise<Comparison> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-protocols-"));
  const others: Gateway[] = [];
  try {
    const overNodeFolder = join(folder, "over-node");
    await buildOverNode(started, overNodeFolder);
    const other = await setup.served.startChat(overNode, bundleIn(overNodeFolder, "chat"));
    others.push(other);
    const rows = [
      ...(await measureRequests(setup, other)),
      ...(await measureStartsOf(folder, overNodeFolder, setup.plan)),
    ];
    return { rows, heads: ["exchange of a text for a text", "own sockets save"] };
  } finally {
    await Promise.all(others.map(stopProcess));
    await rm(folder, { recursive: true, force: true });
  }
};
