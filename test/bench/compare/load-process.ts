/** The load generator: a process of its own, so that its cost counts for no gateway. */
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { listen, serveParent } from "../child-process.ts";
import { median, shuffled } from "../statistics.ts";
import { waitedForCore } from "./kernel.ts";
import {
  type AlternateResult,
  type LoadCommand,
  type LoadOutcome,
  type LoadResult,
  loadCommand,
  type ReadResult,
  type TimedResponse,
} from "./load.ts";
import { type LoadConnection, type LoadTarget, openConnection, requestBytes } from "./load-client.ts";
import { longRequestBody, type ModelReply, requestBody } from "./model-responses.ts";
import { saidInStream, saidWhole } from "./said.ts";

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
  bodyBytes,
}: Command<"saturate">): Promise<LoadResult> =>
  withConnections(target, connections, async (opened) => {
    const request =
      bodyBytes === undefined
        ? bytesFor(target, undefined)
        : requestBytes(target, longRequestBody(target.model, bodyBytes));
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

const failureOf = (error: unknown): { readonly failure: string } => ({
  failure: error instanceof Error ? error.message : String(error),
});

const streams = (command: Command<"streams">): Promise<LoadOutcome[]> =>
  Promise.all(command.targets.map((target) => streamsOf(target, command).catch(failureOf)));

type AlternateTarget = Command<"alternate">["targets"][number];

/** A target with its connection, and its times or what ended them. */
const openTimed = async (target: AlternateTarget, reply: ModelReply | undefined) => {
  const pids = [process.pid, ...target.pids];
  const request = bytesFor(target, reply);
  const connection = await openConnection(target);
  const times: TimedResponse[] = [];
  let failure: ReturnType<typeof failureOf> | undefined;
  const ask = async (): Promise<void> => {
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
  };
  return {
    name: target.name,
    close: connection.close,
    outcome: () => failure ?? times,
    askUnlessFailed: async () => {
      if (!failure) await ask().catch((error: unknown) => (failure = failureOf(error)));
    },
  };
};

const alternate = async ({ targets, rounds, reply }: Command<"alternate">): Promise<AlternateResult> => {
  const opened = await Promise.all(targets.map((target) => openTimed(target, reply)));
  for (let round = 0; round < rounds; round += 1) {
    for (const { askUnlessFailed } of shuffled(opened)) await askUnlessFailed();
  }
  for (const { close } of opened) close();
  return Object.fromEntries(opened.map(({ name, outcome }) => [name, outcome()]));
};

const read = ({ target, reply }: Command<"read">): Promise<ReadResult> =>
  withConnections(target, 1, async ([connection]) => {
    const whole = await connection?.ask(bytesFor(target, undefined), "whole");
    const stream = await connection?.ask(bytesFor(target, reply), reply);
    return { whole: saidWhole(whole?.body ?? ""), stream: saidInStream(stream?.body ?? "") };
  });

let held: Socket[] = [];

/** Waits until what the streams have sent fills all buffers on the way. */
const fillMilliseconds = 1_500;

const hold = async ({ target, connections, reply }: Command<"hold">): Promise<undefined> => {
  const { hostname, port } = new URL(target.url);
  const request = bytesFor(target, reply);
  held = Array.from({ length: connections }, () => connect({ host: hostname, port: Number(port) }).pause());
  for (const socket of held) socket.on("error", () => undefined).write(request);
  await pause(fillMilliseconds);
};

const release = async (): Promise<undefined> => {
  for (const socket of held) socket.destroy();
  held = [];
  await pause(fillMilliseconds);
};

const run = (
  command: LoadCommand,
): Promise<LoadResult | LoadOutcome[] | AlternateResult | ReadResult | undefined> => {
  switch (command.kind) {
    case "saturate":
      return saturate(command);
    case "streams":
      return streams(command);
    case "alternate":
      return alternate(command);
    case "read":
      return read(command);
    case "hold":
      return hold(command);
    case "release":
      return release();
  }
};

// It serves only its parent; every benchmark process has an address.
serveParent(await listen(createServer()), (message) => run(loadCommand.parse(message)));
