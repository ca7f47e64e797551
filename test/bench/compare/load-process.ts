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
import { type LoadConnection, type LoadTarget, openConnection, requestBytes } from "./load-client.ts";
import { type ModelReply, requestBody } from "./model-responses.ts";

type Command<Kind extends LoadCommand["kind"]> = Extract<LoadCommand, { readonly kind: Kind }>;

const bytesFor = (target: LoadTarget, reply: ModelReply | undefined): Buffer =>
  requestBytes(target, requestBody(target.model, reply));

/** Uses connections to a target and closes them, also after a wrong response: the next measurement must be alone. */
const withConnections = async <Result>(
  target: LoadTarget,
  count: number,
  use: (opened: readonly LoadConnection[]) => Promise<Result>,
): Promise<Result> => {
  const opened = await Promise.all(Array.from({ length: count }, () => openConnection(target)));
  try {
    return await use(opened);
  } finally {
    for (const connection of opened) connection.close();
  }
};

/** Waiting for enough requests ends after this multiple of the requested time. */
const max = 5;

const saturate = ({
  target,
  connections,
  milliseconds,
  requests,
}: Command<"saturate">): Promise<LoadResult> =>
  withConnections(target, connections, async (opened) => {
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
    return { requests: times.length, milliseconds: lasted, medianMilliseconds: median(times) };
  });

const streamsOf = (target: LoadTarget, { connections, reply }: Command<"streams">): Promise<LoadResult> =>
  withConnections(target, connections, async (opened) => {
    const request = bytesFor(target, reply);
    const startedAt = performance.now();
    const replies = await Promise.all(opened.map((connection) => connection.ask(request, reply)));
    const lasted = performance.now() - startedAt;
    const firstTokens = replies.map(({ firstTokenMilliseconds }) => firstTokenMilliseconds);
    return { requests: replies.length, milliseconds: lasted, medianMilliseconds: median(firstTokens) };
  });

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
