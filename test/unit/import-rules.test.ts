import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";

const projectDirectory = join(import.meta.dirname, "../..");

const report = z.object({
  diagnostics: z.array(z.object({ category: z.string(), location: z.object({ path: z.string() }) })),
});

/** Files that break a rule, by what they do. */
const refused = {
  "the product reaching into a package's source": {
    path: "infra/local/reach-in.ts",
    source: 'export * from "../packages/aws-stand-ins/src/s3/s3-server.ts";',
  },
  "the product reaching into a package at run time": {
    path: "infra/local/reach-in-later.ts",
    source: 'export const later = () => import("../packages/aws-stand-ins/src/index.ts");',
  },
  "the product reaching past a package's entry by its name": {
    path: "infra/commands/reach-past.ts",
    source: 'export * from "@language-ai/aws-stand-ins/src/s3/s3-server.ts";',
  },
  "a test using a package's test fixture": {
    path: "test/integration/borrow.ts",
    source: 'export * from "../../infra/packages/aws-stand-ins/test/s3-fixture.ts";',
  },
  "the kernel using a package of this machine": {
    path: "shared/http/stand-in.ts",
    source: 'export * from "@language-ai/aws-stand-ins";',
  },
  "the kernel reaching into a package": {
    path: "shared/http/reach-in.ts",
    source: 'export * from "../../infra/packages/aws-stand-ins/src/index.ts";',
  },
  "a feature using a package of this machine": {
    path: "functions/chat/stand-in.ts",
    source: 'export * from "@language-ai/sample-models";',
  },
  "a package's entry importing the product's infrastructure": {
    path: "infra/packages/aws-stand-ins/src/product.ts",
    source: 'export * from "../../../local/settings.ts";',
  },
  "a package's module importing the kernel": {
    path: "infra/packages/aws-stand-ins/src/gateway/product.ts",
    source: 'export * from "../../../../../shared/http/operation.ts";',
  },
  "a package's deeper module importing the kernel": {
    path: "infra/packages/sample-models/src/chat/skills/product.ts",
    source: 'export * from "../../../../../../shared/http/operation.ts";',
  },
  "a package's test importing the product's test support": {
    path: "infra/packages/sample-models/test/product.ts",
    source: 'export * from "../../../../test/support/wav.ts";',
  },
  "a package importing another one's inside": {
    path: "infra/packages/sample-models/src/other-package.ts",
    source: 'export * from "../../aws-stand-ins/src/s3/s3-server.ts";',
  },
  "a package importing another one's inside by its name": {
    path: "infra/packages/sample-models/src/other-package-by-name.ts",
    source: 'export * from "@language-ai/aws-stand-ins/src/s3/s3-server.ts";',
  },
  "the training importing more of the kernel than the model": {
    path: "infra/packages/language-id-training/src/training/product.ts",
    source: 'export * from "../../../../../shared/http/operation.ts";',
  },
} as const;

const allowed = {
  "the product using a package by its entry": {
    path: "infra/local/entry.ts",
    source: 'export * from "@language-ai/aws-stand-ins";',
  },
  "a test using a package by its entry": {
    path: "test/integration/entry.ts",
    source: 'export * from "@language-ai/aws-stand-ins";',
  },
  "a package's module importing another folder of its own": {
    path: "infra/packages/aws-stand-ins/src/gateway/inside.ts",
    source: 'export * from "../lambda/invocation.ts";',
  },
  "a package's test importing its source": {
    path: "infra/packages/aws-stand-ins/test/inside.ts",
    source: 'export * from "../src/lambda/invocation.ts";',
  },
  "the training importing the model": {
    path: "infra/packages/language-id-training/src/training/model.ts",
    source: 'export * from "../../../../../shared/models/language-id/model.ts";',
  },
} as const;

let directory: string;
let complaints: ReadonlyMap<string, readonly string[]>;

/** Lints samples with the project's own configuration, in folders of the same names. */
const lint = (): ReadonlyMap<string, readonly string[]> => {
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(projectDirectory, "node_modules/@biomejs/biome/bin/biome"),
      "lint",
      "--only=style/noRestrictedImports",
      "--reporter=json",
      "--max-diagnostics=none",
      ".",
    ],
    { cwd: directory, encoding: "utf8" },
  );
  const { diagnostics } = report.parse(JSON.parse(stdout));
  const byPath = Map.groupBy(diagnostics, ({ location }) => location.path);
  return new Map([...byPath].map(([path, found]) => [path, found.map(({ category }) => category)]));
};

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "import-rules-"));
  for (const file of ["biome.json", ".gitignore"]) {
    cpSync(join(projectDirectory, file), join(directory, file));
  }
  for (const { path, source } of [...Object.values(refused), ...Object.values(allowed)]) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), `${source}\n`);
  }
  complaints = lint();
});
afterAll(() => rmSync(directory, { recursive: true }));

describe("The rules of imports", () => {
  it.each(Object.entries(refused))("refuse %s", (_what, { path }) => {
    expect(new Set(complaints.get(path))).toEqual(new Set(["lint/style/noRestrictedImports"]));
  });

  it.each(Object.entries(allowed))("allow %s", (_what, { path }) => {
    expect(complaints.get(path)).toBeUndefined();
  });
});
