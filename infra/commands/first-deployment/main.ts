/** `npm run first-deployment -- dev`: deploys a stage for the first time, and records what only AWS can show. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { runCommandLine, UsageError } from "../../command-line.ts";
import { deployedStage, type Stage } from "../../stages.ts";
import { type Check, requestChecks, type Target } from "./checks.ts";

const usage = `Usage: npm run first-deployment -- <stage> [--destroy]
       npm run first-deployment -- --requests

Bootstraps the account and region, deploys the stage, sends it requests whose responses only AWS can show, releases it with its smoke tests,
and restores its table into a second one, which it then deletes. It prints a table, which is also in
.build/first-deployment.md; infra/first-deployment.md says what to do by hand, and has room for the results. It needs the AWS CLI and
its credentials. It costs about a dollar (npm run costs).

  --destroy    deletes the stage and its data at the end; the stage must have REMOVAL set to destroy
  --requests   only sends the requests, to BASE_URL and CHAT_STREAM_URL`;

const folder = ".build";
const outputsFile = join(folder, "first-deployment-outputs.json");

/** Runs a program, with its output on this terminal. @returns the last line of its output. @throws Error when it fails. */
const run = async (program: string, ...args: readonly string[]): Promise<string> => {
  const child = spawn(program, args, { stdio: ["inherit", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    process.stdout.write(piece);
    text += piece;
  });
  const [code]: unknown[] = await once(child, "close");
  if (code !== 0)
    throw new Error(`\`${program} ${args.slice(0, 3).join(" ")} …\` ended with ${String(code)}`);
  return text.trim().split("\n").at(-1) ?? "";
};

const outputs = z.record(z.string(), z.record(z.string(), z.string()));

/** Reads an output of the deployment. @throws Error when the deployment has none with this name. */
const readOutput = async ({ prefix }: Stage, stack: string, name: string): Promise<string> => {
  const all = outputs.parse(JSON.parse(await readFile(outputsFile, "utf8")));
  const value = all[`${prefix}-${stack}`]?.[name];
  if (!value) throw new Error(`The deployment has no output ${name}.`);
  return value;
};

const withoutSlash = (address: string): string => address.replace(/\/$/, "");

/** Without these steps there is nothing to check. */
const deploymentSteps = ({ name }: Stage): Check[] => [
  {
    what: "`npx cdk bootstrap`",
    expected: "ends with 0",
    run: () => run("npx", "cdk", "bootstrap", "-c", `stage=${name}`),
  },
  {
    what: "`npx cdk deploy --all`",
    expected: "creates all stacks; the minutes",
    run: async () => {
      const startedAt = Date.now();
      const options = ["--require-approval", "never", "--outputs-file", outputsFile];
      await run("npx", "cdk", "deploy", "--all", "-c", `stage=${name}`, ...options);
      return `${Math.round((Date.now() - startedAt) / 60_000)} minutes`;
    },
  },
];

const releaseStep = ({ name }: Stage): Check => ({
  what: "`npm run release`: the smoke tests",
  expected: "all pass",
  run: async () => {
    if (!process.env["SMOKE_KEY"]) return "left out: infra/handbook/release.md says how to create SMOKE_KEY";
    await run("npm", "run", "release", "--", name);
    return "passed";
  },
});

const restoreStep = (stage: Stage): Check => ({
  what: "the table, restored to the latest time into a second table",
  expected: "its items; the minutes",
  run: async () => {
    const startedAt = Date.now();
    const table = await readOutput(stage, "Data", "TableName");
    const drill = `${table}-drill`;
    const aws = (operation: string, ...args: readonly string[]) => run("aws", "dynamodb", operation, ...args);
    const names = ["--source-table-name", table, "--target-table-name", drill];
    await aws(
      "restore-table-to-point-in-time",
      ...names,
      "--use-latest-restorable-time",
      "--query",
      "TableDescription.TableStatus",
    );
    // It waits eight minutes and then fails; a restore may take longer.
    const wait = () => run("aws", "dynamodb", "wait", "table-exists", "--table-name", drill);
    await wait().catch(wait).catch(wait);
    const items = await aws("scan", "--table-name", drill, "--select", "COUNT", "--query", "Count");
    await aws("delete-table", "--table-name", drill, "--query", "TableDescription.TableStatus");
    return `${items} items, ${Math.round((Date.now() - startedAt) / 60_000)} minutes`;
  },
});

const destroyStep = ({ name }: Stage): Check => ({
  what: "`npx cdk destroy --all`",
  expected: "ends with 0, and leaves no bucket",
  run: () => run("npx", "cdk", "destroy", "--all", "--force", "-c", `stage=${name}`),
});

interface Outcome extends Check {
  readonly seen: string;
  readonly hasFailed: boolean;
}

const attempt = async (check: Check): Promise<Outcome> => {
  process.stdout.write(`${check.what}\n`);
  try {
    return { ...check, seen: await check.run(), hasFailed: false };
  } catch (error) {
    return {
      ...check,
      seen: `FAILED: ${error instanceof Error ? error.message : String(error)}`,
      hasFailed: true,
    };
  }
};

/** @param isNeeded whether the checks after a failed one make no sense. */
const attemptAll = async (checks: readonly Check[], isNeeded = false): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const check of checks) {
    const outcome = await attempt(check);
    outcomes.push(outcome);
    if (outcome.hasFailed && isNeeded) break;
  }
  return outcomes;
};

/** Prints the table and writes it into a file. @throws Error when a step has failed. */
const report = async (outcomes: readonly Outcome[]): Promise<void> => {
  const rows = outcomes.map(
    ({ what, expected, seen }) => `| ${what} | ${expected} | ${seen.replaceAll("\n", " ")} |`,
  );
  const table = ["| step | what should happen | what happened |", "| --- | --- | --- |", ...rows].join("\n");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "first-deployment.md"), `${table}\n`);
  process.stdout.write(`\n${table}\n`);
  const failed = outcomes.filter(({ hasFailed }) => hasFailed).length;
  if (failed > 0) throw new Error(`${failed} of ${outcomes.length} steps failed.`);
};

const deployAndCheck = async (stage: Stage, isDestroyed: boolean): Promise<Outcome[]> => {
  const deployed = await attemptAll(deploymentSteps(stage), true);
  if (deployed.some(({ hasFailed }) => hasFailed)) return deployed;
  const target: Target = {
    api: withoutSlash(await readOutput(stage, "Api", "ApiUrl")),
    stream: withoutSlash(await readOutput(stage, "Api", "ChatStreamUrl")),
  };
  const rest = [...requestChecks(target), releaseStep(stage), restoreStep(stage)];
  return [...deployed, ...(await attemptAll([...rest, ...(isDestroyed ? [destroyStep(stage)] : [])]))];
};

await runCommandLine(usage, async (args) => {
  const options = {
    destroy: { type: "boolean", default: false },
    requests: { type: "boolean", default: false },
  } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.requests) {
    const { BASE_URL: api, CHAT_STREAM_URL: stream } = process.env;
    if (!api || !stream) throw new UsageError("Set BASE_URL and CHAT_STREAM_URL.");
    return report(await attemptAll(requestChecks({ api: withoutSlash(api), stream: withoutSlash(stream) })));
  }
  const [name, ...others] = positionals;
  if (!name || others.length > 0) throw new UsageError("Name one stage, such as dev.");
  const stage = deployedStage(name, process.env);
  if (values.destroy && stage.settings.REMOVAL !== "destroy") {
    throw new UsageError(`The stage "${name}" retains its data, so this command does not destroy it.`);
  }
  await mkdir(folder, { recursive: true });
  return report(await deployAndCheck(stage, values.destroy));
});
