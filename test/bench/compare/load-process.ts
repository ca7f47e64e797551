/** The load generator: a process of its own, so that its cost counts for no gateway. */
import { createServer } from "node:net";
import { listen, serveParent } from "../child-process.ts";
import { median, shuffled } from "../statistics.ts";
import { waitedForCore } from "./kernel.ts";
import {
  type AlternateResult,
  type LoadCommand,
  type LoadResult,
  loadCommand,
  type TimedResponse,
} from "./load.ts";
import { type LoadTarget, openConnection, requestBytes } from "./load-client.ts";
import { type ModelReply, requestBody } from "./model-responses.ts";

type Command<Kind extends LoadCommand["kind"]> = Extract<LoadCommand, { readonly kind: Kind }>;

const bytesFor = (target: LoadTarget, reply: ModelReply | undefined): Buffer =>
  requestBytes(target, requestBody(target.model, reply));

const openConnections = (target: LoadTarget, count: number) =>
  Promise.all(Array.from({ length: count }, () => openConnection(target)));

/** Waiting for enough requests ends after this multiple of the requested time. */
const max = 5;

const saturate = async (command: Command<"saturate">): Promise<LoadResult> => {
  const { target, connections, milliseconds, requests } = command;
  const opened = await openConnections(target, connections);
  const request = bytesFor(target, undefined);
  const times: number[] = [];
  const startedAt = performance.now();
  const isOver = (): boolean => {
    const lasted = performance.now() - startedAt;
    return lasted >= max * milliseconds || (lasted >= milliseconds && times.length >= requests);
  };
  await Promise.all(
    opened.map(async (connection) => {
      while (!isOver()) {
        times.push((await connection.ask(request, "whole")).milliseconds);
      }
    }),
  );
  const lasted = performance.now() - startedAt;
  for (const connection of opened) connection.close();
  return { requests: times.length, milliseconds: lasted, medianMilliseconds: median(times) };
};

const streamsOf = async (
  target: LoadTarget,
  { connections, reply }: Command<"streams">,
): Promise<LoadResult> => {
  const opened = await openConnections(target, connections);
  const request = bytesFor(target, reply);
  const startedAt = performance.now();
  const replies = await Promise.all(opened.map((connection) => connection.ask(request, reply)));
  const lasted = performance.now() - startedAt;
  for (const connection of opened) connection.close();
  const firstTokens = replies.map(({ firstTokenMilliseconds }) => firstTokenMilliseconds);
  return { requests: replies.length, milliseconds: lasted, medianMilliseconds: median(firstTokens) };
};

const streams = (command: Command<"streams">): Promise<LoadResult[]> =>
  Promise.all(command.targets.map((target) => streamsOf(target, command)));

const alternate = async ({ targets, rounds, reply }: Command<"alternate">): Promise<AlternateResult> => {
  const opened = await Promise.all(
    targets.map(async (target) => ({
      name: target.name,
      pids: [process.pid, ...target.pids],
      request: bytesFor(target, reply),
      connection: await openConnection(target),
      times: [] as TimedResponse[],
    })),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const { pids, request, connection, times } of shuffled(opened)) {
      const before = waitedForCore(pids);
      let after = Number.NaN;
      const { milliseconds, firstTokenMilliseconds } = await connection.ask(request, reply ?? "whole", () => {
        after = waitedForCore(pids);
      });
      times.push(
        reply
          ? { milliseconds: firstTokenMilliseconds, waitedMilliseconds: after - before }
          : { milliseconds, waitedMilliseconds: waitedForCore(pids) - before },
      );
    }
  }
  for (const { connection } of opened) connection.close();
  return Object.fromEntries(opened.map(({ name, times }) => [name, times]));
};

const run = (command: LoadCommand): Promise<LoadResult | LoadResult[] | AlternateResult> => {
  switch (command.kind) {
    case "saturate":
      return saturate(command);
    case "streams":
      return streams(command);
    case "alternate":
      return alternate(command);
  }
};

// It serves only its parent; every benchmark process has an address.
serveParent(await listen(createServer()), (message) => run(loadCommand.parse(message)));
