import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { FunctionConfiguration } from "../src/lambda/function-configuration.ts";
import type { InvocationResult } from "../src/lambda/invocation.ts";
import { LambdaService } from "../src/lambda/lambda-service.ts";

/** A service whose functions are the exports of one module, in a folder of their own. */
export interface LambdaUnderTest {
  readonly service: LambdaService;
  /** The functions' folder, and their working directory. */
  readonly directory: string;
  /** What the functions have printed, each line as `name: line`. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

export interface LambdaUnderTestOptions {
  /** The text of `index.mjs`. */
  readonly source: string;
  /** The names of the exports that are functions, with what they need other than the defaults. */
  readonly functions: Readonly<Record<string, Partial<FunctionConfiguration>>>;
  readonly maxConcurrency?: number;
}

export const startLambda = async (options: LambdaUnderTestOptions): Promise<LambdaUnderTest> => {
  const { source, functions, maxConcurrency } = options;
  const directory = await mkdtemp(join(tmpdir(), "lambda-test-"));
  await writeFile(join(directory, "index.mjs"), source);
  const log: string[] = [];
  const service = new LambdaService({
    functions: Object.entries(functions).map(([name, configuration]) => ({
      name,
      directory,
      handler: `index.${name}`,
      timeoutSeconds: 10,
      memoryMegabytes: 128,
      environment: {},
      ...configuration,
    })),
    log: (functionName, line) => log.push(`${functionName}: ${line}`),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
  const stop = async () => {
    await service.close();
    await rm(directory, { recursive: true });
  };
  return { service, directory, log, stop };
};

/** What a function returned. Throws when the result is of another kind. */
export const returned = (result: InvocationResult): unknown => {
  if (result.kind !== "buffered") throw new Error(`Expected a buffered result, got ${describe(result)}.`);
  return JSON.parse(result.payload.toString());
};

/** A streamed response. Throws when the result is of another kind. */
export const streamed = (result: InvocationResult): InvocationResult & { kind: "stream" } => {
  if (result.kind !== "stream") throw new Error(`Expected a stream, got ${describe(result)}.`);
  return result;
};

/** Everything in a body, and how it ended. */
export const readAll = async (body: Readable): Promise<{ text: string; error: string | undefined }> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
    return { text: Buffer.concat(chunks).toString(), error: undefined };
  } catch (error) {
    return { text: Buffer.concat(chunks).toString(), error: String(error) };
  }
};

export const isRunning = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

const describe = (result: InvocationResult): string =>
  result.kind === "error" ? `${result.errorType}: ${result.errorMessage}` : result.kind;
