import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Means, Target } from "./attack.ts";
import { operateCheckout, startService } from "./checkout.ts";
import { startFailingTable } from "./failing-table.ts";
import { startAttackingModels } from "./model-server.ts";

/** A service that may be attacked, until it is stopped. */
export interface AttackedService {
  readonly target: Target;
  stop(): Promise<void>;
}

const modelMilliseconds = 2_000;

/** Whether requests can be sent from a second address: Linux has all of 127.0.0.0/8, macOS one of them. */
const hasSecondAddress = (): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(0, "127.0.0.2", () => server.close(() => resolve(true)));
  });

/**
 * Starts a service of its own, in a folder that goes with it, before models and a table that do what an attack wants.
 *
 * @param variables settings of the service that differ.
 */
export const startAttackedService = async (
  variables: Readonly<Record<string, string>> = {},
): Promise<AttackedService> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-attack-"));
  const models = await startAttackingModels();
  const table = await startFailingTable(join(folder, "table"));
  const stopOthers = async (): Promise<void> => {
    await models.close();
    await table.close();
    await rm(folder, { recursive: true, force: true });
  };
  const service = await startService({
    PORT: "0",
    DATA_DIR: join(folder, "service"),
    CHAT_BASE_URL: models.baseUrl,
    TRANSCRIPTION_BASE_URL: models.baseUrl,
    SPEECH_BASE_URL: models.baseUrl,
    CHAT_TIMEOUT_MS: String(modelMilliseconds),
    SPEECH_TIMEOUT_MS: String(modelMilliseconds),
    CHAT_MODEL_14B_THINKS_FIRST: "true",
    // As in a deployment.
    UNVERIFIED_QUOTA_SHARE: "0.1",
    LIMIT_MULTIPLIER: "1",
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    ...variables,
  }).catch(async (error: unknown) => {
    await stopOthers();
    throw error;
  });
  const means: Means[] = ["mails", "messages", "models", "table", "log-ins", "events", "operator"];
  const operate = async (username: string, ...args: readonly string[]): Promise<void> => {
    const variables = { DATA_DIR: join(folder, "service") };
    const command = operateCheckout("infra/commands/account.ts", [username, ...args], variables);
    if ((await command.ended) !== 0) throw new Error(command.output());
  };
  return {
    target: {
      url: service.url,
      means: new Set([...means, ...((await hasSecondAddress()) ? ["addresses" as const] : [])]),
      failCounters: table.failCounters,
      table,
      disable: (username) => operate(username, "--disable"),
      operate,
      holdTranscriptions: models.holdTranscriptions,
      audioSent: models.audioSent,
      modelMilliseconds,
    },
    stop: async () => {
      await service.stop("SIGTERM");
      await stopOthers();
    },
  };
};

const responds = async (url: string): Promise<boolean> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) });
  await response.arrayBuffer();
  return response.ok;
};

/** What an attack sends in a minute, at most. */
const maxLogIns = 60;

const takesManyLogIns = async (url: string): Promise<boolean> => {
  const response = await fetch(`${url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username: "nobody", password: "nothing" }),
    signal: AbortSignal.timeout(20_000),
  });
  await response.arrayBuffer();
  return Number(response.headers.get("x-ratelimit-limit-requests")) >= maxLogIns;
};

/** A service that runs already. What has left it can be seen when it is a local one. */
export const attackRunningService = async (baseUrl: string): Promise<AttackedService> => {
  const url = baseUrl.replace(/\/+$/, "");
  if (!(await responds(`${url}/health`))) throw new Error(`No service responds at ${url}.`);
  const means = new Set<Means>();
  if (await responds(`${url}/_local/mail`)) means.add("mails").add("events");
  if (await responds(`${url}/_local/messages?wait=no`)) means.add("messages");
  if (await takesManyLogIns(url)) means.add("log-ins");
  if (url.startsWith("http://127.0.0.1") && (await hasSecondAddress())) means.add("addresses");
  return {
    target: {
      url,
      means,
      failCounters: () => undefined,
      disable: async () => undefined,
      operate: async () => undefined,
      holdTranscriptions: () => ({ calls: () => 0, release: () => undefined }),
      audioSent: () => 0,
      modelMilliseconds,
    },
    stop: async () => undefined,
  };
};
