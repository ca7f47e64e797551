import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findRunningService } from "../../infra/local/running-service.ts";
import {
  type AccountsRepository,
  createAccountsRepository,
} from "../../shared/accounts/repositories/accounts-repository.ts";
import { readAwsConfig } from "../../shared/platform/config/environment.ts";
import { openLightTable } from "../../shared/platform/storage/light-table.ts";
import { ApiClient } from "./api-client.ts";
import { runHere } from "./run-here.ts";
import { type RunningService, runService } from "./run-service.ts";

/** The whole service with settings and data of a test. */
export interface OwnService {
  readonly client: ApiClient;
  /** The folder of its data, which is removed in the end. */
  readonly folder: string;
  /** The process that runs now. */
  running(): RunningService;
  /** What its processes are started with, and its commands. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs a command of an operator, such as `account`. @returns its exit code and all that it printed. */
  operate(command: string, ...args: readonly string[]): ReturnType<typeof runHere>;
  /** Its accounts, as its operator reaches them. */
  accounts(): Promise<AccountsRepository>;
  /** Kills its main process and starts it again on its data. */
  killAndRestart(): Promise<void>;
  close(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the whole service for a file of tests: with these settings, and in a folder of its own. */
export const startOwnService = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnService> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-own-"));
  const variables = { PORT: "0", DATA_DIR: folder, ...settings };
  let service = await runService(variables);
  return {
    client: new ApiClient(() => service.url),
    folder,
    running: () => service,
    variables,
    operate: (command, ...args) => runHere(`infra/commands/${command}.ts`, args, variables),
    accounts: async () => {
      const found = await findRunningService(folder);
      if (!found) throw new Error(`No service runs from ${folder}.`);
      return createAccountsRepository(openLightTable(found.tableName, readAwsConfig(found.sdkVariables)));
    },
    killAndRestart: async () => {
      await service.stop("SIGKILL");
      service = await runService(variables);
    },
    close: async (signal) => {
      await service.stop(signal);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
