import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readAssembly } from "@language-ai/aws-stand-ins";
import * as z from "zod";
import { findRunningService } from "../../../infra/local/running-service.ts";
import { createAccount } from "../../load/accounts.ts";
import { runService } from "../../support/run-service.ts";
import { type BenchProcess, lambdaOptions, startProcess, stopProcess } from "../processes.ts";
import { allowedCores } from "./kernel.ts";
import type { LoadTarget } from "./load-client.ts";
import { mockModel } from "./model-responses.ts";

/** Something that passes chat completions on to the mock model. */
export interface Gateway {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly target: LoadTarget;
}

/** Assigns cores to processes; without two cores, or without `taskset`, all share. */
export interface Cores {
  readonly gateway: number | undefined;
  readonly load: number | undefined;
}

const hasTaskset = (): boolean => {
  try {
    execFileSync("taskset", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** The first two cores that this process may use. */
export const chooseCores = (): Cores => {
  const [gateway, load] = allowedCores();
  return load !== undefined && hasTaskset() ? { gateway, load } : { gateway: undefined, load: undefined };
};

/** The deployed chat function's name in tables. */
export const chatName = "chat function";

/** The chat function, ready to be called, with everything behind it. */
export interface ServedChat {
  readonly mock: BenchProcess;
  readonly chat: Gateway;
  /** Where the bundle and its source map are. */
  readonly bundle: string;
  /** Creates an account of the same tier with this many keys. @returns one of the keys. */
  keyOfAccountWith(count: number): Promise<string>;
  /** Starts the function from another bundle; the caller stops it. */
  startChat(name: string, bundle: string): Promise<Gateway>;
  close(): Promise<void>;
}

type FunctionDefinition = ReturnType<typeof readAssembly>["functions"][number];

/** What every process of the chat function needs. */
interface ChatSetup {
  readonly definition: FunctionDefinition;
  readonly sdkVariables: Readonly<Record<string, string>>;
  readonly mock: BenchProcess;
  readonly token: string;
  readonly core: number | undefined;
}

const startChat = async (
  { definition, sdkVariables, mock, token, core }: ChatSetup,
  name: string,
  bundle: string,
): Promise<Gateway> => {
  const { environment, memoryMegabytes } = definition;
  const server = new URL(mock.url).origin;
  const chat = await startProcess("compare/function-process.ts", {
    core,
    args: [bundle],
    nodeArgs: lambdaOptions(memoryMegabytes),
    isShown: false,
    variables: {
      ...environment,
      ...sdkVariables,
      AWS_LAMBDA_FUNCTION_NAME: "chat",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
      AWS_SESSION_TOKEN: "a-token-as-long-as-those-of-aws".repeat(12),
      AWS_ENDPOINT_URL_DYNAMODB: server,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: server,
      CHAT_BASE_URL: mock.url,
      LOG_LEVEL: "INFO",
    },
  });
  const url = `${chat.url}/tasks/chat/completions`;
  const headers = { Authorization: `Bearer ${token}` };
  return { ...chat, target: { name, url, headers, model: "lang-14b", takesEvents: true } };
};

/** Creates keys of an account. @returns the last one. */
const createKeys = async (url: string, token: string, count: number): Promise<string> => {
  let key = "";
  for (let index = 0; index < count; index += 1) {
    const response = await fetch(`${url}/auth/keys`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: `key ${index}` }),
    });
    ({ key } = z.object({ key: z.string() }).parse(await response.json()));
  }
  return key;
};

/**
 * The chat function as deployed, with its token and account in DynamoDB's stand-in.
 *
 * The local service builds the bundle, creates the table and its keys, and registers the account. Afterwards it only
 * has to respond to each call of the function once: the mock repeats it.
 */
export const serveChat = async ({ gateway, load }: Cores): Promise<ServedChat> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
  const service = await runService({
    PORT: "0",
    DATA_DIR: dataDirectory,
    CHAT_BASE_URL: "http://127.0.0.1:9/v1",
    CHAT_MODEL: mockModel,
  });
  try {
    // Of all tiers the one with the most limits.
    const { token } = await createAccount(service.url, dataDirectory, "Premium");
    const running = await findRunningService(dataDirectory);
    if (!running) throw new Error("The local service does not say where its table is.");
    const { sdkVariables } = running;
    const mock = await startProcess("compare/mock-process.ts", { core: load, variables: sdkVariables });
    const { functions } = readAssembly(join(dataDirectory, "assembly"));
    const definition = functions.find(({ assetDirectory }) => basename(assetDirectory) === "chat");
    if (!definition) throw new Error("There is no chat function.");
    const setup: ChatSetup = { definition, sdkVariables, mock, token, core: gateway };
    const bundle = join(definition.assetDirectory, "index.mjs");
    const chat = await startChat(setup, chatName, bundle);
    return {
      mock,
      chat,
      bundle,
      keyOfAccountWith: async (count) => {
        const { token: owner } = await createAccount(service.url, dataDirectory, "Premium");
        return createKeys(service.url, owner, count);
      },
      startChat: (name, file) => startChat(setup, name, file),
      close: async () => {
        await Promise.all([stopProcess(chat), stopProcess(mock)]);
        await service.stop();
        await rm(dataDirectory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
};

/** The name of the plain proxy in tables. */
export const plainProxyName = "plain proxy";

/** A proxy that only passes bytes on: the floor of every gateway on Node. */
export const startPlainProxy = async (mock: BenchProcess, core: number | undefined): Promise<Gateway> => {
  const proxy = await startProcess("plain-proxy.ts", { core, variables: { CHAT_BASE_URL: mock.url } });
  return { ...proxy, target: { name: plainProxyName, url: proxy.url, headers: {}, model: mockModel } };
};

/** The mock model itself. */
export const directTarget = (mock: BenchProcess): LoadTarget => ({
  name: "direct",
  url: `${mock.url}/chat/completions`,
  headers: {},
  model: mockModel,
});
