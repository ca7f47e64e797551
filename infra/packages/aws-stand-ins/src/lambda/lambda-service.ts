import { availableParallelism } from "node:os";
import pLimit, { type LimitFunction } from "p-limit";
import { type EnvironmentListener, ExecutionEnvironment } from "./execution-environment.ts";
import { type FunctionConfiguration, functionArn } from "./function-configuration.ts";
import { FunctionPool, StartingSlots } from "./function-pool.ts";
import { Invocation, type InvocationResult, maxRequestBytes, requestTooLarge } from "./invocation.ts";
import { RuntimeApi } from "./runtime-api.ts";

/** How many processes of functions a laptop can run. */
export const defaultMaxConcurrency = 32;

interface DeployedFunction {
  readonly arn: string;
  readonly pool: FunctionPool;
}

/**
 * A local AWS Lambda: runs functions in processes of their own, as the service does, and nothing in this one.
 *
 * Functions get their limits (time, memory, payload), a fresh environment after a crash, and the globals and
 * the error behaviour of AWS's Node.js 24 runtime; README.md says where the two differ.
 */
export class LambdaService {
  readonly #functions = new Map<string, DeployedFunction>();
  /** Those of functions with an inspector's port. */
  readonly #inspected: FunctionPool[] = [];
  readonly #runtimeApi = new RuntimeApi();
  readonly #maxConcurrency: number;
  readonly #limit: LimitFunction;

  /**
   * @param options.log called with every line a function prints
   * @param options.maximumConcurrency how many invocations may run at a time, over all functions; those beyond
   *   it wait in order
   */
  constructor(options: {
    functions: readonly FunctionConfiguration[];
    log: (functionName: string, line: string) => void;
    maxConcurrency?: number;
  }) {
    this.#maxConcurrency = options.maxConcurrency ?? defaultMaxConcurrency;
    this.#limit = pLimit(this.#maxConcurrency);
    const slots = new StartingSlots(Math.max(2, availableParallelism()));
    for (const configuration of options.functions) {
      const log = (line: string) => options.log(configuration.name, line);
      const start = (listener: EnvironmentListener) => {
        this.#makeRoom();
        return new ExecutionEnvironment({ configuration, runtimeApi: this.#runtimeApi, listener, log });
      };
      // Two processes cannot listen on one inspector's port.
      const pool = new FunctionPool(start, slots, configuration.inspectorPort === undefined ? undefined : 1);
      if (configuration.inspectorPort !== undefined) this.#inspected.push(pool);
      this.#functions.set(configuration.name, { arn: functionArn(configuration), pool });
    }
  }

  /**
   * Invokes a function and waits for its result, or for the first byte of a streamed one. A function that
   * fails is a result, not an exception.
   *
   * @param options.signal aborted when the caller leaves. The function continues, as on AWS; a streaming
   *   one finds its response stream closed
   * @throws when there is no such function, and with the signal's reason
   */
  async invoke(
    functionName: string,
    event: unknown,
    options: { signal?: AbortSignal } = {},
  ): Promise<InvocationResult> {
    const target = this.#find(functionName);
    options.signal?.throwIfAborted();

    const payload = Buffer.from(JSON.stringify(event ?? null));
    if (payload.length > maxRequestBytes) return { kind: "error", ...requestTooLarge };

    const invocation = new Invocation({ functionArn: target.arn, payload, signal: options.signal });
    this.#limit(() => this.#run(invocation, target.pool)).catch((error: unknown) => {
      invocation.fail({ errorType: "ServiceException", errorMessage: String(error) });
    });
    return invocation.result;
  }

  /** Starts the processes of functions with an inspector's port, so that a debugger can attach before the first call. */
  async startInspected(): Promise<void> {
    if (this.#inspected.length === 0) return;
    await this.#runtimeApi.listen();
    for (const pool of this.#inspected) pool.warm();
  }

  /**
   * Stops every environment, for instance after code has changed; invocations in flight finish first. Those that are
   * inspected start again at once.
   */
  async recycle(): Promise<void> {
    await Promise.all(this.#pools().map((pool) => pool.recycle()));
    await this.startInspected();
  }

  /** Ends every process at once. Invocations in flight, and later ones, fail. */
  async close(): Promise<void> {
    await Promise.all(this.#pools().map((pool) => pool.close()));
    await this.#runtimeApi.shutDown();
  }

  #find(functionName: string): DeployedFunction {
    const found = this.#functions.get(functionName);
    if (found === undefined) throw new Error(`There is no function named ${functionName}.`);
    return found;
  }

  async #run(invocation: Invocation, pool: FunctionPool): Promise<void> {
    if (invocation.abandoned) return;
    await this.#runtimeApi.listen();
    pool.submit(invocation);
    await invocation.finished;
  }

  /** Stops an idle environment when another is needed, so there are no more processes than invocations. */
  #makeRoom(): void {
    const pools = this.#pools();
    const total = pools.reduce((sum, pool) => sum + pool.size, 0);
    if (total < this.#maxConcurrency) return;
    const [idlePool] = pools
      .filter((pool) => pool.idleSince !== undefined)
      .sort((one, other) => (one.idleSince ?? 0) - (other.idleSince ?? 0));
    idlePool?.stopLongestIdle();
  }

  #pools(): FunctionPool[] {
    return [...this.#functions.values()].map(({ pool }) => pool);
  }
}
