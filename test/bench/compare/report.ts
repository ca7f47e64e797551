import { median } from "../statistics.ts";
import { chatName as ours, plainProxyName as raw } from "./gateways.ts";
import type { Alternated, Rounds, Window } from "./measure.ts";
import { type Measured, measuredIn, type Row, ratioOf } from "./verdict.ts";

/** Everything that was measured. */
export interface Findings {
  readonly whole: Rounds;
  readonly single: Alternated;
  readonly streamed: Rounds;
  readonly firstToken: Alternated;
  readonly streamTokens: number;
  /** What the chat function did during the measurement of whole responses. */
  readonly calls: {
    readonly requests: number;
    readonly logLines: number;
    readonly dynamoDb: number;
    readonly forwarded: number;
  };
  readonly megabytes: ReadonlyMap<string, number | undefined>;
  readonly directPerSecond: number;
}

const portkey = "Portkey";

const known = (measured: Measured): Measured | undefined =>
  Number.isNaN(measured.value) ? undefined : measured;

/** The lines of the table, bounds first. */
export const describe = (findings: Findings): Row[] => {
  const { whole, single, streamed, firstToken, streamTokens, calls, megabytes, directPerSecond } = findings;
  const cpuOf = ({ byName }: Rounds, name: string, units: (window: Window) => number): number[] =>
    (byName.get(name) ?? []).map((window) => window.cpuMicroseconds / units(window));
  const perRequest = (name: string) => cpuOf(whole, name, ({ requests }) => requests);
  const perToken = (name: string) => cpuOf(streamed, name, ({ requests }) => requests * streamTokens);
  const beside = (
    figure: (name: string) => readonly number[],
    digits: number,
    unit: string,
    ...names: string[]
  ) => `${names.map((name) => `${name} ${median(figure(name)).toFixed(digits)}`).join(", ")} ${unit}`;
  const cpuRow = (
    what: string,
    figure: (name: string) => readonly number[],
    other: string,
    bound?: Row["bound"],
  ): Row => {
    const measured = known(ratioOf(figure(ours), figure(other)));
    return {
      what: `${what}, to ${other}`,
      measured,
      ...(bound ? { bound } : {}),
      ...(measured
        ? { figures: beside(figure, 0, "µs", ours, other) }
        : { remark: `no /proc here, or ${other} was left out` }),
    };
  };
  const added = (from: Alternated, name: string) => from.addedOf(name);
  const perSecond = (name: string) =>
    (whole.byName.get(name) ?? []).map((window) => window.requestsPerSecond);
  const [ownMegabytes = Number.NaN, portkeyMegabytes = Number.NaN, rawMegabytes = Number.NaN] = [
    ours,
    portkey,
    raw,
  ].map((name) => megabytes.get(name));
  const firstOverRaw = added(firstToken, ours).map(
    (value, block) => value - (added(firstToken, raw)[block] ?? Number.NaN),
  );
  const exactly = (value: number): Measured => ({ value, spread: [value, value] });

  return [
    cpuRow("CPU a request, 16 connections", perRequest, portkey, { must: 0.6, stretch: 0.45 }),
    cpuRow("CPU a request, 16 connections", perRequest, raw, { must: 5, stretch: 4 }),
    {
      what: `time added, one connection, to ${portkey}`,
      measured: known(ratioOf(added(single, ours), added(single, portkey))),
      bound: { must: 0.85, stretch: 0.7 },
      figures: beside(
        (name) => added(single, name),
        2,
        `ms, direct ${single.directMilliseconds.toFixed(2)} ms`,
        ours,
        portkey,
        raw,
      ),
    },
    {
      what: "calls to DynamoDB, a request",
      measured: exactly(calls.dynamoDb / calls.requests),
      bound: { must: 1, kind: "exactly" },
      figures: `${(calls.logLines / calls.requests).toFixed(1)} lines of log and metrics, ${calls.forwarded} calls of ${calls.dynamoDb} were new`,
    },
    cpuRow("CPU a token, 64 streams of 50 a second", perToken, raw, { must: 1.35, stretch: 1.15 }),
    {
      what: `first token, beyond the ${raw}'s`,
      measured: measuredIn(firstOverRaw),
      unit: "ms",
      bound: { must: 1, stretch: 0.8 },
      figures: beside((name) => added(firstToken, name), 2, "ms beyond direct", ours, raw, portkey),
    },
    {
      what: `memory after load, to ${portkey}`,
      measured: known(exactly(ownMegabytes / portkeyMegabytes)),
      bound: { must: 0.6, stretch: 0.4 },
      figures: `${ours} ${ownMegabytes.toFixed(0)}, ${portkey} ${portkeyMegabytes.toFixed(0)}, ${raw} ${rawMegabytes.toFixed(0)} MB`,
    },
    {
      what: `requests a second, 16 connections, to ${portkey}`,
      measured: known(ratioOf(perSecond(ours), perSecond(portkey))),
      bound: { must: 1.6, stretch: 2.2, kind: "at least" },
      figures: `${beside(perSecond, 0, "a second", ours, portkey, raw)}, direct ${directPerSecond.toFixed(0)}`,
    },
    cpuRow("CPU a token, 64 streams of 50 a second", perToken, portkey),
    ...[...whole.byName.keys()]
      .filter((name) => ![ours, raw, portkey].includes(name))
      .flatMap((name) => [
        cpuRow("CPU a request, 16 connections", perRequest, name),
        cpuRow("CPU a token, 64 streams of 50 a second", perToken, name),
      ]),
  ];
};
