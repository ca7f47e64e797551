import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";
import * as z from "zod";
import { bundleOptions, projectDirectory } from "../../infra/bundling/bundle-options.ts";
import type { Question } from "./child-process.ts";

/** A benchmark process that serves HTTP, and messages of its parent. */
export interface BenchProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly url: string;
}

/** How a process of a benchmark is started. */
export interface StartOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** The core that it alone uses, where `taskset` exists. */
  readonly core?: number | undefined;
  /** Whether its output is shown; otherwise it is discarded, because reading logs costs time. */
  readonly isShown?: boolean;
}

/**
 * The options with which Lambda's runtime starts Node: the young generation has a tenth of the function's memory, the old one
 * the rest.
 */
export const lambdaOptions = (memoryMegabytes: number): string[] => {
  const young = Math.floor(memoryMegabytes / 10);
  return [
    "--expose-gc",
    "--max-http-header-size=81920",
    `--max-semi-space-size=${Math.floor(young / 2)}`,
    `--max-old-space-size=${memoryMegabytes - young}`,
  ];
};

/** A command that is bound to a core. `taskset` becomes the command, so that the process's id is that of the command. */
export const onCore = (core: number | undefined, command: readonly string[]): readonly [string, string[]] => {
  const [program = "", ...args] = core === undefined ? command : ["taskset", "-c", String(core), ...command];
  return [program, args];
};

/** The next message of a process. @throws Error when it ends instead. */
const nextMessage = async (child: ChildProcess, name: string): Promise<unknown> => {
  const over = new AbortController();
  const { signal } = over;
  const ended = async (): Promise<never> => {
    const [code, killed]: unknown[] = await once(child, "exit", { signal });
    throw new Error(`${name} ended with ${String(code ?? killed)}.`);
  };
  try {
    const [message]: unknown[] = await Promise.race([once(child, "message", { signal }), ended()]);
    return message;
  } finally {
    over.abort();
  }
};

const bundlesDirectory = join(projectDirectory, ".build/bench");

/** Bundles a file of this folder like a function: Node's type stripping would add 18 MB to its memory. */
const bundle = async (file: string): Promise<string> => {
  const name = basename(file, ".ts");
  const entry = relative(projectDirectory, join(import.meta.dirname, file));
  await build(bundleOptions({ [name]: entry }, bundlesDirectory));
  return join(bundlesDirectory, name, "index.mjs");
};

/** Starts a file of this folder and waits for its address. */
export const startProcess = async (
  file: string,
  { variables = {}, args = [], nodeArgs = [], core, isShown = true }: StartOptions = {},
): Promise<BenchProcess> => {
  const [program, programArgs] = onCore(core, [process.execPath, ...nodeArgs, await bundle(file), ...args]);
  const child = spawn(program, programArgs, {
    env: { ...process.env, ...variables },
    stdio: ["ignore", isShown ? "inherit" : "ignore", "inherit", "ipc"],
  });
  const message = await nextMessage(child, file);
  return { child, pid: child.pid ?? 0, url: z.object({ url: z.string() }).parse(message).url };
};

const reply = z.union([z.object({ failure: z.string() }), z.object({ result: z.unknown() })]);

/** Sends a process a message and waits for its response. @throws Error with the process's message when it fails. */
export const ask = async <Result>(
  { child }: Pick<BenchProcess, "child">,
  question: Question,
  schema: z.ZodType<Result>,
): Promise<Result> => {
  const received = nextMessage(child, "A benchmark process");
  child.send(question);
  const read = reply.parse(await received);
  if ("failure" in read) throw new Error(read.failure);
  return schema.parse(read.result);
};

/** Ends a process and waits until it has. */
export const stopProcess = async ({ child }: Pick<BenchProcess, "child">): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
};
