import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type RunningService, runCommand, runService } from "../../support/run-service.ts";

let folder: string;
let service: RunningService;
let stream: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "language-ai-first-"));
  service = await runService({ PORT: "0", DATA_DIR: join(folder, "data") });
  const routes: unknown = await (await fetch(`${service.url}/_local/routes`)).json();
  stream = z.object({ chat_stream_url: z.string() }).parse(routes).chat_stream_url;
}, 60_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** Stand-ins for the programs of a deployment, which record how they were called. */
const writePrograms = async (failing = ""): Promise<string> => {
  const directory = await mkdtemp(join(folder, "programs-"));
  const outputs = {
    "LanguageAi-dev-Api": { ApiUrl: service.url, ChatStreamUrl: `${stream}/` },
    "LanguageAi-dev-Data": { TableName: "table" },
  };
  const script = `#!/usr/bin/env node
    const { appendFileSync, writeFileSync } = require("node:fs");
    const call = [require("node:path").basename(__filename), ...process.argv.slice(2)].join(" ");
    appendFileSync(${JSON.stringify(join(directory, "calls"))}, call + "\\n");
    const at = process.argv.indexOf("--outputs-file");
    if (at > 0) writeFileSync(process.argv[at + 1], ${JSON.stringify(JSON.stringify(outputs))});
    if (call.includes(" scan ")) console.log("12");
    process.exitCode = ${JSON.stringify(failing)} !== "" && call.includes(${JSON.stringify(failing)}) ? 1 : 0;`;
  for (const name of ["npx", "npm", "aws"]) {
    await writeFile(join(directory, name), script);
    await chmod(join(directory, name), 0o755);
  }
  return directory;
};

const deploy = async (args: readonly string[], given: Record<string, string> = {}, failing = "") => {
  const programs = await writePrograms(failing);
  const variables = {
    PATH: `${programs}:${process.env["PATH"]}`,
    CHAT_BASE_URL: "https://models.example.org/v1",
    MAIL_FROM: "no-reply@example.org",
    ...given,
  };
  const command = runCommand("infra/commands/first-deployment/main.ts", args, variables);
  const code = await command.ended;
  const calls = await readFile(join(programs, "calls"), "utf8").catch(() => "");
  return { code, output: command.output(), calls: calls.trim().split("\n") };
};

const rowsIn = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));

describe("The first deployment", { timeout: 120_000 }, () => {
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
    const { code, output, calls } = await deploy(["--requests"], {
      BASE_URL: service.url,
      CHAT_STREAM_URL: `${service.url}/no-such-path`,
    });
    expect(code).toBe(1);
    expect(calls).toEqual([""]);
    const failed = rowsIn(output).filter(([, , seen]) => seen?.startsWith("FAILED"));
    expect(failed.map(([step]) => step)).toEqual([
      "7 MB to the chat function's URL, above Lambda's limit",
      "chat, streamed at the function's URL",
    ]);
  });

  it.each([
    [["prod", "--destroy"], {}, 'The stage "prod" retains its data'],
    [["nowhere"], {}, 'There is no stage "nowhere"'],
    [[], {}, "Name one stage, such as dev."],
    [["--requests"], {}, "Set BASE_URL and CHAT_STREAM_URL."],
  ])("refuses %j", async (args, given, sentence) => {
    const { code, output, calls } = await deploy(args, given);
    expect(output).toContain(sentence);
    expect(code).toBe(1);
    expect(calls).toEqual([""]);
  });
});
