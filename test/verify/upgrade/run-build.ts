import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectDirectory } from "../../../infra/bundling/bundle-options.ts";

const endWithParent = new URL("../../support/end-with-parent.ts", import.meta.url).href;

/** The local service of a build. */
export interface RunningBuild {
  readonly url: string;
  /** Kills it by default, so unfinished work stays unfinished. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const built = ".built-functions";

/** The bundles of a build, once it has made them. The data folder, where it writes them, belongs to all builds. */
const builtBy = (folder: string): string | undefined => {
  if (folder === projectDirectory) return process.env["BUILT_FUNCTIONS"];
  return existsSync(join(folder, built)) ? join(folder, built) : undefined;
};

/**
 * Starts the service as `npm start` in that folder does, and waits until it is ready.
 *
 * @param folder the root of the build
 * @param imports modules that are loaded before it
 */
export const runBuild = async (
  folder: string,
  variables: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
  imports: readonly string[] = [],
): Promise<RunningBuild> => {
  const options = [endWithParent, ...imports].flatMap((each) => ["--import", each]);
  const child = spawn(process.execPath, [...options, join(folder, "infra/local/main.ts")], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      BUILT_FUNCTIONS: builtBy(folder),
      BUILT_TEMPLATES: folder === projectDirectory ? process.env["BUILT_TEMPLATES"] : undefined,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      MODELS: "sample",
      ...variables,
    },
    stdio: "pipe",
  });
  const ended = once(child, "close");
  child.stdin.on("error", () => undefined);
  let output = "";
  const ready = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const url = /^ready (\S+)$/m.exec(output)?.[1];
      if (url) ready.resolve(url);
    });
  }
  void ended.then(() => ready.reject(new Error(`The service of ${folder} ended: ${output.slice(-1_000)}`)));
  const url = await ready.promise;
  if (builtBy(folder) === undefined)
    await cp(join(variables.DATA_DIR, "build/functions"), join(folder, built), { recursive: true });
  return {
    url,
    stop: async (signal = "SIGKILL") => {
      child.kill(signal);
      await ended;
    },
  };
};

const commandMilliseconds = 60_000;

/**
 * Runs a command of an operator with a build, on the data of the service that is running.
 *
 * @throws Error when it fails.
 */
export const runOperatorCommand = async (
  folder: string,
  dataDirectory: string,
  [command, ...args]: readonly string[],
): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(folder, "infra/commands", `${command}.ts`), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], DATA_DIR: dataDirectory },
    timeout: commandMilliseconds,
  });
};

/** The service uses `PORT` and the five ports above it. */
const portCount = 6;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });

/**
 * Finds free ports for all builds, and returns the first. All builds use the same ports because links and identities contain
 * them; a deployed stage keeps its addresses, too.
 */
export const chooseFirstPort = async (): Promise<number> => {
  for (let first = 21_000 + (process.pid % 900) * 10; first < 32_000; first += 10) {
    const ports = Array.from({ length: portCount }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
  throw new Error("Found no six free ports in a row from 21000 to 32000.");
};
