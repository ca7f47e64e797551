import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { checkVersion } from "../../../functions/release-check/check-version.ts";
import { releaseSamples } from "../../../functions/release-check/samples.ts";
import { choosePorts } from "../../../infra/local/ports.ts";
import { functionPath } from "../../../infra/local/running-service.ts";
import { endurance } from "../../support/endurance.ts";
import { type RunningService, runCommand, runService } from "../../support/run-service.ts";
import { otherSamples, sampleEvents } from "../../support/sample-events.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-service-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const postJson = (url: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

const postText = (url: string, body: string) => fetch(url, { method: "POST", body });

const logIn = async (service: RunningService, username: string, password: string) => {
  const response = await fetch(`${service.url}/auth/token`, {
    method: "POST",
    body: new URLSearchParams({ username, password }),
  });
  const body: unknown = await response.json();
  return { status: response.status, body };
};

const password = "seven storks by the lake";
const registration = (username: string) => ({ username, email: `${username}@example.com`, password });

describe("the service as `npm start` runs it", () => {
  it("ends with a message when its port is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const command = runCommand("infra/local/main.ts", [], {
      PORT: String(port),
      DATA_DIR: join(folder, "busy"),
    });
    expect(await command.ended).toBe(1);
    other.close();
    expect(command.output()).toMatch(new RegExp(`^Port ${port} is in use.*\n$`));
  });

  it("ends with a message that says what a port is for, and which ports are free", async () => {
    const { api } = await choosePorts(0, "127.0.0.1");
    const port = api + 1;
    const other = createServer().listen(port, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const variables = { PORT: String(api), DATA_DIR: join(folder, "busy") };
    const command = runCommand("infra/local/main.ts", [], variables);
    expect(await command.ended).toBe(1);
    other.close();
    const wanted =
      /^Port (\d+), for the chat stream, is in use\. .* Start it with PORT=(\d+), where all six are free\.\n$/;
    const [, named, free = ""] = wanted.exec(command.output()) ?? [];
    expect(named, command.output()).toBe(String(port));
    expect(await choosePorts(Number(free), "127.0.0.1")).toMatchObject({ api: Number(free) });
  });

  it.each([
    ["a data directory that is a file", { DATA_DIR: "package.json" }, /data directory .* cannot be created/],
    ["a port that is no number", { PORT: "abc" }, /^PORT must be a whole number from 0 to 65000\.\n$/],
    ["an invalid model server address", { CHAT_BASE_URL: "nowhere" }, /^CHAT_BASE_URL must be an address/],
    [
      "a timeout that is not a number",
      { CHAT_TIMEOUT_MS: "abc" },
      /^CHAT_TIMEOUT_MS: must be a whole number from 1 to 120000 \(variable\)\n$/,
    ],
    [
      "no invocations",
      { FUNCTION_CONCURRENCY: "0" },
      /^FUNCTION_CONCURRENCY must be a whole number from 1\.\n$/,
    ],
    [
      "an address of another machine",
      { HOST: "198.51.100.77" },
      /^198\.51\.100\.77 is not an address of this machine/,
    ],
    ["a folder that cannot be created", { DATA_DIR: "/proc/no/such" }, /^The data directory .* Set DATA_DIR/],
    ["a stage setting that is refused", { MAIL_FROM: "nobody" }, /^MAIL_FROM: must be an email address/],
  ])("ends with a message for %s", async (_case, variables, sentence) => {
    const command = runCommand("infra/local/main.ts", [], {
      DATA_DIR: join(folder, "wrong"),
      PORT: "0",
      ...variables,
    });
    expect(await command.ended).toBe(1);
    expect(command.output()).toMatch(sentence);
    expect(command.output()).not.toMatch(/\n\s+at /);
  });

  it.each([
    "infra/local/main.ts",
    "infra/commands/account.ts",
    "infra/commands/message.ts",
    "infra/commands/invoke.ts",
  ])("explains how %s is used, and does nothing else, with --help", async (file) => {
    const command = runCommand(file, ["--help"], { DATA_DIR: join(folder, "help") });
    expect(await command.ended).toBe(0);
    expect(command.output()).toMatch(/^Usage: npm /);
    expect(existsSync(join(folder, "help"))).toBe(false);
  });

  it("keeps every account it confirmed, also when it is killed in the middle of its work", async () => {
    const variables = { PORT: "0", DATA_DIR: join(folder, "killed") };
    const first = await runService(variables);
    const confirmed: string[] = [];
    const enough = endurance(16, 60);
    let next = 0;
    const registerUntilKilled = async () => {
      while (next < 1_000) {
        next += 1;
        const username = `user-${next}`;
        const response = await postJson(`${first.url}/auth/register`, registration(username)).catch(
          () => undefined,
        );
        if (!response) return;
        if (response.status === 201) confirmed.push(username);
        if (confirmed.length === enough) first.child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 8 }, registerUntilKilled));
    await first.ended;
    expect(confirmed.length).toBeGreaterThanOrEqual(enough);

    const second = await runService(variables);
    for (const username of confirmed) {
      const { status } = await postJson(`${second.url}/auth/register`, registration(username));
      expect(status, `${username} must still be there`).toBe(409);
    }
    expect(await logIn(second, confirmed[0] ?? "", password)).toMatchObject({ status: 200 });
    await second.stop();
  }, 120_000);

  it("refuses a second service on the same data, and ends every process it started", async () => {
    const variables = { PORT: "0", DATA_DIR: join(folder, "twice") };
    const service = await runService(variables);
    await fetch(`${service.url}/health`);
    const second = runCommand("infra/local/main.ts", [], variables);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("is already running from");
    await service.stop("SIGINT");
    const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(processes).not.toContain(join(folder, "twice"));
  }, 60_000);

  it("says what is wrong when a data file is damaged", async () => {
    const dataDirectory = join(folder, "damaged");
    await mkdir(join(dataDirectory, "dynamodb"), { recursive: true });
    await writeFile(join(dataDirectory, "dynamodb", "CURRENT"), "not a manifest\n");
    const command = runCommand("infra/local/main.ts", [], { PORT: "0", DATA_DIR: dataDirectory });
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(dataDirectory);
    expect(command.output()).not.toMatch(/\n\s+at /);
  });
});

describe("the operator's commands", () => {
  let service: RunningService;
  let variables: Record<string, string>;
  beforeAll(async () => {
    variables = { PORT: "0", DATA_DIR: join(folder, "commands"), CALLBACKS_ALLOW_LOOPBACK: "1" };
    service = await runService(variables);
  }, 60_000);
  afterAll(() => service.stop());

  const account = async (...args: string[]) => {
    const command = runCommand("infra/commands/account.ts", args, variables);
    const code = await command.ended;
    return { code, output: command.output() };
  };

  const expected: Readonly<Record<string, RegExp>> = {
    verifyEmail: /"statusCode":400.*invalid_link/,
    showVerificationPage: /"statusCode":400.*invalid_link/,
    showResetPage: /"statusCode":400.*invalid_link/,
    resetPassword: /"statusCode":400.*invalid_link/,
    // The sample's token has no valid signature.
    callMcp: /"statusCode":401/,
    deleteAccount: /"statusCode":401/,
    // The sample's key was never made.
    revokeKey: /"statusCode":404/,
    // The sample's account has no such file and no callback.
    getExportFile: /"statusCode":404/,
    resendWebhook: /"statusCode":404/,
    // The sample's speech was never made.
    refreshSpeechLink: /"statusCode":404/,
    legacyVendorRefreshUrl: /"statusCode":404/,
    // The sample's job was never created, nor was the recording for the new one uploaded.
    createJob: /"statusCode":404/,
    addTargets: /"statusCode":404/,
    getJob: /"statusCode":404/,
    getJobResult: /"statusCode":404/,
    deleteJob: /"statusCode":404/,
    deeplDocumentStatus: /"statusCode":404/,
    deeplDocumentResult: /"statusCode":404/,
    // The sample's upload was never started.
    signUploadParts: /"statusCode":404/,
    getUpload: /"statusCode":404/,
    completeUpload: /"statusCode":404/,
    deleteUpload: /"statusCode":404/,
    // The sample's transcription was never made.
    legacyDeleteTranscription: /"statusCode":404/,
    // The sample's file was never uploaded.
    legacyTranscribeUpload: /"statusCode":400[\s\S]*gcs_blob_name/,
  };

  it("has a response for every sample event", async () => {
    for (const { feature, operation, path, text = "" } of sampleEvents) {
      const response = await postText(`${service.url}${functionPath(feature)}`, text);
      const received = await response.text();
      expect(response.status, received).toBe(200);
      const success = new RegExp(`"statusCode":${operation.response.status}\\b`);
      expect(received, path).toMatch(expected[operation.id] ?? success);
    }
  }, 120_000);

  it.each(Object.keys(releaseSamples))("lets the check of a release pass for %s", async (feature) => {
    const checked = checkVersion(feature, async (event) => {
      const response = await postText(`${service.url}${functionPath(feature)}`, JSON.stringify(event));
      // A streamed response is printed as its head, a line break and its body.
      const [result = ""] = (await response.text()).split("\n");
      return result;
    });
    await expect(checked).resolves.toBeUndefined();
  });

  it("runs every sample event that is no request to an operation", async () => {
    // Callbacks are signed with the account's secret, which is created when it is first read.
    const secret = sampleEvents.find(({ operation }) => operation.id === "getWebhookSecret")?.text ?? "";
    await postText(`${service.url}${functionPath("auth")}`, secret);
    for (const { feature, path, text, result } of otherSamples) {
      // The callback of the sample goes to the service itself, at its usual address.
      const event = text.replaceAll("http://127.0.0.1:3000", service.url);
      const response = await postText(`${service.url}${functionPath(feature)}`, event);
      const received = await response.text();
      expect(response.status, received).toBe(200);
      expect(received, path).toMatch(result);
    }
    const mails = await (await fetch(`${service.url}/_local/mail`)).text();
    expect(mails).toContain("sample@example.com");
    const messages = await (await fetch(`${service.url}/_local/messages`)).text();
    expect(messages).toContain("256700000002");
    expect(service.output()).toContain("POST /_local/media 200");
  }, 120_000);

  it.each([
    ["translate", "events/translate/translate.json", 0, /"statusCode":200[\s\S]*translated_text/],
    [
      "no-such-function",
      "events/translate/translate.json",
      1,
      /^There is no function no-such-function; there are .*translate/,
    ],
    ["translate", "events/none.json", 1, /^There is no sample event events\/none\.json\.\n$/],
  ])(
    "`npm run invoke` sends an event to %s and prints what it says",
    async (feature, path, code, response) => {
      const command = runCommand("infra/commands/invoke.ts", [feature, path], variables);
      expect(await command.ended, command.output()).toBe(code);
      expect(command.output()).toMatch(response);
    },
  );

  it("`npm run account` shows, promotes, disables and enables while the service runs", async () => {
    await postJson(`${service.url}/auth/register`, registration("kato"));
    const { body } = await logIn(service, "kato", password);
    const token = (body as { access_token: string }).access_token;
    const me = () => fetch(`${service.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } });

    expect(JSON.parse((await account("KATO", "--show")).output)).toMatchObject({
      username: "kato",
      account_type: "Free",
      disabled: false,
    });
    await account("kato", "--type", "Premium");
    expect(await (await me()).json()).toMatchObject({ account_type: "Premium" });
    await account("kato", "--disable");
    expect((await me()).status).toBe(403);
    expect(await logIn(service, "kato", password)).toMatchObject({ status: 403 });
    await account("kato", "--enable");
    expect((await me()).status).toBe(200);
  }, 60_000);

  it("`npm run account` shows the keys of an account without their secrets, and revokes one or all", async () => {
    await postJson(`${service.url}/auth/register`, registration("nankya"));
    const signedIn = z.object({ body: z.object({ access_token: z.string() }) });
    const { access_token: token } = signedIn.parse(await logIn(service, "nankya", password)).body;
    const makeKey = async (name: string) => {
      const response = await fetch(`${service.url}/auth/keys`, {
        method: "POST",
        headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name, scopes: ["speech"] }),
      });
      return z.object({ id: z.string(), key: z.string() }).parse(await response.json());
    };
    const [kiosk, phone, radio] = [await makeKey("kiosk"), await makeKey("phone"), await makeKey("radio")];
    const statusOf = async (key: string) =>
      (await fetch(`${service.url}/auth/me`, { headers: { Authorization: `Bearer ${key}` } })).status;

    const { output } = await account("nankya", "--keys");
    expect(JSON.parse(output)).toMatchObject({
      username: "nankya",
      keys: [
        { id: kiosk.id, name: "kiosk", scopes: ["speech"], used_this_month: 0 },
        { id: phone.id, name: "phone" },
        { id: radio.id, name: "radio" },
      ],
    });
    expect(output).not.toContain(kiosk.key);
    const { output: left } = await account("nankya", "--keys", "--revoke-key", kiosk.id);
    expect(JSON.parse(left)).toMatchObject({ keys: [{ name: "phone" }, { name: "radio" }] });
    expect([await statusOf(kiosk.key), await statusOf(phone.key)]).toEqual([401, 200]);
    expect(await account("nankya", "--keys", "--revoke-key", kiosk.id)).toMatchObject({
      code: 1,
      output: expect.stringContaining(`nankya has no key with the id ${kiosk.id}.`),
    });
    expect(JSON.parse((await account("nankya", "--keys", "--revoke-keys")).output)).toMatchObject({
      keys: [],
    });
    expect([await statusOf(phone.key), await statusOf(radio.key)]).toEqual([401, 401]);
    expect(await account("nankya", "--revoke-keys")).toMatchObject({
      code: 1,
      output: expect.stringContaining("need --keys."),
    });
  }, 60_000);

  it("`npm run account` creates the account of the smoke tests, verified, with a key, and shows both once", async () => {
    const { code, output } = await account("smoke", "--smoke");
    expect(code, output).toBe(0);
    const { SMOKE_USERNAME, SMOKE_PASSWORD, SMOKE_KEY } = z
      .object({ SMOKE_USERNAME: z.literal("smoke"), SMOKE_PASSWORD: z.string(), SMOKE_KEY: z.string() })
      .parse(parseEnv(output));
    expect(await logIn(service, SMOKE_USERNAME, SMOKE_PASSWORD)).toMatchObject({ status: 200 });
    const me = await fetch(`${service.url}/auth/me`, { headers: { Authorization: `Bearer ${SMOKE_KEY}` } });
    expect(await me.json()).toMatchObject({
      email: "success+smoke@simulator.amazonses.com",
      email_verified: true,
      account_type: "Premium",
    });
    const { output: shown } = await account("smoke", "--keys");
    expect(shown).not.toContain(SMOKE_KEY);
    expect(JSON.parse(shown)).toMatchObject({ keys: [{ name: "smoke tests", monthly_limit: 5_000 }] });
    expect(await account("smoke", "--smoke")).toMatchObject({
      code: 1,
      output: "An account with this username exists.\n",
    });
    expect(await account("a b", "--smoke")).toMatchObject({
      code: 1,
      output: expect.stringContaining("a username has 3 to 64 letters"),
    });
  }, 60_000);

  it("`npm run account` shows that an address gets no mails now, and lifts it", async () => {
    // The address of the sample event; any earlier account with it will do.
    await postJson(`${service.url}/auth/register`, registration("amina"));
    const invoke = runCommand(
      "infra/commands/invoke.ts",
      ["mail-feedback", "events/mail-feedback/bounce.json"],
      variables,
    );
    expect(await invoke.ended, invoke.output()).toBe(0);
    expect(JSON.parse((await account("amina", "--show")).output)).toMatchObject({
      mail_withheld: { reason: "bounce", since: "2026-11-20T10:00:04.000Z" },
    });
    expect(JSON.parse((await account("amina", "--allow-mail")).output)).toMatchObject({
      username: "amina",
      mail_withheld: null,
    });
  }, 60_000);

  it("`npm run account` explains itself, and names a missing account", async () => {
    expect(await account()).toMatchObject({ code: 1, output: expect.stringContaining("Usage:") });
    expect(await account("kato", "--type", "King")).toMatchObject({
      code: 1,
      output: expect.stringContaining(
        "There is no account type King; there are Free, Premium, Admin.\nUsage:",
      ),
    });
    expect(await account("nobody")).toMatchObject({ code: 1, output: expect.stringContaining("nobody") });
  }, 60_000);
});
