import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { accountExport } from "../../shared/accounts/export/request-export.ts";
import { createAccount } from "../load/accounts.ts";
import { speak, withLocalService } from "./local-service.ts";
import { type Part, ToolMissing, verdictOf } from "./run-parts.ts";
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

/** The archive of an account that has spoken. */
const downloadExport = async (url: string, directory: string): Promise<Buffer> => {
  const { token, password } = await createAccount(url, directory);
  await speak(url, token, { text: "Wasuze otya nno?", response_mode: "url" });
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const body = JSON.stringify({ password });
  const requested = await fetch(`${url}/auth/me/export`, { method: "POST", headers, body });
  if (!requested.ok) throw new Error(`An export was refused: ${await requested.text()}`);
  for (let attempts = 0; attempts < 30; attempts += 1) {
    await pause(1_000);
    const response = await fetch(`${url}/auth/me/export`, { headers });
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

/** The archive of an account's export, opened by programs that people have. */
export const exportsPart: Part = {
  name: "unzip and Python's zipfile open an export",
  paths: ["shared/accounts/export", "functions/export"],
  run: () =>
    withLocalService(async ({ url, directory }) => {
      const file = join(directory, "export.zip");
      await writeFile(file, await downloadExport(url, directory));
      await run("unzip", ["-t", "-q", file]);
      const names = (await run("python3", ["-c", program, file])).trim().split("\n");
      const missing = wanted.filter((name) => !names.includes(name));
      if (!names.some((name) => name.startsWith("speech/"))) missing.push("speech/");
      return verdictOf(
        missing.map((name) => `The archive has no ${name}.`),
        `both open an archive with ${names.length} files`,
      );
    }),
};
