import { operationIn } from "../aws-protocol/aws-json.ts";
import { AwsError, type AwsProtocol, startAwsServer } from "../aws-protocol/aws-server.ts";
import type { Authority } from "../iam/authority.ts";
import { requireAccess } from "../iam/require-access.ts";
import { holdDataDirectory } from "./data-directory.ts";
import { errorBody } from "./dynamodb-error.ts";
import { sweepExpiredItems } from "./expiry-sweep.ts";
import { type Execute, operationsOn } from "./operations.ts";
import { requiredAccess } from "./required-access.ts";
import type { JsonObject, Store } from "./store.ts";
import { forgetExpiredTokens } from "./transaction-tokens.ts";

const asObject = (body: unknown): JsonObject => {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return { ...body };
  throw new AwsError("SerializationException", "The request is not a JSON object.");
};

const dynamoDbProtocol = (store: Store, execute: Execute, authority: Authority | undefined): AwsProtocol => ({
  contentType: "application/x-amz-json-1.0",
  // DynamoDB takes at most 16 MB in one request.
  maxBodyBytes: 16 * 1024 * 1024,
  closingGraceMilliseconds: 2_000,
  respond: async ({ headers, accessKeyId, body }) => {
    const operation = operationIn(headers, "DynamoDB_20120810");
    const input = asObject(body);
    if (authority) requireAccess(authority, accessKeyId, await requiredAccess(operation, input, store));
    return execute(operation, input);
  },
  describeError: (error) => ({ status: error.status < 500 ? 400 : 500, body: errorBody(error) }),
});

/** An embedded DynamoDB: dynalite over LevelDB, with transactions, expiry and writes that survive a killed process. */
export interface DynamoDbServer {
  /** `http://127.0.0.1:<port>`, for the AWS SDK. */
  readonly endpoint: string;
  /**
   * Deletes expired items, as the server does every minute.
   *
   * @param nowSeconds - The time to compare with, in seconds since 1970; now by default.
   * @returns how many items were deleted.
   */
  sweepExpired(nowSeconds?: number): Promise<number>;
  /** Finishes pending requests, then ends the server and releases the data directory. */
  close(): Promise<void>;
}

interface DynamoDbOptions {
  /** Where the tables live; created when missing. */
  readonly dataDirectory: string;
  /** 0, or nothing, for any free port. */
  readonly port?: number;
  /** Judges who may do what; without one, every key may do everything. */
  readonly authority?: Authority | undefined;
}

const sweepIntervalMilliseconds = 60_000;

/**
 * Starts the embedded DynamoDB on 127.0.0.1. A write that was acknowledged survives the end of the process, however it
 * comes; it is not forced to the disk, so a machine that loses power may lose the last ones, but no part of one.
 *
 * @throws {Error} one sentence when the data directory is in use or cannot be read, or the port is taken.
 */
export const startDynamoDb = async ({
  dataDirectory,
  port,
  authority,
}: DynamoDbOptions): Promise<DynamoDbServer> => {
  const { store, release } = await holdDataDirectory(dataDirectory);
  const execute = operationsOn(store);
  const protocol = dynamoDbProtocol(store, execute, authority);
  const server = await startAwsServer(protocol, port).catch(async (error: unknown) => {
    await release();
    throw error;
  });

  const sweepExpired = (nowSeconds = Math.floor(Date.now() / 1000)) =>
    sweepExpiredItems(store, execute, nowSeconds);
  const stopSweeping = repeat(async () => {
    await sweepExpired();
    await forgetExpiredTokens(store);
  });
  const closeOnce = async () => {
    await stopSweeping();
    await server.close();
    await release();
  };
  let closing: Promise<void> | undefined;

  return {
    endpoint: server.endpoint,
    sweepExpired,
    close: () => {
      closing ??= closeOnce();
      return closing;
    },
  };
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
