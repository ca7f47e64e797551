import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    env: { POWERTOOLS_LOG_LEVEL: "SILENT" },
    setupFiles: [`${import.meta.dirname}/test/support/property-seed.ts`],
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/unit/**/*.test.ts", "test/infra/**/*.test.ts"] },
      },
      {
        extends: true,
        test: { name: "integration", include: ["test/integration/**/*.test.ts"], testTimeout: 30_000 },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          include: ["test/conformance/**/*.test.ts"],
          globalSetup: ["test/support/start-service.ts"],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { name: "packages", include: ["infra/packages/*/test/**/*.test.ts"], testTimeout: 30_000 },
      },
    ],
  },
});
