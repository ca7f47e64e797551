import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { listen } from "../child-process.ts";
import { onCore } from "../processes.ts";
import type { Gateway } from "./gateways.ts";

const folder = join(import.meta.dirname, "..", "peers");
const run = promisify(execFile);

/** What another gateway is started with. */
export interface PeerOptions {
  /** The model's server, with `/v1`. */
  readonly modelUrl: string;
  readonly core: number | undefined;
}

const freePort = async (): Promise<string> => {
  const server = createServer();
  const { port } = new URL(await listen(server));
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const readyMilliseconds = 60_000;

/** Starts a program that listens at a port, and waits until it does. */
const startPeer = async (
  name: string,
  command: readonly string[],
  port: string,
  core: number | undefined,
  variables: Readonly<Record<string, string>> = {},
) => {
  const [program, args] = onCore(core, command);
  const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, ...variables } });
  const url = `http://127.0.0.1:${port}`;
  const isThere = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  const latest = performance.now() + readyMilliseconds;
  while (!(await isThere())) {
    if (child.exitCode !== null || performance.now() > latest) throw new Error(`${name} did not start.`);
    await pause(100);
  }
  return { child, pid: child.pid ?? 0, url };
};

/**
 * Portkey's gateway, in the version and with the server that its own lockfile names: with newer ones it answers every
 * stream with 500. It is installed on first use, beside this project and not as a part of it.
 */
export const startPortkey = async ({ modelUrl, core }: PeerOptions): Promise<Gateway> => {
  const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  if (!existsSync(program)) {
    process.stderr.write("Portkey is installed (once, 25 MB).\n");
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  }
  const port = await freePort();
  const loopback = join(import.meta.dirname, "listen-on-loopback.mjs");
  const { child, pid, url } = await startPeer(
    "Portkey",
    [process.execPath, "--import", loopback, program, `--port=${port}`, "--headless"],
    port,
    core,
    { NODE_ENV: "production" },
  );
  return {
    child,
    pid,
    target: {
      name: "Portkey",
      url: `${url}/v1/chat/completions`,
      headers: {
        Authorization: "Bearer key",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": modelUrl,
      },
      model: "mock",
    },
  };
};
