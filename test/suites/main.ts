/** `npm test` and the two larger suites: runs them, prints what they used, and compares that with `.ci/suites.json`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine, UsageError } from "../../infra/command-line.ts";
import { setup as buildFunctions } from "../support/build-functions.ts";
import { judge } from "./bounds.ts";
import { type Measured, type MeasuredOptions, runMeasured } from "./measured.ts";
import { differFromRelease, packages, testFolders } from "./projects.ts";

const usage = `Usage: npm test [-- <file or option of vitest>]
       npm run test:all
       npm run test:release

test/README.md says what each of them runs. With REPORTS=<folder>, vitest also writes its report as JSON there.`;

const root = join(import.meta.dirname, "../..");
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Prints what a suite used. @returns whether it passed and used no more than it may. */
const isFine = (suite: string, measured: Measured): boolean => {
  const { lines, isBeyond } = judge(suite, measured);
  for (const line of lines) say(line);
  return measured.code === 0 && !isBeyond;
};

const runVitest = (
  report: string,
  projects: readonly string[],
  args: readonly string[] = [],
  options: MeasuredOptions = {},
): Promise<Measured> => {
  const { REPORTS: folder } = process.env;
  const reporters = folder
    ? ["--reporter=default", "--reporter=json", `--outputFile.json=${join(folder, `${report}.json`)}`]
    : [];
  const chosen = projects.map((name) => `--project=${name}`);
  return runMeasured(
    [join(root, "node_modules/vitest/vitest.mjs"), "run", ...chosen, ...reporters, ...args],
    options,
  );
};

/** Those that a change may have broken; all others run with everything. */
const changedPackages = packages.filter((name) => differFromRelease([`infra/packages/${name}`]));

const runTest = (args: readonly string[]): Promise<Measured> =>
  runVitest("test", [...testFolders, ...changedPackages], args);

const runRest = (): Promise<Measured> => {
  const others = packages.filter((name) => !changedPackages.includes(name));
  return runVitest("rest", [...testFolders.map((name) => `${name}-slow`), "smoke", ...others, "endurance"]);
};

const sum = ([first, ...others]: readonly [Measured, ...Measured[]]): Measured =>
  others.reduce(
    (all, { code, cpuSeconds, wallSeconds }) => ({
      code: all.code || code,
      cpuSeconds:
        all.cpuSeconds === undefined || cpuSeconds === undefined ? undefined : all.cpuSeconds + cpuSeconds,
      wallSeconds: all.wallSeconds + wallSeconds,
    }),
    first,
  );

const runAll = async (): Promise<boolean> => {
  await buildFunctions();
  const test = await runTest([]);
  const isTestFine = isFine("npm test", test);
  const rest = await runRest();
  isFine("the rest of npm run test:all", rest);
  return isFine("npm run test:all", sum([test, rest])) && isTestFine;
};

/** What takes hours together. Each part runs even when one before it failed. */
const runRelease = async (): Promise<boolean> => {
  await buildFunctions();
  const verify = join(root, "test/verify/main.ts");
  const parts: readonly (readonly [string, () => Promise<Measured>])[] = [
    ["endurance", () => runVitest("release", ["endurance"], [], { variables: { ENDURANCE: "1" } })],
    ["npm run fuzz", () => runMeasured([join(root, "test/fuzz/main.ts")])],
    ["npm run verify", () => runMeasured([verify])],
    ["npm run verify -- --only permissions", () => runMeasured([verify, "--only", "permissions"])],
  ];
  let areFine = true;
  for (const [name, run] of parts) areFine = isFine(name, await run()) && areFine;
  return areFine;
};

const ticksPerSecond = 100;

/** The CPU seconds of a process and of all processes that it has waited for: four fields after its name, which may hold spaces. */
const cpuSecondsOf = (pid: string): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
};

await runCommandLine(usage, async ([suite, ...args]) => {
  const runs: Readonly<Record<string, () => Promise<boolean>>> = {
    test: async () => isFine("npm test", await runTest(args)),
    all: runAll,
    release: runRelease,
    // At the end of .ci/run, with its process and its seconds.
    gate: async () => {
      const [pid = "", seconds = ""] = args;
      return isFine(".ci/run", { code: 0, cpuSeconds: cpuSecondsOf(pid), wallSeconds: Number(seconds) });
    },
  };
  const run = runs[suite ?? ""];
  if (!run) throw new UsageError("Name a suite: test, all or release.");
  if (!(await run())) process.exitCode = 1;
});
