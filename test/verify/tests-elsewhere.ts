import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { projectDirectory } from "../../infra/bundling/bundle-options.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { compareFindings, type Verdict } from "./run-parts.ts";
import { runToEnd } from "./tools.ts";

const report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Our tests run against another server. */
export interface TestsElsewhere {
  readonly project: "integration" | "conformance";
  /** Without their suffixes. */
  readonly files: readonly string[];
  /** Where the servers are, as the tests and the local service read it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Tests that fail there with the reason why the server is wrong and not ours, by title. */
  readonly explained: Readonly<Record<string, string>>;
  /** What the tests ran against. */
  readonly said: string;
}

/** The paths of test files, however long they may take. @throws Error when one does not exist. */
export const testPaths = (project: string, files: readonly string[]): string[] =>
  files.map((file) => {
    const [found, other] = globSync(`test/${project}/${file}{,.slow,.endurance}.test.ts`, {
      cwd: projectDirectory,
    });
    if (!found || other) throw new Error(`There is no test, or there are two: test/${project}/${file}`);
    return found;
  });

/** Runs our test files against other servers, and compares the failures with the accepted ones. */
export const runTestsElsewhere = ({
  project,
  files,
  variables,
  explained,
  said,
}: TestsElsewhere): Promise<Verdict> =>
  withTemporaryDirectory(async (directory) => {
    const outputFile = join(directory, "report.json");
    const paths = testPaths(project, files);
    const { output } = await runToEnd(
      process.execPath,
      [
        join("node_modules", "vitest", "vitest.mjs"),
        "run",
        "--reporter=json",
        `--outputFile=${outputFile}`,
        ...paths,
      ],
      { CI: "1", ...variables },
    );
    const text = await readFile(outputFile, "utf8").catch(() => {
      throw new Error(`The tests could not be run: ${output.slice(-1_000)}`);
    });
    const { testResults } = report.parse(JSON.parse(text));
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
    );
    if (broken.length > 0 || testResults.length < files.length) {
      throw new Error(
        `Test files that could not be run: ${broken.map(({ name, message }) => `${name} ${message}`).join(", ")}`,
      );
    }
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
    const passed = tests.filter(({ status }) => status === "passed").length;
    const verdict = compareFindings(failed, explained, "");
    if (verdict.kind !== "passed") return verdict;
    const differences = failed.length === 0 ? "" : `, ${failed.length} fail for a reason that is explained`;
    return { kind: "passed", said: `${said}: ${passed} tests pass${differences}` };
  });
