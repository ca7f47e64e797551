/**
 * Changes the code at random positions and checks whether a test notices.
 *
 * Usage: npm run mutants -- --files 'functions/**' [--files …] [--count 100] [--seed 1] [--thorough] [--least 90]
 *
 * Works in copies; it runs the unit tests that import a changed file, nearest first. Types and lost awaits are
 * checked only where the tests pass. `--thorough` also runs the tests over HTTP, which takes a minute for each
 * survivor.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "../../infra/commands/command-line.ts";
import { type JudgedMutant, runMutants, type Verdict } from "./run-mutants.ts";

const root = join(import.meta.dirname, "../..");
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Tests over HTTP by a word in the mutated file's path; all else is seen by the first row. */
const overHttp: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /./,
    [
      "test/conformance/service.test.ts",
      "test/conformance/hostile-requests.test.ts",
      "test/integration/faults.test.ts",
    ],
  ],
  [
    /auth|account/,
    [
      "test/conformance/accounts.test.ts",
      "test/conformance/token-security.test.ts",
      "test/integration/mailed-links.test.ts",
    ],
  ],
  [
    /storage/,
    [
      "test/integration/object-store.test.ts",
      "test/integration/silent-store.test.ts",
      "test/integration/limits.test.ts",
    ],
  ],
  [/limit/, ["test/conformance/limits.test.ts", "test/integration/limits.test.ts"]],
  [/chat|inference/, ["test/conformance/chat.test.ts", "test/integration/chat.test.ts"]],
  [/translat|language/, ["test/conformance/translation.test.ts", "test/conformance/language.test.ts"]],
  [/speech|audio|storage/, ["test/conformance/speech.test.ts", "test/integration/speech.test.ts"]],
  [/transcri|upload|storage/, ["test/conformance/transcription.test.ts", "test/conformance/uploads.test.ts"]],
  [/legacy/, ["test/conformance/legacy.test.ts", "test/integration/saved-transcriptions.test.ts"]],
  [
    /messag|webhook|queue/,
    ["test/conformance/messaging.test.ts", "test/integration/messaging/exactly-once.test.ts"],
  ],
];

const usage = `Usage: npm run mutants [-- --files GLOB] [--count 100] [--seed 1] [--least PERCENT] [--thorough]

Changes the code in small ways and counts the changes that a test notices.`;

const values = readOptions(usage, {
  files: { type: "string", multiple: true, default: ["functions/**", "shared/**"] },
  count: { type: "string", default: "100" },
  seed: { type: "string", default: "1" },
  least: { type: "string", default: "0" },
  thorough: { type: "boolean", default: false },
});

const files = globSync(values.files, { cwd: root }).filter(
  (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("node_modules"),
);
const judged = await runMutants({
  root,
  files,
  count: Number(values.count),
  seed: Number(values.seed),
  tests: ["test/unit/**/*.test.ts", "test/infra/**/*.test.ts", "infra/packages/*/test/**/*.test.ts"],
  thorough: values.thorough
    ? (file) => overHttp.flatMap(([word, tests]) => (word.test(file) ? tests : []))
    : undefined,
  report: ({ file, line, verdict }) => process.stderr.write(`${verdict.padEnd(8)} ${file}:${line}\n`),
});

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
for (const { file, line, change, verdict } of judged)
  if (verdict === "survived") print(`${file}:${line}  ${change}`);

// Code that does not compile, or loses an await, cannot be merged, so it needs no test.
const [byTests, byTypes] = [numberOf(judged, "tests"), numberOf(judged, "types")];
const ratio = judged.length === byTypes ? 0 : byTests / (judged.length - byTypes);
print(`${byTests} of ${judged.length} mutants are killed by tests and ${byTypes} by types.`);
print(`Of those that pass the types, tests kill ${(100 * ratio).toFixed(1)} %.`);
process.exitCode = 100 * ratio >= Number(values.least) ? 0 : 1;
