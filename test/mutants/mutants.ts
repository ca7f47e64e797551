/**
 * Changes the code at random positions and checks whether a test notices.
 *
 * Works in copies; it runs the unit tests that import a changed file, nearest first. Types and lost awaits are
 * checked only where the tests pass.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "../../infra/command-line.ts";
import { drawMutants, type FileMutant, mutantsOfFiles } from "./draw-mutants.ts";
import { findRemaining, parseLog, type RemainingMutant } from "./earlier-run.ts";
import { relatedTests } from "./related-tests.ts";
import { type JudgedMutant, runMutants, type Verdict } from "./run-mutants.ts";
import { overHttp } from "./tests-over-http.ts";

const root = join(import.meta.dirname, "../..");
const print = (line: string) => process.stdout.write(`${line}\n`);

const usage = `Usage: npm run mutants [-- --files GLOB] [--count 100] [--seed 1] [--least PERCENT] [--thorough] [--against LOG --at COMMIT]

Changes the code in small ways and counts the changes that a test notices. --thorough also runs the tests over HTTP, which takes
a minute for each change that survives. --against also judges the changes that an earlier run has written to standard error, where
their lines still exist: it names those that were noticed then, in the code of COMMIT, and are not now, and exits with 1.`;

const values = readOptions(usage, {
  files: { type: "string", multiple: true, default: ["functions/**", "shared/**"] },
  count: { type: "string", default: "100" },
  seed: { type: "string", default: "1" },
  least: { type: "string", default: "0" },
  thorough: { type: "boolean", default: false },
  against: { type: "string" },
  at: { type: "string", default: "HEAD" },
});

const nameOf = ({ file, line, change }: FileMutant): string => `${file}:${line}  ${change}`;

/** The mutants of the earlier run that still exist. */
const readRemaining = (log: string): readonly RemainingMutant[] => {
  const earlier = parseLog(readFileSync(log, "utf8"));
  const readEarlier = (file: string) =>
    execFileSync("git", ["show", `${values.at}:${file}`], { cwd: root, encoding: "utf8" });
  const readNow = (file: string) => readFileSync(join(root, file), "utf8");
  const remaining = findRemaining(earlier, readEarlier, readNow);
  print(`${remaining.length} of ${earlier.length} mutants of the earlier run still exist.`);
  return remaining;
};

const files = globSync(values.files, { cwd: root }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts") && !file.includes("node_modules"),
);
const drawn = drawMutants(await mutantsOfFiles(root, files), Number(values.count), Number(values.seed));
const remaining = values.against === undefined ? [] : readRemaining(values.against);
const isSame = (one: FileMutant, other: FileMutant): boolean =>
  nameOf(one) === nameOf(other) && one.start === other.start;
const others = remaining.filter((one) => !drawn.some((other) => isSame(one, other)));
/** Many of these call what they test, without HTTP. */
const nearIntegration = relatedTests(root, ["test/integration/**/*.test.ts"]);
const all = await runMutants({
  root,
  mutants: [...drawn, ...others],
  tests: ["test/unit/**/*.test.ts", "test/infra/**/*.test.ts", "infra/packages/*/test/**/*.test.ts"],
  thorough: values.thorough
    ? (file) => [
        nearIntegration(file).slice(0, 4),
        ...overHttp.flatMap(([word, tests]) => (word.test(file) ? [tests] : [])),
      ]
    : undefined,
  report: (mutant) => process.stderr.write(`${mutant.verdict.padEnd(8)} ${nameOf(mutant)}\n`),
});
const judged = all.filter((mutant) => drawn.some((one) => isSame(one, mutant)));
const numberOf = (mutants: readonly JudgedMutant[], verdict: Verdict): number =>
  mutants.filter((mutant) => mutant.verdict === verdict).length;
const row = (area: string, mutants: readonly JudgedMutant[]): string =>
  [
    area.padEnd(28),
    ...(["tests", "types", "survived"] as const).map((one) => String(numberOf(mutants, one)).padStart(9)),
  ].join("");

print(`${"area".padEnd(28)}    tests    types survived`);
const byArea = Object.groupBy(judged, ({ file }) => file.split("/").slice(0, 2).join("/"));
for (const [area, mutants = []] of Object.entries(byArea)) print(row(area, mutants));
print(row("all", judged));
for (const mutant of judged) if (mutant.verdict === "survived") print(`survived ${nameOf(mutant)}`);

// Code that does not compile, or loses an await, cannot be merged, so it needs no test.
const [byTests, byTypes] = [numberOf(judged, "tests"), numberOf(judged, "types")];
const ratio = judged.length === byTypes ? 0 : byTests / (judged.length - byTypes);
print(`${byTests} of ${judged.length} mutants are killed by tests and ${byTypes} by types.`);
print(`Of those that pass the types, tests kill ${(100 * ratio).toFixed(1)}%.`);

const survived = all.filter(({ verdict }) => verdict === "survived");
const lost = remaining.filter(
  (mutant) => mutant.earlier !== "survived" && survived.some((one) => isSame(one, mutant)),
);
for (const mutant of lost) print(`lost     ${nameOf(mutant)}: ${mutant.earlier} noticed it before`);
process.exitCode = 100 * ratio >= Number(values.least) && lost.length === 0 ? 0 : 1;
