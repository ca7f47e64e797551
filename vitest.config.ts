import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { findChromium } from "./test/support/chromium.ts";

const here = import.meta.dirname;

/** Tens of thousands of inputs, bodies of 100 MB: `npm run test:endurance`, not `npm test`. */
const endurance = "**/*.endurance.test.ts";

/** What `npm test` runs with less: see `test/support/endurance.ts`. */
const alsoWider = [
  "test/integration/attack.test.ts",
  "test/integration/fuzz.test.ts",
  "test/integration/killed-server.test.ts",
  "test/integration/log-canary.test.ts",
  "test/integration/log-canary-messaging.test.ts",
  "test/integration/local/service.test.ts",
  "test/unit/documents/generated.test.ts",
];

const project = (
  name: string,
  include: readonly string[],
  options: TestProjectInlineConfiguration["test"] = {},
): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [...include],
    exclude: ["**/node_modules/**", endurance],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { requireAssertions: true },
    ...options,
  },
});

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

const packages = readdirSync(join(here, "infra/packages"));

export default defineConfig({
  test: {
    env: { LOG_LEVEL: "SILENT" },
    setupFiles: [join(here, "test/support/property-seed.ts")],
    // Vitest would leave one core idle.
    maxWorkers: Math.max(2, availableParallelism()),
    allowOnly: false,
    projects: [
      project("unit", ["test/unit/**/*.test.ts"], shared),
      project("architecture", ["test/architecture/**/*.test.ts"], shared),
      project("infra", ["test/infra/**/*.test.ts"], shared),
      project("integration", ["test/integration/**/*.test.ts"], {
        ...shared,
        globalSetup: ["test/support/build-functions.ts"],
      }),
      project("conformance", ["test/conformance/**/*.test.ts"], {
        globalSetup: ["test/support/build-functions.ts", "test/support/start-service.ts"],
        setupFiles: [join(here, "test/support/declared-headers.ts")],
      }),
      // It starts the local stage, or calls the one that `BASE_URL` names.
      project("smoke", ["test/smoke/**/*.test.ts"], {
        globalSetup: ["test/smoke/start-stage.ts"],
        setupFiles: [join(here, "test/support/declared-headers.ts")],
        testTimeout: 60_000,
        // Tests that run at the same time share the count of assertions.
        expect: { requireAssertions: false },
      }),
      project("browser", ["test/browser/**/*.test.ts"], {
        exclude: hasBrowser ? ["**/node_modules/**"] : ["**"],
        globalSetup: ["test/support/build-functions.ts", "test/support/start-browser.ts"],
        testTimeout: 120_000,
        expect: { requireAssertions: true, poll: { timeout: 20_000 } },
      }),
      ...packages.map((name) => project(name, [`infra/packages/${name}/test/**/*.test.ts`])),
      project("endurance", [endurance, ...alsoWider], {
        exclude: ["**/node_modules/**"],
        testTimeout: 600_000,
        expect: { requireAssertions: false },
        env: { LOG_LEVEL: "SILENT", ENDURANCE: "1" },
        globalSetup: ["test/support/build-functions.ts"],
      }),
    ],
  },
});
