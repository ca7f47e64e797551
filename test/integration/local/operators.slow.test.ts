import { execFileSync, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { localCredentials, localRegion } from "@language-ai/aws-stand-ins";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { checkVersion } from "../../../functions/release-check/check-version.ts";
import { releaseSamples } from "../../../functions/release-check/samples.ts";
import { findRunningService, functionPath } from "../../../infra/local/running-service.ts";
import { messagingKeys } from "../../../shared/messaging/keys.ts";
import { type LoopbackServer, listenOnLoopback } from "../../support/loopback-server.ts";
import { type OwnService, startOwnService } from "../../support/own-service.ts";
import { runHere } from "../../support/run-here.ts";
import { otherSamples, sampleEvents } from "../../support/sample-events.ts";

let service: OwnService;
let receiver: LoopbackServer;
const callbacks: (string | undefined)[] = [];
beforeAll(async () => {
  receiver = await listenOnLoopback(
    createServer(({ url }, response) => {
      callbacks.push(url);
      response.end();
    }),
  );
  service = await startOwnService({ CALLBACKS_ALLOW_LOOPBACK: "1" });
});
afterAll(async () => {
  await receiver.close();
  await service.close("SIGINT");
  const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  expect(processes, "no process of the service is left").not.toContain(service.folder);
});

/** Invokes a function with an event, as `npm run invoke` does. @returns what it said. */
const invoke = async (feature: string, event: string) => {
  const response = await service.client.request(functionPath(feature), { method: "POST", body: event });
  return { status: response.status, text: await response.text() };
};

const account = (...args: string[]) => service.operate("account", ...args);
const shown = async (...args: string[]): Promise<unknown> => JSON.parse((await account(...args)).output);

describe("the sample events", () => {
  const expected: Readonly<Record<string, RegExp>> = {
    ...Object.fromEntries(
      ["verifyEmail", "showVerificationPage", "showResetPage", "resetPassword"].map((id) => [
        id,
        /"statusCode":400.*invalid_link/,
      ]),
    ),
    // The sample's token has no valid signature.
    callMcp: /"statusCode":401/,
    deleteAccount: /"statusCode":401/,
    // What the sample names was never made, uploaded or started.
    ...Object.fromEntries(
      [
        ...["revokeKey", "getExportFile", "resendWebhook", "refreshSpeechLink", "legacyVendorRefreshUrl"],
        ...["createJob", "addTargets", "getJob", "getJobResult", "deleteJob"],
        ...["deeplDocumentStatus", "deeplDocumentResult", "legacyDeleteTranscription"],
        ...["signUploadParts", "getUpload", "completeUpload", "deleteUpload"],
      ].map((id) => [id, /"statusCode":404/]),
    ),
    legacyTranscribeUpload: /"statusCode":400[\s\S]*gcs_blob_name/,
  };

  it("each have a response", { timeout: 120_000 }, async () => {
    for (const { feature, operation, path, text = "" } of sampleEvents) {
      const success = new RegExp(`"statusCode":${operation.response.status}\\b`);
      expect(await invoke(feature, text), path).toEqual({
        status: 200,
        text: expect.stringMatching(expected[operation.id] ?? success),
      });
    }
  });

  it("that are no requests to an operation run as well", { timeout: 120_000 }, async () => {
    // Callbacks are signed with the account's secret, which is created when it is first read.
    const secret = sampleEvents.find(({ operation }) => operation.id === "getWebhookSecret")?.text ?? "";
    await invoke("auth", secret);
    for (const { feature, path, text, result } of otherSamples) {
      const event = text.replaceAll("http://127.0.0.1:4000", receiver.url);
      expect(await invoke(feature, event), path).toEqual({
        status: 200,
        text: expect.stringMatching(result),
      });
    }
    const { client } = service;
    expect(JSON.stringify(await client.send("/_local/mail"))).toContain("sample@example.com");
    expect(JSON.stringify(await client.send("/_local/messages"))).toContain("256700000002");
    expect(callbacks).toEqual(["/callbacks"]);
  });

  it.each(Object.keys(releaseSamples))("of a release's check let it pass for %s", async (feature) => {
    const checked = checkVersion(feature, async (event) => {
      // A streamed response is printed as its head, a line break and its body.
      const [result = ""] = (await invoke(feature, JSON.stringify(event))).text.split("\n");
      return result;
    });
    await expect(checked).resolves.toBeUndefined();
  });
});

describe("`npm run invoke`", () => {
  const translate = "events/translate/translate.json";

  it.each([
    ["translate", translate, 0, /"statusCode":200[\s\S]*translated_text/],
    ["no-such-function", translate, 1, /^There is no function no-such-function; there are .*translate/],
    ["translate", "events/none.json", 1, /^There is no sample event events\/none\.json\.\n$/],
  ])("sends an event to %s (%s) and prints what it says", async (feature, path, code, response) => {
    const { code: ended, output } = await service.operate("invoke", feature, path);
    expect(ended, output).toBe(code);
    expect(output).toMatch(response);
  });
});

describe("The commands of the page about personal data", () => {
  const administrator = {
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  };
  let commands: readonly string[];
  let values: Readonly<Record<string, string>>;
  let variables: Readonly<Record<string, string>>;
  let table: DynamoDBDocumentClient;
  beforeAll(async () => {
    const page = await readFile("infra/handbook/personal-data.md", "utf8");
    commands = [...page.matchAll(/^ +npm run account -- (.+)$/gm)].map(([, line = ""]) => line);
    const running = await findRunningService(service.folder);
    if (!running?.bucketName) throw new Error("The service has no bucket.");
    values = { TableName: running.tableName, AudioBucketName: running.bucketName };
    variables = running.sdkVariables;
    table = DynamoDBDocumentClient.from(
      new DynamoDBClient({
        endpoint: variables["AWS_ENDPOINT_URL_DYNAMODB"] ?? "",
        region: localRegion,
        credentials: localCredentials,
      }),
    );
  });
  afterAll(() => table.destroy());

  /** Runs the command of the page that has an option, on the stage as if it were deployed: with table, bucket and credentials. */
  const runCommand = async (
    option: string,
    given: Readonly<Record<string, string>> = {},
    credentials: Readonly<Record<string, string>> = {},
  ) => {
    const line = commands.find((each) => each.includes(option)) ?? "";
    const args = line
      .split(" ")
      .map((word) => word.replace(/^<(\w+)>$/, (_, name: string) => ({ ...values, ...given })[name] ?? name));
    // Nowhere near the service's own folder, so that nothing but the options leads to it.
    const environment = { ...variables, ...credentials, DATA_DIR: "/nonexistent" };
    const { code, output } = await runHere("infra/commands/account.ts", args, environment);
    expect(code, output).toBe(0);
    return JSON.parse(output);
  };

  const allItems = async () => {
    const items: Record<string, unknown>[] = [];
    for await (const { Items = [] } of paginateScan({ client: table }, { TableName: values["TableName"] })) {
      items.push(...Items);
    }
    return items;
  };

  it("show, delete and forget, and what they deleted stays deleted after a restore", async () => {
    expect(commands).toHaveLength(4);
    const account = await service.client.createAccount();
    const { username } = account;
    const number = `2567${randomInt(10_000_000, 99_999_999)}`;
    await table.send(
      new PutCommand({
        TableName: values["TableName"],
        Item: { ...messagingKeys.conversation(number), settings: {}, expires_at: 4_000_000_000 },
      }),
    );
    expect(await runCommand("--show", { username })).toMatchObject({ username, disabled: false });
    const backup = (await allItems()).filter(
      ({ PK }) => !/^(?:AUDIT|COUNTER|LIMIT|STATUS)#/.test(String(PK)),
    );

    expect(await runCommand("--delete", { username })).toEqual({ username, deleted: true });
    expect(await runCommand("--forget-sender", { number })).toMatchObject({ sender: number });
    expect(await runCommand("--erase-again", {}, administrator)).toEqual({
      erased_accounts: 0,
      forgotten_senders: 0,
    });

    for (const Item of backup) await table.send(new PutCommand({ TableName: values["TableName"], Item }));
    expect((await service.client.logIn(username, account.password)).status).toBe(200);
    expect(await runCommand("--erase-again", {}, administrator)).toEqual({
      erased_accounts: 1,
      forgotten_senders: 1,
    });
    expect((await service.client.logIn(username, account.password)).status).toBe(401);
    expect(JSON.stringify(await allItems())).not.toContain(number);
  });
});

describe("`npm run account`", () => {
  it("shows, promotes, disables and enables while the service runs", async () => {
    const { username, password, token } = await service.client.createAccount();
    const me = () => service.client.call("/auth/me", { token });
    expect(await shown(username.toUpperCase(), "--show")).toMatchObject({
      username,
      account_type: "Free",
      disabled: false,
    });
    await account(username, "--type", "Premium");
    expect((await me()).body).toMatchObject({ account_type: "Premium" });
    await account(username, "--disable");
    expect((await me()).status).toBe(403);
    expect((await service.client.logIn(username, password)).status).toBe(403);
    await account(username, "--enable");
    expect((await me()).status).toBe(200);
  });

  it("shows the keys of an account without their secrets, and revokes one or all", async () => {
    const { username, token } = await service.client.createAccount();
    const makeKey = (name: string) =>
      service.client.send("/auth/keys", { token, body: { name, scopes: ["speech"] } });
    const [kiosk, phone] = [await makeKey("kiosk"), await makeKey("phone")];
    const statusOf = async (key: string) => (await service.client.call("/auth/me", { token: key })).status;

    const { output } = await account(username, "--keys");
    expect(JSON.parse(output)).toMatchObject({
      username,
      keys: [{ id: kiosk.id, name: "kiosk", scopes: ["speech"], used_this_month: 0 }, { name: "phone" }],
    });
    expect(output).not.toContain(kiosk.key);
    expect(await shown(username, "--keys", "--revoke-key", kiosk.id)).toMatchObject({
      keys: [{ name: "phone" }],
    });
    expect([await statusOf(kiosk.key), await statusOf(phone.key)]).toEqual([401, 200]);
    expect(await account(username, "--keys", "--revoke-key", kiosk.id)).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${username} has no key with the id ${kiosk.id}.`),
    });
    expect(await shown(username, "--keys", "--revoke-keys")).toMatchObject({ keys: [] });
    expect(await statusOf(phone.key)).toBe(401);
  });

  it("creates the account of the smoke tests, verified, with a key, and shows both once", async () => {
    const { code, output } = await account("smoke", "--smoke");
    expect(code, output).toBe(0);
    const { SMOKE_USERNAME, SMOKE_PASSWORD, SMOKE_KEY } = z
      .object({ SMOKE_USERNAME: z.literal("smoke"), SMOKE_PASSWORD: z.string(), SMOKE_KEY: z.string() })
      .parse(parseEnv(output));
    expect((await service.client.logIn(SMOKE_USERNAME, SMOKE_PASSWORD)).status).toBe(200);
    expect(await service.client.send("/auth/me", { token: SMOKE_KEY })).toMatchObject({
      email: "success+smoke@simulator.amazonses.com",
      email_verified: true,
      account_type: "Premium",
    });
    const { output: keys } = await account("smoke", "--keys");
    expect(keys).not.toContain(SMOKE_KEY);
    expect(JSON.parse(keys)).toMatchObject({ keys: [{ name: "smoke tests", monthly_limit: 5_000 }] });
    for (const [name, sentence] of [
      ["smoke", "An account with this username exists."],
      ["a b", "a username has 3 to 64 letters"],
    ] as const) {
      expect(await account(name, "--smoke")).toMatchObject({
        code: 1,
        output: expect.stringContaining(sentence),
      });
    }
  });

  it("shows that an address gets no mails now, and lifts it", async () => {
    // The address of the sample event; any earlier account with it will do.
    const registration = {
      username: "amina",
      email: "amina@example.com",
      password: "seven storks by the lake",
    };
    await service.client.call("/auth/register", { body: registration });
    const { code, output } = await service.operate(
      "invoke",
      "mail-feedback",
      "events/mail-feedback/bounce.json",
    );
    expect(code, output).toBe(0);
    expect(await shown("amina", "--show")).toMatchObject({
      mail_withheld: { reason: "bounce", since: "2026-11-20T10:00:04.000Z" },
    });
    expect(await shown("amina", "--allow-mail")).toMatchObject({ username: "amina", mail_withheld: null });
  });

  it("explains itself, and names a missing account", async () => {
    for (const [args, sentence] of [
      [[], "Usage:"],
      [["kato", "--type", "King"], "There is no account type King; there are Free, Premium, Admin.\nUsage:"],
      [["nobody"], "nobody"],
    ] as const) {
      expect(await account(...args)).toMatchObject({ code: 1, output: expect.stringContaining(sentence) });
    }
  });

  it("deletes an account for an operator who means it; its bill stays, by its number and nothing else", async () => {
    const { client } = service;
    const { id, username, password, token } = await client.createAccount();
    await client.send("/tasks/audio/speech", { token, body: { text: "Oli otya?" } });
    const translation = { source_language: "eng", target_language: "lug", text: "Thank you" };
    await client.send("/tasks/translate", { token, body: translation });
    for (const input of ["another\n", ""]) {
      const env = { ...process.env, ...service.variables };
      const args = ["infra/commands/account.ts", username, "--delete"];
      const { status, stderr } = spawnSync(process.execPath, args, { env, input, encoding: "utf8" });
      expect(status).toBe(1);
      expect(stderr).toContain(`Type ${username} to delete the account`);
      expect(stderr).toContain("The username does not match. Nothing was deleted.");
    }
    expect((await client.logIn(username, password)).status).toBe(200);
    expect(await shown(username, "--delete", "--yes")).toEqual({ username, deleted: true });
    expect((await client.call("/auth/me", { token })).status).toBe(401);
    expect(await account(username, "--delete", "--yes")).toMatchObject({
      code: 1,
      output: expect.stringContaining(`There is no account with the username ${username}.`),
    });

    const month = new Date().toISOString().slice(0, 7);
    const report = async (...args: string[]) => (await service.operate("usage", "--month", ...args)).output;
    const used = z
      .array(z.looseObject({ date: z.string(), account: z.int(), path: z.string() }))
      .parse(JSON.parse(await report(month, "--format", "json")))
      .filter((row) => row.account === id);
    expect(used.toSorted((one, other) => one.path.localeCompare(other.path))).toMatchObject([
      { path: "/tasks/audio/speech", requests: 1, characters: "Oli otya?".length },
      { method: "POST", path: "/tasks/translate", key: null, requests: 1, errors: 0, characters: 9 },
    ]);
    const table = await report(month);
    expect(table).toContain("date,account,method,path,key,requests,errors,characters,");
    expect(table.split("\r\n").filter((line) => line.split(",")[1] === String(id))).toHaveLength(2);
    expect(table).not.toContain(username);
    expect(await report("2020-01", "--format", "json")).toBe("[]\n");
    expect(await report("2026-13")).toContain("Name the month, such as 2026-11.");
    expect(await report("2026-11", "--format", "xml")).toContain(
      "There is no format xml; there are csv, json.",
    );
  });

  it("deletes everything about a person who wrote to the assistant", async () => {
    const person = "256700000007";
    const talk = (words: string) => service.operate("message", words, "--from", person);
    await talk("set mode translate");
    expect((await talk("status")).output).toContain("Mode: Translate");
    expect(await account("--forget-sender", person)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/"deleted_items": [1-9]/),
    });
    expect(await account("--forget-sender", person)).toEqual({
      code: 1,
      output: `There is no data about the sender ${person}.\n`,
    });
    expect((await talk("status")).output).toContain("Mode: Chat");
    expect(await account("amina", "--forget-sender", person)).toMatchObject({ code: 1 });
  });
});

describe("`npm run message`", () => {
  const talk = async (...args: string[]) =>
    (await service.operate("message", ...args, "--from", "256700000008")).output;

  it("plays a person and prints the replies", async () => {
    expect(await talk("What is the answer?", "--name", "Okello")).toMatch(
      /^ {2}\| I store our messages .*\n {2}\| .+\n {2}\| == Welcome to Language AI ==\n[\s\S]*\[ Get Help/,
    );
    expect(await talk("hello", "--name", "Okello")).toContain("Hello Okello!");
    expect(await talk("--choose", "Acholi")).toContain("Your language is Acholi");
    expect(await talk("--react", "👍")).toContain("[ Excellent ]");
    expect(await talk("--voice", "package.json")).toMatch(/listening[\s\S]*could not play/);
    const { output } = await service.operate("message", "status", "--from", "256700000999");
    expect(output).toContain("Language: English");
  });

  it("explains itself, and says when it is not heard", async () => {
    expect(await service.operate("message")).toMatchObject({
      code: 1,
      output: expect.stringContaining("Usage:"),
    });
    const run = (variables: Record<string, string>) =>
      runHere("infra/commands/message.ts", ["Hello"], variables);
    const wrongSecret = await run({ ...service.variables, MESSAGING_APP_SECRET: "another" });
    expect(wrongSecret.output).toContain('The webhook responded "rejected"');
    const nowhere = await run({ DATA_DIR: join(service.folder, "nowhere") });
    expect(nowhere).toEqual({ code: 1, output: "The service is not running; start it with npm start.\n" });
  });
});

describe("`npm run first-deployment`", { timeout: 120_000 }, () => {
  /** Stand-ins for the programs of a deployment, which record how they were called. */
  const writePrograms = async (failing: string): Promise<string> => {
    const directory = await mkdtemp(join(service.folder, "programs-"));
    const { chat_stream_url: stream } = await service.client.send("/_local/routes");
    const outputs = {
      "LanguageAi-dev-Api": { ApiUrl: service.running().url, ChatStreamUrl: `${stream}/` },
      "LanguageAi-dev-Data": { TableName: "table" },
    };
    const script = `#!/bin/sh
call="$(basename "$0") $*"
echo "$call" >> "${directory}/calls"
case "$call" in *" scan "*) echo 12 ;; esac
while [ $# -gt 0 ]; do
  if [ "$1" = --outputs-file ]; then printf %s '${JSON.stringify(outputs)}' > "$2"; fi
  shift
done
case "$call" in *"${failing}"*) exit 1 ;; esac
`;
    for (const name of ["npx", "npm", "aws"]) {
      await writeFile(join(directory, name), script);
      await chmod(join(directory, name), 0o755);
    }
    return directory;
  };

  const deploy = async (args: readonly string[], given: Record<string, string> = {}, failing = "no call") => {
    const programs = await writePrograms(failing);
    const { code, output } = await runHere("infra/commands/first-deployment/main.ts", args, {
      PATH: `${programs}:${process.env["PATH"]}`,
      CHAT_BASE_URL: "https://models.example.org/v1",
      MAIL_FROM: "no-reply@example.org",
      ...given,
    });
    const calls = await readFile(join(programs, "calls"), "utf8").catch(() => "");
    return { code, output, calls: calls === "" ? [] : calls.trim().split("\n") };
  };

  const rowsIn = (text: string): string[][] =>
    text
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map((cells) => cells.slice(1, -1));

  it("bootstraps, deploys, checks, releases, restores and destroys, and fills in the page's table", async () => {
    const { code, output, calls } = await deploy(["dev", "--destroy"], { SMOKE_KEY: "key" });
    expect(output).not.toContain("FAILED");
    expect(code).toBe(0);
    const outputsFile = ".build/first-deployment-outputs.json";
    expect(calls).toEqual([
      "npx cdk bootstrap -c stage=dev",
      `npx cdk deploy --all -c stage=dev --require-approval never --outputs-file ${outputsFile}`,
      "npm run release -- dev",
      "aws dynamodb restore-table-to-point-in-time --source-table-name table --target-table-name table-drill " +
        "--use-latest-restorable-time --query TableDescription.TableStatus",
      "aws dynamodb wait table-exists --table-name table-drill",
      "aws dynamodb scan --table-name table-drill --select COUNT --query Count",
      "aws dynamodb delete-table --table-name table-drill --query TableDescription.TableStatus",
      "npx cdk destroy --all --force -c stage=dev",
    ]);
    const rows = rowsIn(output);
    expect(rows.find(([step]) => step?.startsWith("the table, restored"))?.[2]).toBe("12 items, 0 minutes");
    const [, page = ""] = (await readFile("infra/first-deployment.md", "utf8")).split(
      "## What the script records",
    );
    const [recorded = ""] = page.split("## What you record by hand");
    expect(rows.map((cells) => cells.slice(0, 2))).toEqual(
      rowsIn(recorded).map((cells) => cells.slice(0, 2)),
    );
  });

  it("ends when nothing is deployed, and says why", async () => {
    const { code, output, calls } = await deploy(["dev"], {}, "cdk deploy");
    expect(code).toBe(1);
    expect(output).toContain("FAILED: `npx cdk deploy --all …` ended with 1");
    expect(output).toContain("1 of 2 steps failed.");
    expect(calls).toHaveLength(2);
  });

  it("continues after a step that fails, and leaves the release out without its key", async () => {
    const { code, output, calls } = await deploy(["dev"], {}, "dynamodb scan");
    expect(code).toBe(1);
    expect(output).toContain("FAILED: `aws dynamodb scan --table-name …` ended with 1");
    expect(output).toContain("| left out: infra/handbook/release.md says how to create SMOKE_KEY |");
    expect(calls.some((call) => call.startsWith("npm "))).toBe(false);
  });

  it("only sends requests when asked, and shows which response differs", async () => {
    const { url } = service.running();
    const variables = { BASE_URL: url, CHAT_STREAM_URL: `${url}/no-such-path` };
    const { code, output, calls } = await deploy(["--requests"], variables);
    expect(code).toBe(1);
    expect(calls).toEqual([]);
    const failed = rowsIn(output).filter(([, , seen]) => seen?.startsWith("FAILED"));
    expect(failed.map(([step]) => step)).toEqual([
      "7 MB to the chat function's URL, above Lambda's limit",
      "chat, streamed at the function's URL",
    ]);
  });

  it.each([
    [["prod", "--destroy"], 'The stage "prod" retains its data'],
    [["nowhere"], 'There is no stage "nowhere"'],
    [[], "Name one stage, such as dev."],
    [["--requests"], "Set BASE_URL and CHAT_STREAM_URL."],
  ])("refuses %j", async (args, sentence) => {
    const { code, output, calls } = await deploy(args);
    expect(output).toContain(sentence);
    expect(code).toBe(1);
    expect(calls).toEqual([]);
  });
});
