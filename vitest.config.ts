import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { packages, type testFolders } from "./test/suites/projects.ts";
import { findChromium } from "./test/support/chromium.ts";

const here = import.meta.dirname;

/** Left out of `npm test`. test/README.md says what belongs there. */
const slow = "**/*.slow.test.ts";

/** What asks how much it should do: see `test/support/endurance.ts`. */
const endurance = "**/*.endurance.test.ts";

/** What only `npm run test:release` runs. */
const nightly = "**/*.nightly.test.ts";
const isWhole = process.env["ENDURANCE"] !== undefined;

/** Left out of every project but `endurance`. */
const elsewhere = ["**/node_modules/**", endurance, nightly];

/** Waiting for an event ends early when it happens; a busy machine has the rest. */
const expectations = { requireAssertions: true, poll: { timeout: 60_000 } };

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

const project = (
  name: string,
  include: readonly string[],
  options: Options = {},
): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [...include],
    exclude: elsewhere,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: expectations,
    ...options,
  },
});

/** The tests of a folder in `test/`, and its slow ones as a project of their own. */
const folder = (
  name: (typeof testFolders)[number],
  options: Options = {},
): TestProjectInlineConfiguration[] => {
  const { exclude = elsewhere } = options;
  return [
    project(name, [`test/${name}/**/*.test.ts`], { ...options, exclude: [...exclude, slow] }),
    project(`${name}-slow`, [`test/${name}/${slow}`], options),
  ];
};

// What only calls functions shares its modules between files: loading them was two thirds of the time. Such tests
// restore what they change.
const shared = { pool: "threads", isolate: false } as const;

// Omitted tests must not look like passed ones: the last line of a run says so.
const hasBrowser = findChromium() !== undefined;
if (!hasBrowser) {
  process.once("exit", () =>
    process.stderr.write(
      "The tests in a browser were left out: there is no Chromium here; CHROMIUM_PATH can name one.\n",
    ),
  );
}

export default defineConfig({
  // Several projects of TypeScript have pages; Vite reads the settings of one.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    env: { LOG_LEVEL: "SILENT" },
    setupFiles: ["property-seed", "closed-twice"].map((name) => join(here, `test/support/${name}.ts`)),
    // Vitest would leave one core idle.
    maxWorkers: Math.max(2, availableParallelism()),
    allowOnly: false,
    projects: [
      ...folder("unit", shared),
      ...folder("architecture", shared),
      ...folder("infra", shared),
      ...folder("integration", { ...shared, globalSetup: ["test/support/build-functions.ts"] }),
      ...folder("conformance", {
        ...shared,
        globalSetup: ["test/support/build-functions.ts", "test/support/start-service.ts"],
        setupFiles: [join(here, "test/support/declared-headers.ts")],
      }),
      // It starts the local stage, or calls the one that `BASE_URL` names.
      project("smoke", ["test/smoke/**/*.test.ts"], {
        globalSetup: ["test/smoke/start-stage.ts"],
        setupFiles: [join(here, "test/support/declared-headers.ts")],
        testTimeout: 60_000,
        // Tests that run at the same time share the count of assertions.
        expect: { ...expectations, requireAssertions: false },
      }),
      ...folder("browser", {
        exclude: hasBrowser ? ["**/node_modules/**"] : ["**"],
        globalSetup: ["build-functions", "start-service", "start-browser"].map(
          (name) => `test/support/${name}.ts`,
        ),
        testTimeout: 300_000,
      }),
      ...packages.map((name) =>
        project(name, [`infra/packages/${name}/test/**/*.test.ts`], { isolate: false }),
      ),
      project("endurance", [endurance, ...(isWhole ? [nightly] : [])], {
        exclude: ["**/node_modules/**"],
        testTimeout: 600_000,
        expect: { ...expectations, requireAssertions: false },
        globalSetup: ["test/support/build-functions.ts"],
      }),
    ],
  },
});
