/** `npm run release -- prod`: deploys a stage, tests it, and rolls back to the previous release when a test fails. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { runCommandLine, UsageError } from "../command-line.ts";
import { deployedStage } from "../stages.ts";
import { localTarget } from "./local-target.ts";
import { awsTarget, type ReleaseTarget, type RunProgram } from "./release-target.ts";

const usage = `Usage: npm run release -- <stage> [--back]
       npm run release -- local [--back]

Deploys a stage without asking, then runs the smoke tests against it (npm run smoke). When they pass, the tag released/<stage>
moves to this commit, and released/<stage>-before to the one that it replaces. When they fail, the command deploys the commit of
released/<stage> again, at once and except for the data stack, and fails. --back deploys released/<stage>-before in the same way.
The smoke tests need SMOKE_USERNAME, SMOKE_PASSWORD and SMOKE_KEY, which "npm run account -- <username> --smoke" prints once.

"local" does the same on this machine, at the limits of a deployment: it starts the service from its templates in DATA_DIR
(.local/release), and creates the account of the smoke tests itself.`;

const runProgram: RunProgram = async (program, args, { cwd, variables } = {}) => {
  const child = spawn(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...variables } });
  const [code]: unknown[] = await once(child, "close");
  return typeof code === "number" ? code : 1;
};

const tagOf = (stage: string): string => `released/${stage}`;

const tagBeforeOf = (stage: string): string => `${tagOf(stage)}-before`;

/** What a release needs of this machine. */
export interface ReleaseTools {
  readonly run: RunProgram;
  /** Returns the commit of a tag or `HEAD`; `undefined` when there is no such tag. */
  readonly commitOf: (name: string) => Promise<string | undefined>;
}

const thisMachine: ReleaseTools = {
  run: runProgram,
  commitOf: async (name) => {
    const args = ["rev-parse", "--verify", "--quiet", `${name}^{commit}`];
    const result = await promisify(execFile)("git", args).catch(() => undefined);
    return result?.stdout.trim();
  },
};

/** Checks out an earlier release with its packages. @throws Error that names the step that failed. */
const checkOut = async (tag: string, folder: string, { run }: ReleaseTools): Promise<string> => {
  const previous = join(folder, "before");
  const steps: readonly (readonly [string, readonly string[], string?])[] = [
    ["git", ["worktree", "add", "--detach", previous, tag]],
    ["npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], previous],
  ];
  for (const [program, args, cwd] of steps) {
    const code = await run(program, args, cwd === undefined ? {} : { cwd });
    if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
  }
  return previous;
};

/** Deploys the release of a tag, without its data stack and at once. @returns how it does in its own smoke tests. */
const deployEarlier = async (
  tag: string,
  folder: string,
  target: ReleaseTarget,
  tools: ReleaseTools,
): Promise<string> => {
  const previous = await checkOut(tag, folder, tools);
  const variables = await target.deploy(previous);
  // Releases before 2.5.0 have no smoke tests.
  const failed = await tools.run("npm", ["run", "--if-present", "smoke"], { cwd: previous, variables });
  return failed === 0
    ? ""
    : " It fails its own smoke tests, too: check the models and the account of the tests before you release again.";
};

/** Replaces a release that has failed its tests. @returns a remark about the one that is deployed again. */
const goBack = async (
  stage: string,
  folder: string,
  target: ReleaseTarget,
  tools: ReleaseTools,
): Promise<string> => {
  try {
    return await deployEarlier(tagOf(stage), folder, target, tools);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The smoke tests failed, and the rollback to ${tagOf(stage)} failed: ${reason}. ` +
        "CodeDeploy and CloudFormation still have the previous version; infra/handbook/release.md says how to restore it.",
    );
  }
};

/** Remembers this commit as the release of a stage, and the one that it replaces as the one before. */
const moveTags = async (stage: string, { run, commitOf }: ReleaseTools): Promise<void> => {
  const released = await commitOf(tagOf(stage));
  if (released !== undefined && released !== (await commitOf("HEAD"))) {
    await run("git", ["tag", "--force", tagBeforeOf(stage), released]);
  }
  await run("git", ["tag", "--force", tagOf(stage)]);
};

/** Calls a function with a target and a folder for temporary files, and removes both. */
const withTarget = async (
  createTarget: (folder: string) => ReleaseTarget,
  { run }: ReleaseTools,
  use: (target: ReleaseTarget, folder: string) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "language-ai-release-"));
  const target = createTarget(folder);
  try {
    await use(target, folder);
  } finally {
    await target.close();
    await rm(folder, { recursive: true, force: true });
    await run("git", ["worktree", "prune"]);
  }
};

/**
 * Deploys a stage, tests it, and rolls back when a test fails.
 *
 * @param createTarget gets a folder for temporary files.
 * @throws Error when the stage was not released.
 */
export const release = (
  stage: string,
  createTarget: (folder: string) => ReleaseTarget,
  tools: ReleaseTools = thisMachine,
): Promise<void> =>
  withTarget(createTarget, tools, async (target, folder) => {
    const variables = await target.deploy();
    if ((await tools.run("npm", ["run", "smoke"], { variables })) !== 0) {
      const remark = await goBack(stage, folder, target, tools);
      throw new Error(`The smoke tests failed; the previous release is deployed again.${remark}`);
    }
    await moveTags(stage, tools);
  });

/**
 * Replaces the release of a stage by the one before.
 *
 * @throws Error when no release before is known, or it is not deployed, or it fails its smoke tests.
 */
export const releaseBack = async (
  stage: string,
  createTarget: (folder: string) => ReleaseTarget,
  tools: ReleaseTools = thisMachine,
): Promise<void> => {
  const before = await tools.commitOf(tagBeforeOf(stage));
  if (before === undefined) {
    throw new Error(
      `There is no tag ${tagBeforeOf(stage)}, so the release before is unknown: fetch the tags (git fetch --force --tags). ` +
        "A stage has it from its second release by this command on.",
    );
  }
  if (before === (await tools.commitOf(tagOf(stage)))) {
    throw new Error(
      `The release before, ${before}, is deployed already. Check out an older commit and release it.`,
    );
  }
  await withTarget(createTarget, tools, async (target, folder) => {
    const remark = await deployEarlier(before, folder, target, tools);
    await tools.run("git", ["tag", "--force", tagOf(stage), before]);
    if (remark) throw new Error(`The release before, ${before}, is deployed.${remark}`);
  });
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
    const options = { back: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [name] = positionals;
    if (!name || positionals.length > 1) throw new UsageError("Name one stage, such as prod.");
    const act = values.back ? releaseBack : release;
    if (name === "local") return act(name, localTarget);
    const stage = deployedStage(name, process.env);
    requireAccount();
    return act(name, (folder) => awsTarget(stage, folder, runProgram));
  });
}
