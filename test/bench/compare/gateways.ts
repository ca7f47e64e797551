import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { localCredentials, readAssembly } from "@language-ai/aws-stand-ins";
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

/** A local service that has built the functions and registered an account, and the mock in front of its table. */
export interface PreparedService {
  readonly url: string;
  readonly mock: BenchProcess;
  /** Of an account with the most limits. */
  readonly token: string;
  /** Registers another account of this kind. @returns its token. */
  registerAnother(): Promise<string>;
  /** Where the bundle and its source map are. */
  bundleOf(feature: string): string;
  /** Starts a function on the gateways' core; the caller stops it. @param bundle by default the service's. */
  startFunction(feature: string, bundle?: string): Promise<BenchProcess>;
  close(): Promise<void>;
}

/** What a process of a function needs. */
interface FunctionSetup {
  readonly definition: FunctionDefinition;
  readonly sdkVariables: Readonly<Record<string, string>>;
  readonly mock: BenchProcess;
  readonly core: number | undefined;
}

const startFunction = (
  { definition, sdkVariables, mock, core }: FunctionSetup,
  bundle: string,
): Promise<BenchProcess> => {
  const { assetDirectory, environment, memoryMegabytes } = definition;
  const server = new URL(mock.url).origin;
  return startProcess("compare/function-process.ts", {
    core,
    args: [bundle],
    nodeArgs: lambdaOptions(memoryMegabytes),
    isShown: false,
    variables: {
      ...environment,
      ...sdkVariables,
      // The stand-ins' own key, which may do everything.
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_LAMBDA_FUNCTION_NAME: basename(assetDirectory),
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
      AWS_SESSION_TOKEN: "a-token-as-long-as-those-of-aws".repeat(12),
      AWS_ENDPOINT_URL_DYNAMODB: server,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: server,
      CHAT_BASE_URL: mock.url,
      SPEECH_BASE_URL: mock.url,
      TRANSCRIPTION_BASE_URL: mock.url,
      LOG_LEVEL: "INFO",
    },
  });
};

/**
 * Prepares what the processes of functions need. The local service builds the bundles, creates the table and its keys, and registers
 * the account. Afterwards it only has to respond to each call of a function once: the mock repeats it.
 */
export const prepareService = async ({ gateway, load }: Cores): Promise<PreparedService> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "language-ai-bench-"));
  const service = await runService({
    PORT: "0",
    DATA_DIR: dataDirectory,
    CHAT_BASE_URL: "http://127.0.0.1:9/v1",
    CHAT_MODEL: mockModel,
    SPEECH_MODEL: mockModel,
    TRANSCRIPTION_MODEL: mockModel,
  });
  try {
    const registerAnother = async () => (await createAccount(service.url, dataDirectory, "Premium")).token;
    const token = await registerAnother();
    const running = await findRunningService(dataDirectory);
    if (!running) throw new Error("The local service does not say where its table is.");
    const { sdkVariables } = running;
    const mock = await startProcess("compare/mock-process.ts", { core: load, variables: sdkVariables });
    const { functions } = readAssembly(join(dataDirectory, "assembly"));
    const definitionOf = (feature: string): FunctionDefinition => {
      const definition = functions.find(({ assetDirectory }) => basename(assetDirectory) === feature);
      if (!definition) throw new Error(`There is no function ${feature}.`);
      return definition;
    };
    const bundleOf = (feature: string) => join(definitionOf(feature).assetDirectory, "index.mjs");
    return {
      url: service.url,
      mock,
      token,
      registerAnother,
      bundleOf,
      startFunction: (feature, bundle = bundleOf(feature)) =>
        startFunction({ definition: definitionOf(feature), sdkVariables, mock, core: gateway }, bundle),
      close: async () => {
        await stopProcess(mock);
        await service.stop();
        await rm(dataDirectory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
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

/** The chat function as deployed, with its token and account in DynamoDB's stand-in. */
export const serveChat = async (cores: Cores): Promise<ServedChat> => {
  const prepared = await prepareService(cores);
  const startChat = async (name: string, bundle?: string): Promise<Gateway> => {
    const chat = await prepared.startFunction("chat", bundle);
    const url = `${chat.url}/tasks/chat/completions`;
    const headers = { Authorization: `Bearer ${prepared.token}` };
    return { ...chat, target: { name, url, headers, model: "lang-14b", takesEvents: true } };
  };
  try {
    const chat = await startChat(chatName);
    return {
      mock: prepared.mock,
      chat,
      bundle: prepared.bundleOf("chat"),
      keyOfAccountWith: async (count) => createKeys(prepared.url, await prepared.registerAnother(), count),
      startChat,
      close: async () => {
        await stopProcess(chat);
        await prepared.close();
      },
    };
  } catch (error) {
    await prepared.close();
    throw error;
  }
};

/** The name of the plain proxy in tables. */
export const plainProxyName = "plain proxy";

/** A proxy that only passes bytes on: the floor of every gateway on Node. @param path where it sends them, below the model's URL. */
export const startPlainProxy = async (
  mock: BenchProcess,
  core: number | undefined,
  path = "/chat/completions",
): Promise<Gateway> => {
  const variables = { PROXIED_URL: `${mock.url}${path}` };
  const proxy = await startProcess("plain-proxy.ts", { core, variables });
  return { ...proxy, target: { name: plainProxyName, url: proxy.url, headers: {}, model: mockModel } };
};

/** The mock model itself. */
export const directTarget = (mock: BenchProcess): LoadTarget => ({
  name: "direct",
  url: `${mock.url}/chat/completions`,
  headers: {},
  model: mockModel,
});
