import * as z from "zod";
import { ask, type BenchProcess, stopProcess } from "../processes.ts";
import { type Cores, directTarget, type Gateway, type ServedChat, startPlainProxy } from "./gateways.ts";
import { residentMegabytes } from "./kernel.ts";
import {
  type Bench,
  measureAlternating,
  measureRounds,
  measureStreams,
  type Rounds,
  readCalls,
} from "./measure.ts";
import { note } from "./note.ts";
import { startLiteLlm, startPortkey } from "./peers.ts";
import { type Plan, saturate, shortStream, streamsOf, warmUp } from "./plan.ts";
import { describe, type Findings } from "./report.ts";
import { returnTheSame } from "./same-responses.ts";
import type { Comparison, Row } from "./verdict.ts";

/** What a comparison is run with. */
export interface ComparisonSetup {
  readonly served: ServedChat;
  readonly load: BenchProcess;
  readonly cores: Cores;
  readonly plan: Plan;
}

/** Starts the other gateways. One that cannot be started is left out. */
const startPeers = async ({ served, cores }: ComparisonSetup, withAll: boolean): Promise<Gateway[]> => {
  const options = { modelUrl: served.mock.url, core: cores.gateway };
  const peers = [startPortkey, ...(withAll ? [startLiteLlm] : [])];
  const started: Gateway[] = [];
  for (const start of peers) {
    await start(options).then(
      (gateway) => started.push(gateway),
      (error: unknown) => note(`Left out: ${String(error)}`),
    );
  }
  if (!withAll) note("LiteLLM is left out; --all asks it as well.");
  note(
    "Bifrost is left out: its program is in no package registry, and Go's module proxy does not have its source.",
  );
  return started;
};

/**
 * Checks and warms up what is compared. A peer that fails, says something else than the model, or responds wrongly under this load is
 * left out; the function never is.
 */
const keepCorrect = async (
  { load, plan, served }: ComparisonSetup,
  gateways: readonly Gateway[],
): Promise<Gateway[]> => {
  const correct: Gateway[] = [];
  const direct = directTarget(served.mock);
  for (const gateway of gateways) {
    try {
      await returnTheSame(load, direct, gateway.target);
      await warmUp({ load }, gateway.target, plan);
      correct.push(gateway);
    } catch (error) {
      if (gateway === served.chat) throw error;
      // The response and a stack follow.
      note(`Left out, because it failed: ${String(error).split("\n", 1)[0]}`);
    }
  }
  return correct;
};

const log = z.object({ requests: z.int(), logLines: z.int() });

/** Whole responses under load, and what the function did meanwhile. */
const measureWhole = async (
  bench: Bench,
  { served, plan }: ComparisonSetup,
): Promise<Pick<Findings, "whole" | "calls">> => {
  const callsBefore = await readCalls(bench);
  const logBefore = await ask(served.chat, { kind: "log" }, log);
  const whole = await measureRounds(bench, plan, saturate(plan));
  const callsAfter = await readCalls(bench);
  const logAfter = await ask(served.chat, { kind: "log" }, log);
  const requests = logAfter.requests - logBefore.requests;
  const logLines = logAfter.logLines - logBefore.logLines;
  if (logLines < requests) {
    throw new Error("The function does not write its log, which would make it cheaper than it is.");
  }
  const dynamoDb = callsAfter.DynamoDB - callsBefore.DynamoDB;
  const forwarded = callsAfter.forwarded - callsBefore.forwarded;
  return { whole, calls: { requests, logLines, dynamoDb, forwarded } };
};

const noteForeignLoad = (...measured: readonly Rounds[]): void => {
  if (measured.every(({ clean, all }) => clean === all)) return;
  const counts = measured.map(({ clean, all }) => `${clean} of ${all}`).join(" and ");
  note(
    `Others used the cores in some rounds (${counts} were clean). One other program changes little; a crowd of them ` +
      "brings all ratios nearer to 1.",
  );
};

const describeGivenUp = ({ givenUp }: Bench): Row[] =>
  [...givenUp].map(([name, failure]) => ({
    what: `${name} was given up`,
    measured: undefined,
    remark: failure.split("\n", 1)[0] ?? "",
  }));

/** Measures the chat function, a plain proxy and other gateways in one run. */
export const compareGateways = async (
  setup: ComparisonSetup & { readonly withAll: boolean },
): Promise<Comparison> => {
  const { served, load, cores, plan } = setup;
  const others: Gateway[] = [];
  try {
    others.push(await startPlainProxy(served.mock, cores.gateway));
    others.push(...(await startPeers(setup, setup.withAll)));
    const direct = directTarget(served.mock);
    note("Warming up.");
    const directly = await warmUp({ load }, direct, plan);
    const gateways = await keepCorrect(setup, [served.chat, ...others]);
    const bench: Bench = { load, mock: served.mock, gateways, direct, cores, givenUp: new Map() };
    note("Many requests at a time.");
    const { whole, calls } = await measureWhole(bench, setup);
    note("One request at a time.");
    const single = await measureAlternating(bench, plan.alternations);
    note("Many streams at a time.");
    const streamed = await measureStreams(bench, plan, streamsOf(plan));
    note("One stream at a time.");
    const firstToken = await measureAlternating(bench, plan.alternations / 2, shortStream);
    noteForeignLoad(whole, streamed);
    const megabytes = new Map(gateways.map(({ target, pid }) => [target.name, residentMegabytes(pid)]));
    const directPerSecond = (directly.requests * 1_000) / directly.milliseconds;
    const { streamTokens } = plan;
    const found = { whole, calls, single, streamed, firstToken, streamTokens, megabytes, directPerSecond };
    return { rows: [...describe(found), ...describeGivenUp(bench)] };
  } finally {
    await Promise.all(others.map(stopProcess));
  }
};
