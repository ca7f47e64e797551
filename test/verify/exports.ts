import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { accountExport } from "../../shared/accounts/export/request-export.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { runService } from "../support/run-service.ts";
import { type Part, ToolMissing, type Verdict } from "./run-parts.ts";
import { runToEnd } from "./tools.ts";

/** Opens the archive with Python's zipfile, checks each file's checksum, and prints the names. */
const program = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    broken = archive.testzip()
    if broken: sys.exit("damaged: " + broken)
    json.loads(archive.read("account.json"))
    print("\\n".join(archive.namelist()))
`;

const wanted = ["account.json", "access.json", "keys.json", "sessions.json", "usage.csv", "README.txt"];

/** An account that has spoken, and its archive. */
const downloadExport = async (url: string): Promise<Buffer> => {
  const username = `verify-${randomUUID().slice(0, 12)}`;
  const password = `seven storks ${randomUUID()}`;
  const post = async (path: string, body: object, token = "") => {
    const headers = {
      "Content-Type": "application/json",
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  };
  await post("/auth/register", { username, email: `${username}@example.com`, password });
  const form = new URLSearchParams({ username, password });
  const { access_token: token } = Object(
    await (await fetch(`${url}/auth/token`, { method: "POST", body: form })).json(),
  );
  await post("/tasks/audio/speech", { text: "Wasuze otya nno?" }, token);
  await post("/auth/me/export", { password }, token);
  for (let attempts = 0; attempts < 30; attempts += 1) {
    await pause(1_000);
    const response = await fetch(`${url}/auth/me/export`, { headers: { Authorization: `Bearer ${token}` } });
    const { url: link } = accountExport.parse(await response.json());
    if (link) return Buffer.from(await (await fetch(link)).arrayBuffer());
  }
  throw new Error("The export is not ready after 30 seconds.");
};

const run = async (command: string, args: readonly string[]): Promise<string> => {
  const ended = await runToEnd(command, args).catch((error: unknown) => {
    throw new ToolMissing(
      `${command} is not on this machine: ${error instanceof Error ? error.message : error}`,
    );
  });
  if (ended.code !== 0) throw new Error(`${command} says: ${ended.output.trim()}`);
  return ended.output;
};

const check = (directory: string) => async (): Promise<Verdict> => {
  const service = await runService({ PORT: "0", DATA_DIR: join(directory, "data") });
  try {
    const file = join(directory, "export.zip");
    await writeFile(file, await downloadExport(service.url));
    await run("unzip", ["-t", "-q", file]);
    const names = (await run("python3", ["-c", program, file])).trim().split("\n");
    const missing = wanted.filter((name) => !names.includes(name));
    if (!names.some((name) => name.startsWith("speech/"))) missing.push("speech/");
    if (missing.length > 0)
      return { kind: "failed", findings: missing.map((name) => `The archive has no ${name}.`) };
    return { kind: "passed", said: `both open an archive with ${names.length} files` };
  } finally {
    await service.stop();
  }
};

/** The archive of an account's export, opened by programs that people have. */
export const exportsPart: Part = {
  name: "unzip and Python's zipfile open an export",
  run: () => withTemporaryDirectory((directory) => check(directory)()),
};
