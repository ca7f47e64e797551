import { PassThrough } from "node:stream";
import type { LocalServer } from "../src/gateway/http-server.ts";
import { httpStreamType } from "../src/gateway/relay-stream.ts";
import { type RestApiOptions, startRestApi } from "../src/gateway/rest-api.ts";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import type { LocalModel } from "../src/template/local-model.ts";

/** A function with a fixed response. */
export type FakeFunction = (
  event: unknown,
  signal: AbortSignal | undefined,
) => InvocationResult | Promise<InvocationResult>;

export interface FakeInvoker {
  readonly invoke: RestApiOptions["invoke"];
  /** The events a function was called with, in order. */
  eventsOf(functionName: string): readonly unknown[];
}

/** Simulates the Lambda service; functions not listed are missing. */
export const fakeInvoker = (functions: Record<string, FakeFunction>): FakeInvoker => {
  const calls: { functionName: string; event: unknown }[] = [];
  return {
    invoke: async (functionName, event, options) => {
      calls.push({ functionName, event });
      const target = functions[functionName];
      if (target === undefined) throw new Error(`There is no function named ${functionName}.`);
      return await target(event, options?.signal);
    },
    eventsOf: (name) => calls.filter(({ functionName }) => functionName === name).map(({ event }) => event),
  };
};

/** What a buffered function returns. */
export const returned = (value: unknown): InvocationResult => ({
  kind: "buffered",
  payload: Buffer.from(JSON.stringify(value)),
});

/** What a function throws. */
export const thrown = (errorMessage: string, errorType = "Error"): InvocationResult => ({
  kind: "error",
  errorType,
  errorMessage,
});

/** A function that streams bytes of the test's choosing: its result, and the end of the stream that it holds. */
export const rawStream = (contentType = httpStreamType) => {
  const body = new PassThrough();
  let failure: string | undefined;
  const result: InvocationResult = { kind: "stream", contentType, body, failure: () => failure };
  return {
    body,
    result,
    /** Breaks off, as the Lambda service does for a function that fails on the way. */
    breakOff: (reason: string) => {
      failure = reason;
      body.destroy(new Error(reason));
    },
    /** Ends, with a failure that is known only then. */
    endWith: (reason: string) => {
      failure = reason;
      body.end();
    },
  };
};

/** A function that streams an HTTP response, whose metadata it has already written. */
export const streaming = (metadata: object) => {
  const stream = rawStream();
  stream.body.write(`${JSON.stringify(metadata)}${"\0".repeat(8)}`);
  return stream;
};

export interface TestGateway extends FakeInvoker, LocalServer {
  readonly log: string[];
}

/** Serves the API with fake functions on a free port. */
export const startTestGateway = async (
  model: Pick<LocalModel, "restApi">,
  functions: Record<string, FakeFunction>,
  options: Partial<RestApiOptions> = {},
): Promise<TestGateway> => {
  const invoker = fakeInvoker(functions);
  const log: string[] = [];
  const server = await startRestApi({
    model,
    invoke: invoker.invoke,
    port: 0,
    host: "127.0.0.1",
    log: (line) => log.push(line),
    ...options,
  });
  return { ...invoker, ...server, log };
};
