import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { listen } from "../child-process.ts";
import { onCore } from "../processes.ts";
import type { Gateway } from "./gateways.ts";
import { mockModel } from "./model-responses.ts";

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

/** How a peer is started: its command, and the variables and headers that it wants. */
interface Peer {
  readonly name: string;
  readonly command: (port: string) => readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Starts a program that listens at a port, and waits until it does. */
const startPeer = async (
  { name, command, variables, headers }: Peer,
  core: number | undefined,
): Promise<Gateway> => {
  const port = await freePort();
  const [program, args] = onCore(core, command(port));
  const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, ...variables } });
  const url = `http://127.0.0.1:${port}`;
  const exists = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  const latest = performance.now() + readyMilliseconds;
  while (!(await exists())) {
    if (child.exitCode !== null || performance.now() > latest) {
      child.kill("SIGKILL");
      throw new Error(`${name} did not start.`);
    }
    await pause(100);
  }
  const target = { name, url: `${url}/v1/chat/completions`, headers, model: mockModel };
  return { child, pid: child.pid ?? 0, target };
};

/**
 * Portkey's gateway, in the version and with the server in its own lockfile: with newer servers it returns 500 for
 * every stream. It is installed on first use, next to this project and not as a part of it.
 */
export const startPortkey = async ({ modelUrl, core }: PeerOptions): Promise<Gateway> => {
  const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  if (!existsSync(program)) {
    process.stderr.write("Portkey is installed (once, 25 MB).\n");
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
  }
  const loopback = join(import.meta.dirname, "listen-on-loopback.mjs");
  const peer: Peer = {
    name: "Portkey",
    command: (port) => [process.execPath, "--import", loopback, program, `--port=${port}`, "--headless"],
    variables: { NODE_ENV: "production" },
    headers: {
      Authorization: "Bearer key",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": modelUrl,
    },
  };
  return startPeer(peer, core);
};

const liteLlm = "litellm[proxy]==1.80.5";

/**
 * LiteLLM's proxy, without a database or keys. It is installed on first use, into a virtual environment of its own.
 *
 * @throws Error when there is no Python or its package cannot be had.
 */
export const startLiteLlm = async ({ modelUrl, core }: PeerOptions): Promise<Gateway> => {
  const environment = join(folder, ".python");
  const program = join(environment, "bin/litellm");
  if (!existsSync(program)) {
    process.stderr.write("LiteLLM is installed (once, several hundred MB).\n");
    await run("python3", ["-m", "venv", environment]);
    await run(join(environment, "bin/pip"), ["install", "--quiet", liteLlm]);
  }
  const configuration = join(environment, "models.yaml");
  const parameters = { model: `openai/${mockModel}`, api_base: modelUrl, api_key: "key" };
  // What is JSON is YAML.
  await writeFile(
    configuration,
    JSON.stringify({ model_list: [{ model_name: mockModel, litellm_params: parameters }] }),
  );
  const peer: Peer = {
    name: "LiteLLM",
    command: (port) => [program, "--config", configuration, "--host", "127.0.0.1", "--port", port],
    // Else it asks the network for prices when it starts.
    variables: { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_MODE: "PRODUCTION" },
    headers: {},
  };
  return startPeer(peer, core);
};
