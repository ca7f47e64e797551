/**
 * Holds vitest's JSON reports of `npm run test:all` to `least-tests.json`. It fails for a test that failed, for one that was
 * skipped without a reason given there, for a project that lost tests, and when the numbers there are more than a tenth behind what
 * runs, so that no more than that may vanish unseen. It names what failed, because the runner's own words are thousands of lines
 * above. The last line is the sum.
 *
 * Usage: node .ci/count-tests.mjs <folder of reports>            counts
 *        node .ci/count-tests.mjs <folder of reports> --write    and writes 95% of what passed into least-tests.json
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The share of the tests that ran which is written down, and the share below which it is too old. */
const written = 0.95;
const maxBehind = 0.9;

const root = join(import.meta.dirname, "..");
const fileWithNumbers = join(import.meta.dirname, "least-tests.json");
const packages = readdirSync(join(root, "infra/packages"));

/** As vitest.config.ts has them. */
const projectOf = (file) => {
  if (file.endsWith(".endurance.test.ts")) return "endurance";
  const folder = packages.find((name) => file.startsWith(`infra/packages/${name}/`)) ?? file.split("/")[1];
  return file.endsWith(".slow.test.ts") ? `${folder}-slow` : folder;
};

/** Each test of a report; a file that could not be run is one failed test, and so is a run that did not end. */
const testsOf = (report) => {
  if (!existsSync(report)) {
    const reason = "The run did not end: a test never returned, or the runner itself failed.";
    return [{ file: "", title: `the run ${report}`, status: "failed", reason }];
  }
  return JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(
    ({ name, status, message, assertionResults }) => {
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
    },
  );
};

const firstLines = (reason) => reason.split("\n").slice(0, 6).join("\n    ");

/** What is wrong with single tests. */
const problemsOf = (tests, mayBeSkipped) =>
  tests.flatMap(({ title, status, reason }) => {
    if (status === "failed") return [`Failed: ${title}\n    ${firstLines(reason)}`];
    if (status === "passed" || mayBeSkipped[title]) return [];
    return [`Skipped without a reason in .ci/least-tests.json: ${title}`];
  });

/** What is wrong with the number of tests of a project. */
const problemOf = (project, passed, least) => {
  if (least === undefined) return [`.ci/least-tests.json does not name the project "${project}".`];
  const sentence = `${passed} tests of the project "${project}" passed, and .ci/least-tests.json requires ${least}`;
  if (passed < least) return [`Only ${sentence}.`];
  if (least < Math.floor(passed * maxBehind))
    return [`${sentence}, which is too few: node .ci/count-tests.mjs <folder of reports> --write.`];
  return [];
};

const count = (folder, writes) => {
  const { minPassed, mayBeSkipped } = JSON.parse(readFileSync(fileWithNumbers, "utf8"));
  const tests = ["test", "rest"].flatMap((suite) => testsOf(join(folder, `${suite}.json`)));
  const passed = {};
  for (const { file, status } of tests) {
    if (status === "passed") passed[projectOf(file)] = (passed[projectOf(file)] ?? 0) + 1;
  }
  if (writes) {
    const entries = Object.entries(passed).map(([project, number]) => [
      project,
      Math.floor(number * written),
    ]);
    const content = { minPassed: Object.fromEntries(entries), mayBeSkipped };
    writeFileSync(fileWithNumbers, `${JSON.stringify(content, undefined, 2)}\n`);
  }
  const projects = new Set([...Object.keys(minPassed), ...Object.keys(passed)]);
  const problems = [
    ...problemsOf(tests, mayBeSkipped),
    ...(writes ? [] : [...projects].flatMap((each) => problemOf(each, passed[each] ?? 0, minPassed[each]))),
  ];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const sum = Object.values(passed).reduce((total, number) => total + number, 0);
  const failed = tests.filter(({ status }) => status === "failed").length;
  process.stdout.write(`${sum} passed, ${failed} failed\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
};

const [folder, option] = process.argv.slice(2);
count(folder, option === "--write");
