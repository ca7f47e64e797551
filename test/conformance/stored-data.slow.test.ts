import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { functionPath } from "../../infra/local/running-service.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { messagingKeys } from "../../shared/messaging/keys.ts";
import { voiceNotesFolder } from "../../shared/platform/storage/object-store.ts";
import { assistantId, jobKeys, jobObjects } from "../../shared/recordings/jobs/keys.ts";
import { baseUrl, call, createAccount, type TestAccount } from "../support/client.ts";
import { logInTo } from "../support/form-visitor.ts";
import { formData, formFile } from "../support/multipart.ts";
import { runHere } from "../support/run-here.ts";
import {
  addOldUsage,
  hasMovedUsage,
  makeOlder,
  openStoredData,
  remainsOf,
  type StoredData,
  storeEverything,
} from "../support/stored-data.ts";
import { audioBytes, wavFile } from "../support/wav.ts";

// What time or an older version has left in the table comes from the tests themselves, which is only possible on this machine.
const isLocal = inject("isLocal");

let stored: StoredData;
beforeAll(async () => {
  if (isLocal) stored = await openStoredData();
});

/** Invokes a function that no route reaches. */
const invoke = async (feature: string, event: object) => {
  const response = await fetch(`${baseUrl}${functionPath(feature)}`, {
    method: "POST",
    body: JSON.stringify(event),
  });
  return { status: response.status, body: await response.text() };
};

/** Runs a command of the operator. @returns its exit code and what it printed. */
const operate = (command: "account" | "usage", ...args: string[]) =>
  runHere(`infra/commands/${command}.ts`, args, { DATA_DIR: inject("dataDirectory") });

const audio = () => formFile(wavFile(audioBytes(32_000), { stated: true }), "a.wav");

describe.runIf(isLocal)("Usage of past days", () => {
  const tasks: Readonly<Record<string, (token: string) => ReturnType<typeof call>>> = {
    auth: (token) => call("/auth/keys", { token, body: { name: "a program" } }),
    chat: (token) =>
      call("/tasks/chat/completions", { token, body: { messages: [{ role: "user", content: "Hello" }] } }),
    jobs: (token) => call("/tasks/jobs", { token }),
    language: (token) => call("/tasks/language_id", { token, body: { text: "Oli otya, ssebo?" } }),
    legacy: (token) => call("/tasks/summarise", { token, body: { text: "Oli otya, ssebo? Webale nnyo." } }),
    mcp: (token) => call("/mcp", { token, body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }),
    speech: (token) => call("/tasks/audio/speech", { token, body: { text: "Oli otya?" } }),
    transcription: (token) =>
      call("/tasks/audio/transcriptions", { token, body: formData({ language: "lug", audio: audio() }) }),
    translate: (token) =>
      call("/tasks/translate", {
        token,
        body: { source_language: "eng", target_language: "lug", text: "Thank you" },
      }),
    upload: (token) =>
      call("/tasks/uploads", {
        token,
        body: { file_name: "a.wav", content_type: "audio/wav", size: 6_000_000 },
      }),
  };

  it.each(Object.entries(tasks))(
    "is moved to items of its own by the next request to %s",
    async (_, send) => {
      const { id, token } = await createAccount();
      await addOldUsage(stored, id);
      expect((await send(token)).status).toBeLessThan(300);
      await expect.poll(() => hasMovedUsage(stored, id), { timeout: 10_000 }).toBe(true);
    },
  );
});

describe.runIf(isLocal)("Everything that belongs to an account", () => {
  const byItsOwner = ({ token, password }: TestAccount) =>
    call("/auth/me", { method: "DELETE", token, body: { password } });

  const inTheConsole = async (account: TestAccount) => {
    const { visitor } = await logInTo(account);
    const settings = "/console/account";
    const form = { action: "delete-account", password: account.password };
    return visitor.send(await visitor.open(`${settings}?section=data`), settings, form);
  };

  const onceItIsDue = async ({ id }: TestAccount) => {
    await stored.table.update({
      Key: accountKeys.access(id),
      UpdateExpression: "SET disabled = :yes",
      ExpressionAttributeValues: { ":yes": true },
    });
    await stored.table.put({ ...accountKeys.erasure("2026-01-01T00:00:00.000Z", id), user_id: id });
    return invoke("erasure", {});
  };

  const byAnOperator = async ({ username }: TestAccount) => {
    const { code, output } = await operate("account", username, "--delete", "--yes");
    return { status: code === 0 ? 200 : 500, body: output };
  };

  it.each([
    ["its owner", byItsOwner],
    ["its owner, in the console", inTheConsole],
    ["the daily erasure, once it is due", onceItIsDue],
    ["an operator", byAnOperator],
  ])("is deleted by %s", async (_, erase) => {
    const account = await createAccount();
    await addOldUsage(stored, account.id);
    const everything = await storeEverything(stored, account.id);
    expect(await remainsOf(stored, everything)).toHaveLength(
      everything.keys.length + everything.objects.length,
    );
    const erased = await erase(account);
    expect(erased.status, JSON.stringify(erased)).toBeLessThan(300);
    expect(await remainsOf(stored, everything)).toEqual([]);
    expect(await hasMovedUsage(stored, account.id)).toBe(true);
  });
});

describe.runIf(isLocal)("An account of an older version", () => {
  it("gets its mails", async () => {
    const { id: userId } = await createAccount();
    await makeOlder(stored, userId);
    const body = JSON.stringify({ kind: "verify-email", userId });
    const record = { messageId: `older-${userId}`, body, attributes: {}, messageAttributes: {} };
    const { status, body: result } = await invoke("mail", { Records: [record] });
    expect([status, result]).toEqual([200, expect.stringContaining('"batchItemFailures":[]')]);
    expect(await stored.table.read({ Key: accountKeys.access(userId) })).toMatchObject({ disabled: false });
  });

  it("is shown to operators", async () => {
    const { id, username } = await createAccount();
    await makeOlder(stored, id);
    expect((await operate("account", username, "--show")).output).toContain(`"username": "${username}"`);
    expect(await stored.table.read({ Key: accountKeys.access(id) })).toMatchObject({ disabled: false });
  });

  it("is erased once it is due", async () => {
    const { id } = await createAccount();
    await makeOlder(stored, id, { disabled: true });
    await stored.table.put({ ...accountKeys.erasure("2026-01-01T00:00:00.000Z", id), user_id: id });
    expect(await invoke("erasure", {})).toMatchObject({ status: 200 });
    expect(await stored.table.read({ Key: accountKeys.profile(id) })).toBeUndefined();
  });
});

describe.runIf(isLocal)("An operator", () => {
  it("sees and lifts the block that a bounce has put on an address", async () => {
    const { username, email } = await createAccount();
    const bounce = await readFile("events/mail-feedback/bounce.json", "utf8");
    const address = /"emailAddress": "([^"]+)"/.exec(bounce)?.[1] ?? "";
    expect((await invoke("mail-feedback", JSON.parse(bounce.replaceAll(address, email)))).status).toBe(200);
    expect((await operate("account", username, "--show")).output).toContain('"reason": "bounce"');
    const { output } = await operate("account", username, "--allow-mail", "--type", "Premium");
    expect(JSON.parse(output)).toMatchObject({ account_type: "Premium", mail_withheld: null });
  });

  it("revokes keys, one or all", async () => {
    const { username, token } = await createAccount();
    const ids = [];
    for (const name of ["one", "two", "three"]) {
      ids.push((await call("/auth/keys", { token, body: { name } })).body.id);
    }
    const listed = async (...args: string[]) =>
      JSON.parse((await operate("account", username, "--keys", ...args)).output).keys.length;
    expect([await listed(), await listed("--revoke-key", ids[0]), await listed("--revoke-keys")]).toEqual([
      3, 2, 0,
    ]);
  });

  it("deletes the assistant's data about a person", async () => {
    const sender = `2567${Date.now()}`;
    const name = { userId: assistantId, jobId: `job-${sender}` };
    const note = `${voiceNotesFolder}${name.jobId}`;
    const keys = [messagingKeys.conversation(sender), jobKeys.job(name), jobKeys.waiting(name)];
    for (const key of keys) await stored.table.put({ ...key, long_recording: { job_id: name.jobId } });
    for (const object of [note, jobObjects.plan(name)]) await stored.putObject(object);
    expect((await operate("account", "--forget-sender", sender)).code).toBe(0);
    expect(await remainsOf(stored, { keys, objects: [note, jobObjects.plan(name)] })).toEqual([]);
  });

  it("reports the usage of a month, with that of today", async () => {
    const { id, token } = await createAccount();
    const body = { source_language: "eng", target_language: "lug", text: "Thank you" };
    await call("/tasks/translate", { token, body });
    const report = async () =>
      (await operate("usage", "--month", new Date().toISOString().slice(0, 7), "--format", "json")).output;
    await expect.poll(report, { timeout: 20_000 }).toContain(`"account": ${id},`);
  });
});

describe.runIf(isLocal)("The canary", () => {
  it("reads its key", async () => {
    expect(await invoke("canary", {})).toMatchObject({ status: 200 });
  });
});
