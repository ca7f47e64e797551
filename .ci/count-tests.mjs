/**
 * Holds vitest's JSON reports to `least-tests.json`: a project that lost its tests, and a test that is skipped without a
 * reason given there, fail. Names what failed, because the runner's own words are thousands of lines above. The last line is
 * the sum.
 *
 * Tests talk to processes, sockets and a browser, and a busy machine can fail one of thousands. A test that failed is run
 * once more with its file; when it passes then, it counts as passed and is named anyway. More than a few such tests are a
 * failure, even when all of them pass the second time.
 *
 * Usage: node .ci/count-tests.mjs <folder of reports>            counts
 *        node .ci/count-tests.mjs --files-to-repeat <report>     prints the files of which tests failed, when they are few
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

const maxRepeated = 3;

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const root = join(import.meta.dirname, "..");

/** Each test of a report; a file that could not be run is one failed test, and so is a run that did not end. */
const testsOf = (report) => {
  if (!existsSync(report)) {
    const file = basename(report, ".json");
    const reason = "The run did not end: a test never returned, or the runner itself failed.";
    return [{ file, title: `the run "${file}"`, status: "failed", reason }];
  }
  return read(report).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults.map((test) => ({
      file,
      title: `${file} ${test.fullName}`,
      status: test.status,
      reason: test.failureMessages?.[0] ?? "",
    }));
    const isBroken = status === "failed" && tests.every((test) => test.status !== "failed");
    return isBroken
      ? [...tests, { file, title: `${file} (the file itself)`, status: "failed", reason: message ?? "" }]
      : tests;
  });
};

const failedOf = (tests) => tests.filter(({ status }) => status === "failed");

const printFilesToRepeat = (report) => {
  if (!existsSync(report)) return;
  const failed = failedOf(testsOf(report));
  if (failed.length > maxRepeated) return;
  process.stdout.write([...new Set(failed.map(({ file }) => file))].join("\n"));
};

const firstLines = (reason) => reason.split("\n").slice(0, 6).join("\n    ");

const count = (folder) => {
  const { minPassed, mayBeSkipped } = read(join(import.meta.dirname, "least-tests.json"));
  const packages = readdirSync(join(root, "infra/packages"));
  /** As vitest.config.ts has them. */
  const projectOf = (file, suite) => {
    if (suite === "endurance") return "endurance";
    return packages.find((name) => file.startsWith(`infra/packages/${name}/`)) ?? file.split("/")[1];
  };
  const problems = [];
  const passed = {};
  let failedCount = 0;
  let repeatedCount = 0;
  for (const suite of ["test", "endurance"]) {
    const first = testsOf(join(folder, `${suite}.json`));
    const again = join(folder, `${suite}-again.json`);
    const second = existsSync(again) ? testsOf(again) : [];
    const repeatedFiles = new Set(second.map(({ file }) => file));
    const failedAgain = new Set(failedOf(second).map(({ title }) => title));
    for (const { title, reason } of failedOf(first.filter(({ file }) => repeatedFiles.has(file)))) {
      if (failedAgain.has(title)) continue;
      repeatedCount += 1;
      process.stdout.write(`Passed only when it was run again: ${title}\n    ${firstLines(reason)}\n`);
    }
    for (const test of [...first.filter(({ file }) => !repeatedFiles.has(file)), ...second]) {
      const { file, title, status, reason } = test;
      const project = projectOf(file, suite);
      if (status === "passed") passed[project] = (passed[project] ?? 0) + 1;
      else if (status === "failed") {
        failedCount += 1;
        problems.push(`Failed: ${title}\n    ${firstLines(reason)}`);
      } else if (!mayBeSkipped[title]) {
        problems.push(`Skipped without a reason in .ci/least-tests.json: ${title}`);
      }
    }
  }
  if (repeatedCount > maxRepeated)
    problems.push(`${repeatedCount} tests passed only when they were run again; at most ${maxRepeated} may.`);
  for (const [project, min] of Object.entries(minPassed)) {
    const number = passed[project] ?? 0;
    if (number < min)
      problems.push(`Only ${number} tests of the project "${project}" passed; at least ${min} should.`);
  }
  for (const project of Object.keys(passed)) {
    if (!(project in minPassed))
      problems.push(`.ci/least-tests.json does not name the project "${project}".`);
  }
  const sum = Object.values(passed).reduce((total, number) => total + number, 0);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${sum} passed, ${failedCount} failed\n`);
  process.exitCode = problems.length > 0 || failedCount > 0 ? 1 : 0;
};

const [first, second] = process.argv.slice(2);
if (first === "--files-to-repeat") printFilesToRepeat(second);
else count(first);
