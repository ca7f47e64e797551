/**
 * Holds vitest's JSON reports to `least-tests.json`: a project that lost its tests, and a test that is skipped without a
 * reason given there, fail. The last line is the sum.
 *
 * Usage: node .ci/count-tests.mjs <report> …
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const root = join(import.meta.dirname, "..");
const { leastPassed, mayBeSkipped } = read(join(import.meta.dirname, "least-tests.json"));
const packages = readdirSync(join(root, "infra/packages"));

/** As vitest.config.ts has them. */
const projectOf = (file, report) => {
  if (report.endsWith("endurance.json")) return "endurance";
  return packages.find((name) => file.startsWith(`infra/packages/${name}/`)) ?? file.split("/")[1];
};

const problems = [];
const passed = {};
let failedCount = 0;
for (const report of process.argv.slice(2)) {
  for (const { name, status, assertionResults } of read(report).testResults) {
    const file = relative(root, name);
    const project = projectOf(file, report);
    if (status === "failed" && assertionResults.every((test) => test.status !== "failed")) {
      failedCount += 1;
      problems.push(`${file} could not be run.`);
    }
    for (const test of assertionResults) {
      const title = `${file} ${test.fullName}`;
      if (test.status === "passed") passed[project] = (passed[project] ?? 0) + 1;
      else if (test.status === "failed") failedCount += 1;
      else if (!mayBeSkipped[title])
        problems.push(`Skipped without a reason in .ci/least-tests.json: ${title}`);
    }
  }
}
for (const [project, least] of Object.entries(leastPassed)) {
  const count = passed[project] ?? 0;
  if (count < least)
    problems.push(`Only ${count} tests of the project "${project}" passed; at least ${least} should.`);
}
for (const project of Object.keys(passed)) {
  if (!(project in leastPassed))
    problems.push(`.ci/least-tests.json says nothing of the project "${project}".`);
}
const sum = Object.values(passed).reduce((total, count) => total + count, 0);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`${sum} passed, ${failedCount} failed\n`);
process.exitCode = problems.length > 0 || failedCount > 0 ? 1 : 0;
