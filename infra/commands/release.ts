/** `npm run release -- prod`: deploys a stage, tests it, and rolls back to the previous release when a test fails. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deployedStage } from "../stages.ts";
import { runCommandLine, UsageError } from "./command-line.ts";
import { localTarget } from "./local-target.ts";
import { awsTarget, type ReleaseTarget, type RunProgram } from "./release-target.ts";

const usage = `Usage: npm run release -- <stage>
       npm run release -- local

Deploys a stage without asking, then runs the smoke tests against it (npm run smoke). When they pass, the tag released/<stage>
moves to this commit. When they fail, the command deploys the commit of that tag again, except for the data stack, and fails.
The smoke tests need SMOKE_USERNAME, SMOKE_PASSWORD and SMOKE_KEY, which "npm run account -- <username> --smoke" prints once.

"local" does the same on this machine, at the limits of a deployment: it starts the service from its templates in DATA_DIR
(.local/release), and creates the account of the smoke tests itself.`;

const runProgram: RunProgram = async (program, args, { cwd, variables } = {}) => {
  const child = spawn(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...variables } });
  const [code]: unknown[] = await once(child, "close");
  return typeof code === "number" ? code : 1;
};

const tagOf = (stage: string): string => `released/${stage}`;

/** Checks out the previous release with its packages. @throws Error that names the step that failed. */
const checkOutPrevious = async (stage: string, folder: string, run: RunProgram): Promise<string> => {
  const previous = join(folder, "before");
  const steps: readonly (readonly [string, readonly string[], string?])[] = [
    ["git", ["worktree", "add", "--detach", previous, tagOf(stage)]],
    ["npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], previous],
  ];
  for (const [program, args, cwd] of steps) {
    const code = await run(program, args, cwd === undefined ? {} : { cwd });
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
  }
  return previous;
};

/** Deploys the previous release of a stage. @returns how it does in its own smoke tests. */
const goBack = async (
  stage: string,
  folder: string,
  target: ReleaseTarget,
  run: RunProgram,
): Promise<string> => {
  try {
    const previous = await checkOutPrevious(stage, folder, run);
    const variables = await target.deploy(previous);
    // Releases before 2.5.0 have no smoke tests.
    const failed = await run("npm", ["run", "--if-present", "smoke"], { cwd: previous, variables });
    return failed === 0
      ? ""
      : " It fails its own smoke tests, too: check the models and the account of the tests before you release again.";
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The smoke tests failed, and the rollback to ${tagOf(stage)} failed: ${reason}. ` +
        "CodeDeploy and CloudFormation still have the previous version; infra/handbook/release.md says how to restore it.",
    );
  }
};

/**
 * Deploys a stage, tests it, and rolls back when a test fails.
 *
 * @param createTarget gets a folder for temporary files.
 * @throws Error when the stage was not released.
 */
export const release = async (
  stage: string,
  createTarget: (folder: string) => ReleaseTarget,
  run: RunProgram = runProgram,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-release-"));
  const target = createTarget(folder);
  try {
    const variables = await target.deploy();
    if ((await run("npm", ["run", "smoke"], { variables })) !== 0) {
      const remark = await goBack(stage, folder, target, run);
      throw new Error(`The smoke tests failed; the previous release is deployed again.${remark}`);
    }
    await run("git", ["tag", "--force", tagOf(stage)]);
  } finally {
    await target.close();
    await rm(folder, { recursive: true, force: true });
    await run("git", ["worktree", "prune"]);
  }
};

const requireAccount = (): void => {
  const missing = ["SMOKE_USERNAME", "SMOKE_PASSWORD", "SMOKE_KEY"].filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  throw new Error(
    `Set ${missing.join(", ")}, the account of the smoke tests: npm run account -- <username> --smoke --table <TableName> prints them.`,
  );
};

if (import.meta.main) {
  await runCommandLine(usage, async (args) => {
    const { positionals } = parseArgs({ args, allowPositionals: true });
    const [name] = positionals;
    if (!name || positionals.length > 1) throw new UsageError("Name one stage, such as prod.");
    if (name === "local") return release(name, localTarget);
    const stage = deployedStage(name, process.env);
    requireAccount();
    return release(name, (folder) => awsTarget(stage, folder, runProgram));
  });
}
