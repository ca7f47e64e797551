import { once } from "node:events";
import type { Server } from "node:http";
import { holdDataDirectory } from "./data-directory.ts";
import { sweepExpiredItems } from "./expiry-sweep.ts";
import { createHttpServer } from "./http-server.ts";
import { operationsOn } from "./operations.ts";
import { forgetExpiredTokens } from "./transaction-tokens.ts";

/** An embedded DynamoDB: dynalite over LevelDB, with transactions, expiry and writes that survive a killed process. */
export interface DynamoDbServer {
  /** `http://127.0.0.1:<port>`, for the AWS SDK. */
  readonly endpoint: string;
  /**
   * Deletes expired items, as the server does by itself every minute.
   *
   * @param nowSeconds - The time to compare with, in seconds since 1970; the present when left out.
   * @returns how many items were deleted.
   */
  sweepExpired(nowSeconds?: number): Promise<number>;
  /** Answers what is under way, then ends the server and gives the data directory back. */
  close(): Promise<void>;
}

export interface DynamoDbOptions {
  /** Where the tables live; created when missing. */
  readonly dataDirectory: string;
  /** 0, or nothing, for any free port. */
  readonly port?: number;
}

const host = "127.0.0.1";
const sweepIntervalMilliseconds = 60_000;
/** How long a client may take to finish a request that was under way when the server was closed. */
const closingGraceMilliseconds = 2_000;

/**
 * Starts the embedded DynamoDB on 127.0.0.1. A write that was acknowledged survives the end of the process, however it
 * comes; it is not forced to the disk, so a machine that loses power may lose the last ones, but no part of one.
 *
 * @throws {Error} one sentence when the data directory is in use or cannot be read, or the port is taken.
 */
export const startDynamoDb = async ({
  dataDirectory,
  port = 0,
}: DynamoDbOptions): Promise<DynamoDbServer> => {
  const { store, release } = await holdDataDirectory(dataDirectory);
  const execute = operationsOn(store);
  const server = createHttpServer(execute);
  try {
    await listen(server, port);
  } catch (error) {
    await release();
    throw error;
  }

  const sweepExpired = (nowSeconds = Math.floor(Date.now() / 1000)) =>
    sweepExpiredItems(store, execute, nowSeconds);
  const stopSweeping = repeat(async () => {
    await sweepExpired();
    await forgetExpiredTokens(store);
  });
  const closeOnce = async () => {
    await stopSweeping();
    await closeServer(server);
    await release();
  };
  let closing: Promise<void> | undefined;

  return {
    endpoint: endpointOf(server),
    sweepExpired,
    close: () => {
      closing ??= closeOnce();
      return closing;
    },
  };
};

const listen = async (server: Server, port: number): Promise<void> => {
  const listening = once(server, "listening");
  server.listen(port, host);
  try {
    await listening;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The embedded DynamoDB cannot listen on ${host}:${port}: ${reason}.`, { cause: error });
  }
};

const endpointOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://${host}:${address.port}`;
};

const closeServer = async (server: Server): Promise<void> => {
  const closed = once(server, "close");
  server.close();
  const grace = setTimeout(() => server.closeAllConnections(), closingGraceMilliseconds);
  await closed;
  clearTimeout(grace);
};

/** Runs `work` every minute without keeping the process alive; the result stops it and waits for its last run. */
const repeat = (work: () => Promise<void>): (() => Promise<void>) => {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(work).catch((error: unknown) => {
      process.emitWarning(`The sweep of expired DynamoDB items failed: ${String(error)}`);
    });
  }, sweepIntervalMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
};
