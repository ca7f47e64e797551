import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseEnv, promisify } from "node:util";
import * as z from "zod";
import { defaultAddressLimits, defaultUnverifiedQuotaShare } from "../../shared/accounts/limits/policies.ts";
import type { ReleaseTarget } from "./release-target.ts";

const execute = promisify(execFile);

/** Variables that give the local stage the limits of a deployed one. */
export const deployedLimits: Readonly<Record<string, string>> = {
  LIMIT_ANONYMOUS_PER_MINUTE: String(defaultAddressLimits.anonymous),
  LIMIT_CREDENTIALS_PER_MINUTE: String(defaultAddressLimits.credentials),
  LIMIT_MULTIPLIER: "1",
  UNVERIFIED_QUOTA_SHARE: String(defaultUnverifiedQuotaShare),
  VISITOR_TRIES_PER_DAY: "0",
};

const routes = z.object({ chat_stream_url: z.url() });
const accountVariables = z.record(z.string(), z.string());

/** A stage that runs on this machine, from the templates of a work tree. */
interface RunningStage {
  readonly addresses: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const environment = () => ({
  ...process.env,
  ...deployedLimits,
  DATA_DIR: resolve(process.env["DATA_DIR"] || ".local/release"),
});

/** Starts the service of a work tree as `npm start` does. @throws Error when it ends before it is ready. */
const startStage = async (folder: string): Promise<RunningStage> => {
  const child = spawn(process.execPath, [join(folder, "infra/local/main.ts")], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const ready = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const url = /^ready (\S+)$/.exec(line)?.[1];
    if (url) ready.resolve(url);
  });
  void ended.then(() => ready.reject(new Error(`The service of ${folder} ended before it was ready.`)));
  const url = await ready.promise;
  const response = await fetch(`${url}/_local/routes`, { signal: AbortSignal.timeout(10_000) });
  const { chat_stream_url } = routes.parse(await response.json());
  return {
    addresses: { BASE_URL: url, CHAT_STREAM_URL: chat_stream_url },
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};

/** Runs the operator's command of a work tree. @returns what it prints. */
const runAccount = async (folder: string, args: readonly string[]): Promise<string> => {
  const file = join(folder, "infra/commands/account.ts");
  const { stdout } = await execute(process.execPath, [file, ...args], { cwd: folder, env: environment() });
  return stdout;
};

/** The stage `local` in place of an account of AWS: both releases run on the same data and at the same addresses. */
export const localTarget = (): ReleaseTarget => {
  const username = `smoke-${randomBytes(4).toString("hex")}`;
  let account: Readonly<Record<string, string>> | undefined;
  let running: RunningStage | undefined;
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    deploy: async (folder = process.cwd()) => {
      await stop();
      running = await startStage(folder);
      account ??= accountVariables.parse(parseEnv(await runAccount(folder, [username, "--smoke"])));
      return { ...running.addresses, ...account };
    },
    close: async () => {
      try {
        if (running && account) await runAccount(process.cwd(), [username, "--delete", "--yes"]);
      } finally {
        await stop();
      }
    },
  };
};
