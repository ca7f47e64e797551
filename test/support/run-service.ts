import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const projectDirectory = join(import.meta.dirname, "../..");
const endWithParent = new URL("./end-with-parent.ts", import.meta.url).href;
const changedPermissions = new URL("./access/changed-permissions.ts", import.meta.url).href;

/** A command of this repository that is running as its own process. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** Everything it has written, both streams. */
  output(): string;
  /** Its exit code, when it has ended. */
  ended: Promise<number | null>;
}

const builtForTests = () => {
  const { BUILT_FUNCTIONS, BUILT_TEMPLATES, NODE_COMPILE_CACHE } = process.env;
  return { BUILT_FUNCTIONS, BUILT_TEMPLATES, NODE_COMPILE_CACHE };
};

/**
 * Runs a TypeScript file of the repository with variables of its own, for as long as this process lives.
 *
 * @param folder where another release is checked out
 */
export const runCommand = (
  file: string,
  args: readonly string[],
  variables: Record<string, string>,
  folder = projectDirectory,
): RunningCommand => {
  const { ACCESS_LOG = "", TAKEN_PERMISSION = "" } = process.env;
  const imports = ACCESS_LOG || TAKEN_PERMISSION ? [endWithParent, changedPermissions] : [endWithParent];
  const options = imports.flatMap((each) => ["--import", each]);
  const child = spawn(process.execPath, [...options, join(folder, file), ...args], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      ...(folder === projectDirectory ? builtForTests() : {}),
      ACCESS_LOG,
      TAKEN_PERMISSION,
      // Other servers of models may run on this machine.
      MODELS: "sample",
      ...variables,
    },
    // Standard input stays open and silent.
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
  }
  return { child, output: () => text, ended: once(child, "close").then(([code]) => code) };
};

/** The service as `npm start` runs it. */
export interface RunningService extends RunningCommand {
  readonly url: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the service and waits until it says that it is ready. */
export const runService = async (variables: Record<string, string>): Promise<RunningService> => {
  const command = runCommand("infra/local/main.ts", [], variables);
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  const look = () => {
    const url = /^ready (\S+)$/m.exec(command.output())?.[1];
    if (url) resolve(url);
  };
  command.child.stdout?.on("data", look);
  void command.ended.then((code) => reject(new Error(`The service ended with ${code}: ${command.output()}`)));
  const url = await ready;
  return {
    ...command,
    url,
    stop: async (signal = "SIGTERM") => {
      command.child.kill(signal);
      await command.ended;
    },
  };
};

/** The processes of a service's function: children of the service's own, which run in the function's folder. On Linux only. */
export const processesOf = ({ child }: RunningService, functionName: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const parent = /\) \w (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1];
        const isOfFunction = readlinkSync(`/proc/${name}/cwd`).endsWith(`/${functionName}`);
        return Number(parent) === child.pid && isOfFunction ? [Number(name)] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
