/** What most benchmarks begin and end with. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../../infra/commands/command-line.ts";
import { createAccount } from "../load/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { runService } from "../support/run-service.ts";

/** A local service with an account of the highest tier. */
export interface BenchService {
  readonly url: string;
  readonly api: ApiClient;
  readonly token: string;
  /** The service's first process. */
  readonly pid: number;
  /** Holds its data, and goes with it. */
  readonly folder: string;
  /** From the start of its process until it was ready. */
  readonly readySeconds: number;
}

/** Runs something with a service of its own. @param variables its settings. */
export const withService = async (
  variables: Readonly<Record<string, string>>,
  use: (service: BenchService) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
  try {
    const startedAt = performance.now();
    const { url, child, stop } = await runService({ PORT: "0", DATA_DIR: folder, ...variables });
    const readySeconds = (performance.now() - startedAt) / 1_000;
    try {
      const { token } = await createAccount(url, folder);
      await use({ url, api: new ApiClient(() => url), token, pid: child.pid ?? 0, folder, readySeconds });
    } finally {
      await stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Reads `--once`, with which a benchmark only sees whether it works. @param measures what `--help` says about it. */
export const readOnce = (name: string, measures: string, little: string): boolean =>
  readOptions(
    `Usage: npm run bench -- ${name} [--once]\n\n${measures} --once only sees whether it works: ${little}`,
    { once: { type: "boolean", default: false } },
  ).once;

/** Prints a line of the result. */
export const say = (line = ""): void => {
  process.stdout.write(`${line}\n`);
};

/** Figures with bounds. Beyond one of them, the benchmark exits with 1 and names it. */
export class Bounds {
  readonly #isJudged: boolean;
  readonly #beyond: string[] = [];

  constructor(isJudged: boolean) {
    this.#isJudged = isJudged;
  }

  expectBelow(name: string, value: number, max: number, unit = ""): void {
    // Not a number is beyond every bound.
    if (!(value <= max)) this.fail(`${name}: ${value.toFixed(2)}${unit && ` ${unit}`}; at most ${max}.`);
  }

  /** Notes what has been judged elsewhere. */
  fail(what: string): void {
    this.#beyond.push(what);
  }

  /** Reports what is beyond its bound. */
  report(): void {
    if (!this.#isJudged || this.#beyond.length === 0) return;
    process.stderr.write(`Beyond their bounds:\n${this.#beyond.join("\n")}\n`);
    process.exitCode = 1;
  }
}
