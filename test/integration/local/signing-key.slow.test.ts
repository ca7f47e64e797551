import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localCredentials } from "@language-ai/aws-stand-ins";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { findRunningService } from "../../../infra/local/running-service.ts";
import { readAwsConfig } from "../../../shared/platform/config/environment.ts";
import { openAwsJsonService } from "../../../shared/platform/outbound/aws-json.ts";
import { type OwnService, startOwnService } from "../../support/own-service.ts";

const preload = new URL("../../support/later/start-functions-later.ts", import.meta.url).href;

let folder: string;
let service: OwnService;

/** Puts the clocks of all functions ahead. */
const putAhead = (milliseconds: number): Promise<void> =>
  writeFile(join(folder, "clock-ahead"), String(milliseconds));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-clock-"));
  await putAhead(0);
  service = await startOwnService({
    CLOCK_AHEAD_FILE: join(folder, "clock-ahead"),
    NODE_OPTIONS: `--import ${preload}`,
  });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** Replaces the signing key as the handbook's command does: with the rights of the account's administrator. */
const replaceSigningKey = async (value: string): Promise<void> => {
  const running = await findRunningService(service.folder);
  const names = Object.keys(JSON.parse(await readFile(join(service.folder, "secrets/secrets.json"), "utf8")));
  const config = readAwsConfig({
    ...running?.sdkVariables,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  });
  await openAwsJsonService("SecretsManager", config).call("PutSecretValue", {
    SecretId: names.find((name) => name.startsWith("tokensigningkey")),
    SecretString: value,
  });
};

/** The status of each function that checks tokens: behind the authorizer, at its own URL, and where the API has no authorizer. */
const statusesOf = async (token: string): Promise<Readonly<Record<string, number>>> => {
  const { client } = service;
  const { chat_stream_url: stream } = z
    .object({ chat_stream_url: z.url() })
    .parse(await client.send("/_local/routes"));
  const body = { source_language: "eng", target_language: "lug", text: "Good morning." };
  const messages = { messages: [{ role: "user", content: "Good morning." }] };
  const speech = { input: "Good morning.", language: "lug" };
  const calls = {
    authorizer: client.call("/auth/me", { token }),
    chat: client.call(`${stream}/tasks/chat/completions`, { token, body: messages }),
    translate: client.call("/tasks/translate", { token, body }),
    speech: client.call("/v1/audio/speech", { token, body: speech }),
    mcp: client.call("/mcp", { token, body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }),
    jobs: client.call("/tasks/jobs", { token }),
  };
  const statuses = Object.entries(calls).map(async ([name, call]) => [name, (await call).status] as const);
  return Object.fromEntries(await Promise.all(statuses));
};

const everywhere = (statuses: Readonly<Record<string, number>>, status: number): void => {
  expect(statuses).toEqual(Object.fromEntries(Object.keys(statuses).map((name) => [name, status])));
};

describe("A signing key that has leaked", () => {
  it("signs nothing that is accepted anywhere five minutes after it was replaced twice, and needs no deployment", async () => {
    const { client } = service;
    const account = await client.createAccount();
    const [seen, unseen] = [account.token, await tokenOf(account)];
    const before = await statusesOf(seen);
    expect(Object.values(before).filter((status) => status === 401)).toEqual([]);

    await replaceSigningKey("the first new signing key of the service, long enough");
    await replaceSigningKey("the second new signing key of the service, long enough");
    expect(await statusesOf(seen)).toEqual(before);

    await putAhead(5 * 60_000);
    everywhere(await statusesOf(seen), 401);
    everywhere(await statusesOf(unseen), 401);
    expect(await statusesOf(await tokenOf(account))).toEqual(before);
  });
});

const tokenOf = async ({ username, password }: { username: string; password: string }): Promise<string> => {
  const { body } = await service.client.logIn(username, password);
  return z.string().parse(body.access_token);
};
