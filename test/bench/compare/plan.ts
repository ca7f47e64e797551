/** What a comparison does, and how much of it. */
import { ask } from "../processes.ts";
import { type LoadCommand, type LoadResult, loadResult, loadResults } from "./load.ts";
import type { LoadTarget } from "./load-client.ts";
import type { Bench } from "./measure.ts";

export interface Plan {
  readonly rounds: number;
  /** How many rounds with other load on the machine are repeated. */
  readonly repeats: number;
  readonly milliseconds: number;
  readonly requests: number;
  readonly streamTokens: number;
  readonly alternations: number;
}

export const fullPlan: Plan = {
  rounds: 5,
  repeats: 3,
  milliseconds: 2_500,
  requests: 2_500,
  streamTokens: 400,
  alternations: 1_000,
};

export const quickPlan: Plan = {
  rounds: 3,
  repeats: 1,
  milliseconds: 1_500,
  requests: 1_500,
  streamTokens: 200,
  alternations: 300,
};

/** Sees whether everything works. */
export const oncePlan: Plan = {
  rounds: 1,
  repeats: 0,
  milliseconds: 200,
  requests: 100,
  streamTokens: 10,
  alternations: 10,
};

const connections = 16;
const streamPace = { connections: 64, pauseMilliseconds: 20 };
export const shortStream = { tokens: 5, pauseMilliseconds: 0 };

/** Many requests at a time. */
export const saturate =
  ({ milliseconds, requests }: Pick<Plan, "milliseconds" | "requests">) =>
  (target: LoadTarget): LoadCommand => ({ kind: "saturate", target, connections, milliseconds, requests });

/** Many streams at a time, at the pace of a model. */
export const streamsOf = ({ streamTokens }: Pick<Plan, "streamTokens">) => ({
  connections: streamPace.connections,
  reply: { tokens: streamTokens, pauseMilliseconds: streamPace.pauseMilliseconds },
});

/** Programs are compiled while they run. */
const warmUpAmount = { milliseconds: 2_000, requests: 5_000 };

/** Warms up a target with what will be measured. @throws Error that shows its first wrong response. */
export const warmUp = async (
  { load }: Pick<Bench, "load">,
  target: LoadTarget,
  plan: Plan,
): Promise<LoadResult> => {
  const result = await ask(load, saturate(warmUpAmount)(target), loadResult);
  const streams: LoadCommand = { kind: "streams", targets: [target], ...streamsOf(plan) };
  await ask(load, streams, loadResults);
  return result;
};
