/** `npm run release -- prod`: deploys a stage, tests it, and rolls back to the previous release when a test fails. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { deployedStage } from "../stages.ts";
import { runCommandLine, UsageError } from "./command-line.ts";

const usage = `Usage: npm run release -- <stage>

Deploys a stage without asking, then runs the conformance tests against it. When they pass, the tag released/<stage> moves to
this commit. When they fail, the command deploys the commit of that tag again, except for the data stack, and fails.
With strict limits for addresses the tests take minutes, because they wait as long as the service demands.`;

/** Runs a program with its output on this terminal. @returns its exit code. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  options?: { readonly cwd?: string; readonly variables?: Readonly<Record<string, string>> },
) => Promise<number>;

const runProgram: RunProgram = async (program, args, { cwd, variables } = {}) => {
  const child = spawn(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...variables } });
  const [code]: unknown[] = await once(child, "close");
  return typeof code === "number" ? code : 1;
};

const outputs = z.record(z.string(), z.record(z.string(), z.string()));

/** Returns the addresses of a stage from the outputs of its deployment. */
const addressesIn = (text: string, stage: string): Record<string, string> => {
  const { ApiUrl, ChatStreamUrl } = outputs.parse(JSON.parse(text))[`LanguageAi-${stage}-Api`] ?? {};
  if (!ApiUrl) throw new Error("The deployment has no output ApiUrl, the address of the API.");
  return { BASE_URL: ApiUrl, ...(ChatStreamUrl ? { CHAT_STREAM_URL: ChatStreamUrl } : {}) };
};

const deployArguments = (stage: string): string[] => ["-c", `stage=${stage}`, "--require-approval", "never"];

/**
 * Deploys the previous release of a stage, from a separate folder.
 *
 * The data stack stays as the newer commit has left it. It comes first in the order and would delete exports that the newer API
 * and workers still import, which CloudFormation refuses.
 */
const goBack = async (stage: string, folder: string, run: RunProgram): Promise<void> => {
  const tag = `released/${stage}`;
  const cwd = join(folder, "before");
  const steps: readonly (readonly [string, readonly string[], string?])[] = [
    ["git", ["worktree", "add", "--detach", cwd, tag]],
    ["npm", ["ci"], cwd],
    [
      "npx",
      ["cdk", "deploy", `LanguageAi-${stage}-!(Data)`, "--exclusively", ...deployArguments(stage)],
      cwd,
    ],
  ];
  for (const [program, args, directory] of steps) {
    const code = await run(program, args, directory === undefined ? {} : { cwd: directory });
    if (code !== 0) {
      throw new Error(
        `The conformance tests failed, and the rollback to ${tag} failed at: ${program} ${args.join(" ")}. ` +
          "CodeDeploy and CloudFormation still have the previous version; infra/handbook/release.md says how to restore it.",
      );
    }
  }
};

/**
 * Deploys a stage, tests it, and rolls back when a test fails.
 *
 * @throws Error when the stage was not released.
 */
export const release = async (stage: string, run: RunProgram = runProgram): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-release-"));
  try {
    const outputsFile = join(folder, "outputs.json");
    const deployment = ["cdk", "deploy", "--all", ...deployArguments(stage), "--outputs-file", outputsFile];
    if ((await run("npx", deployment)) !== 0) {
      throw new Error("The deployment failed; CloudFormation has rolled back.");
    }
    const variables = addressesIn(await readFile(outputsFile, "utf8"), stage);
    const failed = await run("npx", ["vitest", "run", "--project", "conformance"], { variables });
    if (failed !== 0) {
      await goBack(stage, folder, run);
      throw new Error("The conformance tests failed; the previous release is deployed again.");
    }
    await run("git", ["tag", "--force", `released/${stage}`]);
  } finally {
    await run("git", ["worktree", "prune"]);
    await rm(folder, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  await runCommandLine(usage, async (args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true });
    const [stage] = positionals;
    if (!stage || positionals.length > 1) throw new UsageError("Name one stage, such as prod.");
    deployedStage(stage, process.env);
    await release(stage);
  });
}
