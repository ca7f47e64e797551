import { join } from "node:path";
import { measureStarts, prepareBundles, startRatios, withStandIn } from "../cold/starts.ts";
import { stopProcess } from "../processes.ts";
import { median } from "../statistics.ts";
import type { ComparisonSetup } from "./compare-gateways.ts";
import { directTarget, type Gateway } from "./gateways.ts";
import { type Bench, measureAlternating, measureRounds, measureStreams, type Rounds } from "./measure.ts";
import { note } from "./note.ts";
import { type Plan, saturate, shortStream, streamsOf, warmUp } from "./plan.ts";
import { returnTheSame } from "./same-responses.ts";
import { type Comparison, measuredIn, type Row } from "./verdict.ts";

/** What the chat function is compared with: itself, built in another way or from another version of the code. */
export interface OtherBuild {
  /** The name of each build in the table. */
  readonly names: readonly [ours: string, other: string];
  /** Holds `<function>/index.mjs`. */
  readonly folder: string;
  /** What the present build must at least save of a request's CPU, in percent; below 0, what it may cost more. */
  readonly minSavedPercent?: number;
  /** The same for a token of a stream. */
  readonly minSavedPercentOfToken?: number;
}

interface Unit {
  readonly digits: number;
  readonly unit: string;
  readonly must?: number | undefined;
}

const microseconds = { digits: 1, unit: "µs" };
const milliseconds = { digits: 2, unit: "ms" };
const timesEmpty = { digits: 2, unit: "times an empty one" };

/** Makes the lines of a figure that both builds have once a round: how much the present one saves. */
const savings =
  ({ names }: OtherBuild) =>
  (what: string, [ours, others]: readonly (readonly number[])[], { digits, unit, must }: Unit): Row => ({
    what,
    measured: measuredIn(
      (ours ?? []).map((value, round) => 100 * (1 - value / (others?.[round] ?? Number.NaN))),
    ),
    unit: "%",
    ...(must === undefined ? {} : { bound: { must, kind: "at least" as const } }),
    figures: `${names[0]} ${median(ours ?? []).toFixed(digits)}, ${names[1]} ${median(others ?? []).toFixed(digits)} ${unit}`,
  });

/** A round differs by 10 % from the next, also of one build compared with itself: enough of them that their median does not. */
const requestRounds = ({ rounds, repeats }: Plan) => ({ rounds: 5 * rounds, repeats: 2 * repeats });

const measureRequests = async (
  { served, load, cores, plan }: ComparisonSetup,
  gateways: readonly Gateway[],
  build: OtherBuild,
): Promise<Row[]> => {
  const direct = directTarget(served.mock);
  const bench: Bench = { load, mock: served.mock, gateways, direct, cores, givenUp: new Map() };
  for (const { target } of gateways) await returnTheSame(load, direct, target);
  note("Warming up.");
  for (const target of [direct, ...gateways.map((gateway) => gateway.target)])
    await warmUp(bench, target, plan);
  note("Many requests and many streams at a time.");
  const whole = await measureRounds(bench, requestRounds(plan), saturate(plan));
  const streamed = await measureStreams(bench, plan, streamsOf(plan));
  note("One request at a time, and one stream.");
  const single = await measureAlternating(bench, plan.alternations);
  const first = await measureAlternating(bench, plan.alternations / 2, shortStream);
  const ofBoth = <Figure>(figureOf: (name: string) => Figure): Figure[] =>
    gateways.map(({ target }) => figureOf(target.name));
  const cpuOf = ({ byName }: Rounds, units: number) =>
    ofBoth((name) => (byName.get(name) ?? []).map((one) => one.cpuMicroseconds / (one.requests * units)));
  const row = savings(build);
  return [
    row("CPU a request, 16 connections", cpuOf(whole, 1), { ...microseconds, must: build.minSavedPercent }),
    row("CPU a token, 64 streams of 50 a second", cpuOf(streamed, plan.streamTokens), {
      ...microseconds,
      must: build.minSavedPercentOfToken,
    }),
    row("time added, one connection", ofBoth(single.addedOf), milliseconds),
    row("first token, beyond direct", ofBoth(first.addedOf), milliseconds),
  ];
};

const started = ["authorizer", "chat"];
const startFigures = [
  ["start of", "startMilliseconds"],
  ["CPU of a start of", "startCpuMilliseconds"],
] as const;

const measureStartsOf = async ({ plan, folder }: ComparisonSetup & { folder: string }, build: OtherBuild) => {
  note("Starts.");
  const starts = await withStandIn(async (standIn) => {
    const own = await prepareBundles(folder, standIn, started);
    const others = own
      .filter(({ name }) => started.includes(name))
      .map((bundle) => ({
        ...bundle,
        name: `${bundle.name} of the other`,
        file: join(build.folder, bundle.name, "index.mjs"),
      }));
    return measureStarts([...own, ...others], standIn, 3 * plan.rounds);
  });
  return started.flatMap((name) =>
    startFigures.map(([what, figure]) => {
      const ratios = [name, `${name} of the other`].map((each) => startRatios(starts, each, figure));
      return savings(build)(`${what} ${name}`, ratios, timesEmpty);
    }),
  );
};

/**
 * Measures the chat function together with another build of it, in one run.
 *
 * @param folder a new one, for what the starts need.
 */
export const compareBuilds = async (
  setup: ComparisonSetup,
  build: OtherBuild,
  folder: string,
): Promise<Comparison> => {
  const [name, otherName] = build.names;
  // Both start now: the service's own process has been there for longer, and costs 2 to 4 % more.
  const gateways: Gateway[] = [];
  try {
    gateways.push(await setup.served.startChat(name, setup.served.bundle));
    gateways.push(await setup.served.startChat(otherName, join(build.folder, "chat", "index.mjs")));
    const rows = [
      ...(await measureRequests(setup, gateways, build)),
      ...(await measureStartsOf({ ...setup, folder }, build)),
    ];
    return { rows, heads: [`${name}, compared with ${otherName}`, "saves"] };
  } finally {
    for (const gateway of gateways) await stopProcess(gateway);
  }
};
