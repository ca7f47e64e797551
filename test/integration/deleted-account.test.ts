import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { ListBucketsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { localCredentials } from "@language-ai/aws-stand-ins";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { findRunningService } from "../../infra/local/running-service.ts";
import { kindOfItem } from "../../shared/platform/storage/stored-kinds.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { type RunningService, runCommand, runService } from "../support/run-service.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

const password = "seven storks by the lake";
const recording = wavFile(audioBytes(72_000), { stated: true });

let folder: string;
let service: RunningService;
let variables: Record<string, string>;
let readItems: () => Promise<string[]>;
let readObjects: () => Promise<string[]>;

const key = z.object({ PK: z.string(), SK: z.string() });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-deleted-"));
  variables = { PORT: "0", DATA_DIR: folder };
  service = await runService(variables);
  const running = await findRunningService(folder);
  if (!running) throw new Error("The service does not run.");
  const { sdkVariables, tableName } = running;
  // Operators may not read everything.
  const options = { region: "eu-west-1", credentials: localCredentials };
  const region = sdkVariables["AWS_REGION"] ?? "";
  const table = DynamoDBDocumentClient.from(
    new DynamoDBClient({ ...options, region, endpoint: sdkVariables["AWS_ENDPOINT_URL_DYNAMODB"] ?? "" }),
  );
  const s3 = new S3Client({
    ...options,
    region,
    endpoint: sdkVariables["AWS_ENDPOINT_URL_S3"] ?? "",
    forcePathStyle: true,
  });
  readItems = async () => {
    const { Items = [] } = await table.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }));
    return Items.map((item) => key.parse(item)).map(({ PK, SK }) => `${PK} ${SK}`);
  };
  readObjects = async () => {
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
    const pages = await Promise.all(
      Buckets.map(({ Name }) => s3.send(new ListObjectsV2Command({ Bucket: Name }))),
    );
    return pages.flatMap(({ Contents = [] }) => Contents.map(({ Key = "" }) => Key));
  };
}, 120_000);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const call = (path: string, body: unknown, token?: string, method = "POST") =>
  fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(body instanceof URLSearchParams ? {} : { "Content-Type": "application/json" }),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    body: body instanceof URLSearchParams ? body : JSON.stringify(body),
  });

const successful = async (response: Promise<Response>): Promise<unknown> => {
  const { ok, status } = await response;
  expect(ok, `status ${status}: ${await (await response).clone().text()}`).toBe(true);
  return (await response).json();
};

/** A person who has used everything that leaves data behind. */
const useEverything = async (username: string): Promise<string> => {
  const email = `${username}@example.com`;
  await successful(call("/auth/register", { username, email, password }));
  await call("/auth/token", new URLSearchParams({ username, password: "not the password" }));
  const logIn = async (name: string) =>
    z
      .object({ access_token: z.string() })
      .parse(await successful(call("/auth/token", new URLSearchParams({ username: name, password }))))
      .access_token;
  await logIn(email);
  const token = await logIn(username);
  await successful(call("/auth/forgot-password", { email }));
  await successful(call("/tasks/audio/speech", { text: "Oli otya?" }, token));
  await successful(
    call("/tasks/translate", { source_language: "eng", target_language: "lug", text: "Thank you" }, token),
  );
  await successful(call("/auth/keys", { name: "a program" }, token));
  const upload = z
    .object({ upload_url: z.url(), file_id: z.string() })
    .parse(
      await successful(
        call("/tasks/generate-upload-url", { file_name: "a.wav", content_type: "audio/wav" }, token),
      ),
    );
  const headers = { "Content-Type": "audio/wav" };
  const stored = await fetch(upload.upload_url, { method: "PUT", headers, body: recording });
  expect(stored.status).toBe(200);
  for (let times = 0; times < 2; times += 1) {
    const gcs_blob_name = `uploads/${upload.file_id}/a.wav`;
    await successful(call("/tasks/stt_from_gcs", new URLSearchParams({ gcs_blob_name }), token));
  }
  // Both mails must have been created, or their links would come later.
  await expect
    .poll(async () => (await readItems()).filter((name) => name.startsWith("LINK#")).length, {
      timeout: 20_000,
    })
    .toBeGreaterThanOrEqual(2);
  return token;
};

/** Whether an item may remain of a deleted account, as the list of everything that is stored says with a reason. */
const mayStay = (name: string): boolean => {
  const [PK = "", SK = ""] = name.split(" ");
  return kindOfItem({ PK, SK }, storedKinds.items)?.erased.by === "none";
};

describe("a deleted account", () => {
  it("leaves nothing behind but what the list of everything stored names", async () => {
    const [itemsBefore, objectsBefore] = [await readItems(), await readObjects()];
    const token = await useEverything("amina");
    const [items, objects] = [await readItems(), await readObjects()];
    const created = items.filter((name) => !itemsBefore.includes(name) && !mayStay(name));
    for (const kind of [
      "USER#",
      "ACCESS#",
      "USERNAME#",
      "EMAIL#",
      "LIMIT#PASSWORD#",
      "UPLOAD#",
      "OWNED#",
      "TRANSCRIPTION#",
    ]) {
      expect(
        created.filter((name) => name.startsWith(kind)),
        kind,
      ).not.toEqual([]);
    }
    expect(created.filter((name) => name.includes(" KEY#"))).toHaveLength(1);
    expect(objects.map((name) => name.split("/")[0]).toSorted()).toEqual([
      "speech",
      "transcriptions",
      "uploads",
    ]);

    expect((await call("/auth/me", { password }, token, "DELETE")).status).toBe(204);
    expect((await readItems()).filter((name) => !itemsBefore.includes(name) && !mayStay(name))).toEqual([]);
    expect(await readObjects()).toEqual(objectsBefore);
  }, 60_000);

  it("is still in the bill of the month, by its number and nothing else", async () => {
    const report = async (...args: string[]) => {
      const command = runCommand("infra/commands/usage.ts", args, variables);
      expect(await command.ended, command.output()).toBe(0);
      return command.output();
    };
    const month = new Date().toISOString().slice(0, 7);
    const used = z
      .array(z.looseObject({ date: z.string(), account: z.int(), path: z.string() }))
      .parse(JSON.parse(await report("--month", month, "--format", "json")))
      .filter(({ account }) => account === 1);
    expect(used).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          method: "POST",
          path: "/tasks/translate",
          key: null,
          requests: 1,
          errors: 0,
          characters: "Thank you".length,
        }),
        expect.objectContaining({ path: "/tasks/audio/speech", requests: 1, characters: "Oli otya?".length }),
        expect.objectContaining({ path: "/tasks/stt_from_gcs", requests: 2, characters: 0 }),
      ]),
    );
    const table = await report("--month", month);
    expect(table).toContain("date,account,method,path,key,requests,errors,characters,");
    expect(table.split("\r\n").filter((line) => line.split(",")[1] === "1")).toHaveLength(used.length);
    expect(table).not.toContain("amina");
    expect(await report("--month", "2020-01", "--format", "json")).toBe("[]\n");
  }, 60_000);

  it.each([
    [[], "Name the month, such as 2026-11."],
    [["--month", "2026-13"], "Name the month, such as 2026-11."],
    [["--month", "2026-11", "--format", "xml"], "There is no format xml; there are csv, json."],
  ])("is billed by npm run usage only with valid arguments: %j", async (args, sentence) => {
    const command = runCommand("infra/commands/usage.ts", args, variables);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(sentence);
  });

  it("is deleted by the operator as well, who must mean it", async () => {
    const token = await useEverything("kato");
    const account = (...args: string[]) =>
      promisify(execFile)(process.execPath, ["infra/commands/account.ts", ...args], {
        cwd: join(import.meta.dirname, "../.."),
        env: { ...process.env, ...variables },
      });
    /** The output of the command for an operator's line. */
    const typing = async (line: string) => {
      const command = account("KATO", "--delete");
      command.child.stdin?.end(line);
      return command.catch((error: { code: number; stderr: string }) => error);
    };
    for (const line of ["amina\n", ""]) {
      const refused = await typing(line);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain("Type kato to delete the account");
      expect(refused.stderr).toContain("The username does not match. Nothing was deleted.");
    }
    expect((await call("/auth/token", new URLSearchParams({ username: "kato", password }))).status).toBe(200);

    expect(JSON.parse((await account("kato", "--delete", "--yes")).stdout)).toEqual({
      username: "kato",
      deleted: true,
    });
    expect((await readItems()).filter((name) => !mayStay(name))).toEqual([]);
    expect(await readObjects()).toEqual([]);
    const me = await fetch(`${service.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
    expect(me.status).toBe(401);

    await expect(account("kato", "--delete", "--yes")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no account with the username kato."),
    });
  }, 90_000);

  it.each([
    [["kato", "--yes"], "--yes needs --delete, and --bucket needs --delete or --forget-sender."],
    [["kato", "--delete", "--table", "t"], "--delete takes both --table and --bucket"],
    [["kato", "--delete", "--disable"], "--delete takes only --yes, --table and --bucket."],
  ])("is not deleted by npm run account -- %s", async (args, sentence) => {
    const command = runCommand("infra/commands/account.ts", args, variables);
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(sentence);
  });
});
