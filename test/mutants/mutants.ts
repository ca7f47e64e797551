/**
 * Changes the code at random positions and checks whether a test notices.
 *
 * Usage: npm run mutants -- --files 'functions/**' [--files …] [--count 100] [--seed 1] [--thorough] [--least 90] [--again LOG]
 *
 * Works in copies; it runs the unit tests that import a changed file, nearest first. Types and lost awaits are
 * checked only where the tests pass. `--thorough` also runs the tests over HTTP, which takes a minute for each
 * survivor. `--again` judges only the survivors that the output of an earlier run names.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "../../infra/commands/command-line.ts";
import { relatedTests } from "./related-tests.ts";
import { type JudgedMutant, runMutants, type Verdict } from "./run-mutants.ts";

const root = join(import.meta.dirname, "../..");
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Tests over HTTP by a word in the mutated file's path; those that look at everything come last. */
const overHttp: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /auth|account|sign-in/,
    [
      "test/conformance/accounts.test.ts",
      "test/conformance/token-security.test.ts",
      "test/integration/mailed-links.test.ts",
      "test/integration/refresh.test.ts",
    ],
  ],
  [/keys|access/, ["test/conformance/keys.test.ts", "test/integration/api-keys.test.ts"]],
  [
    /eras|delete|wiring|owned-items/,
    [
      "test/conformance/account-deletion.test.ts",
      "test/integration/erase-account.test.ts",
      "test/integration/erase-due-accounts.test.ts",
      "test/integration/deleted-account.test.ts",
    ],
  ],
  [
    /jobs|job-worker|recordings|transcripts/,
    [
      "test/conformance/jobs.test.ts",
      "test/integration/jobs.test.ts",
      "test/integration/faults-jobs.test.ts",
      "test/integration/local/jobs.test.ts",
      "test/conformance/ownership.test.ts",
    ],
  ],
  [/callback/, ["test/integration/callback-slots.test.ts", "test/conformance/jobs.test.ts"]],
  [
    /upload|parts/,
    [
      "test/conformance/uploads.test.ts",
      "test/conformance/parted-uploads.test.ts",
      "test/integration/uploads.test.ts",
      "test/integration/object-parts.test.ts",
    ],
  ],
  [
    /idempoten/,
    [
      "test/integration/idempotency.test.ts",
      "test/integration/idempotency-killed.test.ts",
      "test/conformance/idempotency.test.ts",
    ],
  ],
  [
    /identit|sessions|first-proof/,
    [
      "test/integration/sessions.test.ts",
      "test/integration/identities.test.ts",
      "test/integration/enter-with-identity.test.ts",
      "test/integration/open-id-provider.test.ts",
      "test/integration/plain-provider.test.ts",
      "test/integration/local/identity.test.ts",
      "test/conformance/identity.test.ts",
    ],
  ],
  [
    /console/,
    [
      "test/integration/console/identity-pages.test.ts",
      "test/integration/console/link-pages.test.ts",
      "test/conformance/console.test.ts",
      "test/conformance/console-account.test.ts",
      "test/conformance/console-recordings.test.ts",
      "test/conformance/documentation-pages.test.ts",
    ],
  ],
  [/playground/, ["test/conformance/playground.test.ts", "test/integration/visitor-attempts.test.ts"]],
  // Scripts of pages, and what only they read, are seen by a browser alone.
  [/console\//, ["test/browser/flows.test.ts", "test/browser/pages.test.ts"]],
  [/playground|console\/client/, ["test/browser/playground.test.ts", "test/browser/recordings.test.ts"]],
  [
    /storage/,
    [
      "test/integration/object-store.test.ts",
      "test/integration/silent-store.test.ts",
      "test/integration/limits.test.ts",
    ],
  ],
  [
    /limit/,
    [
      "test/conformance/limits.test.ts",
      "test/integration/admission.test.ts",
      "test/integration/limits.test.ts",
      "test/integration/limits-passwords.test.ts",
      "test/integration/limits-service.test.ts",
    ],
  ],
  [/usage|quota/, ["test/integration/usage.test.ts"]],
  [/chat|inference/, ["test/conformance/chat.test.ts", "test/integration/chat.test.ts"]],
  [/translat|language/, ["test/conformance/translation.test.ts", "test/conformance/language.test.ts"]],
  [/speech|audio|storage/, ["test/conformance/speech.test.ts", "test/integration/speech.test.ts"]],
  [
    /transcri|storage|audio/,
    ["test/conformance/transcription.test.ts", "test/integration/transcription.test.ts"],
  ],
  [/legacy/, ["test/conformance/legacy.test.ts", "test/integration/saved-transcriptions.test.ts"]],
  [
    /messag|webhook|queue/,
    ["test/conformance/messaging.test.ts", "test/integration/messaging/exactly-once.test.ts"],
  ],
  [
    /./,
    [
      "test/conformance/service.test.ts",
      "test/conformance/hostile-requests.test.ts",
      "test/integration/faults.test.ts",
    ],
  ],
];

const usage = `Usage: npm run mutants [-- --files GLOB] [--count 100] [--seed 1] [--least PERCENT] [--thorough] [--again LOG]

Changes the code in small ways and counts the changes that a test notices.`;

const values = readOptions(usage, {
  files: { type: "string", multiple: true, default: ["functions/**", "shared/**"] },
  count: { type: "string", default: "100" },
  seed: { type: "string", default: "1" },
  least: { type: "string", default: "0" },
  thorough: { type: "boolean", default: false },
  again: { type: "string" },
});

const nameOf = ({ file, line, change }: Omit<JudgedMutant, "verdict">): string =>
  `${file}:${line}  ${change}`;
const survivors =
  values.again === undefined
    ? undefined
    : new Set(
        Array.from(readFileSync(values.again, "utf8").matchAll(/^survived +(.+)$/gm), ([, name]) => name),
      );

const files = globSync(values.files, { cwd: root }).filter(
  (file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts") && !file.includes("node_modules"),
);
/** Many of these call what they test, without HTTP. */
const nearIntegration = relatedTests(root, ["test/integration/**/*.test.ts"]);
const judged = await runMutants({
  root,
  files,
  count: Number(values.count),
  seed: Number(values.seed),
  considers: survivors && ((mutant) => survivors.has(nameOf(mutant))),
  tests: ["test/unit/**/*.test.ts", "test/infra/**/*.test.ts", "infra/packages/*/test/**/*.test.ts"],
  thorough: values.thorough
    ? (file) => [
        nearIntegration(file).slice(0, 4),
        ...overHttp.flatMap(([word, tests]) => (word.test(file) ? [tests] : [])),
      ]
    : undefined,
  report: (mutant) => process.stderr.write(`${mutant.verdict.padEnd(8)} ${nameOf(mutant)}\n`),
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
for (const mutant of judged) if (mutant.verdict === "survived") print(`survived ${nameOf(mutant)}`);

// Code that does not compile, or loses an await, cannot be merged, so it needs no test.
const [byTests, byTypes] = [numberOf(judged, "tests"), numberOf(judged, "types")];
const ratio = judged.length === byTypes ? 0 : byTests / (judged.length - byTypes);
print(`${byTests} of ${judged.length} mutants are killed by tests and ${byTypes} by types.`);
print(`Of those that pass the types, tests kill ${(100 * ratio).toFixed(1)}%.`);
process.exitCode = 100 * ratio >= Number(values.least) ? 0 : 1;
