import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";

const adopt = join(import.meta.dirname, "adopt.pl");

/** How a command ended, and what it used. */
export interface Measured {
  readonly code: number;
  /** User and system seconds of all its processes; `undefined` on a machine without Perl. */
  readonly cpuSeconds: number | undefined;
  readonly wallSeconds: number;
}

/** What a command is given. */
export interface MeasuredOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Whether its output is shown, or collected. */
  readonly output?: "inherit" | "pipe";
}

const readFrom = async (child: ChildProcess, descriptor: number): Promise<string> => {
  const stream = child.stdio[descriptor];
  return stream instanceof Readable ? text(stream) : "";
};

/**
 * Runs a program of Node's to its end and measures it with all processes that it started, also those whose parents ended first.
 *
 * @returns also what was collected: its standard error, and then its standard output.
 */
export const runMeasured = async (
  args: readonly string[],
  { variables = {}, output = "inherit" }: MeasuredOptions = {},
): Promise<Measured & { readonly printed: string }> => {
  const startedAt = performance.now();
  const run = async (program: string, before: readonly string[]) => {
    const child = spawn(program, [...before, ...args], {
      env: { ...process.env, ...variables },
      stdio: ["inherit", output, output, "pipe"],
    });
    const reading = Promise.all([readFrom(child, 2), readFrom(child, 1), readFrom(child, 3)]);
    const [code]: unknown[] = await once(child, "close");
    const [problems, printed, report] = await reading;
    return { code: typeof code === "number" ? code : 1, printed: problems + printed, report };
  };
  const { report, ...ended } = await run("perl", [adopt, process.execPath]).catch((error: unknown) => {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (isMissing) return run(process.execPath, []);
    throw error;
  });
  return {
    ...ended,
    cpuSeconds: report === "" ? undefined : Number(report),
    wallSeconds: (performance.now() - startedAt) / 1_000,
  };
};
