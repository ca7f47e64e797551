/**
 * Writes the files that are generated from the contracts: `openapi.json`, and the paths for reports of usage and requests. With `--check`, only
 * reports whether they are up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { buildOpenApi } from "../../functions/docs/build-openapi.ts";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { readOptions } from "./command-line.ts";

const pathOf = ({ id, method, path, deprecated }: Operation) =>
  [id, { method, path, ...(deprecated ? { deprecated: true } : {}) }] as const;

const taskPaths = Object.fromEntries(operations.filter(({ auth }) => auth === "user").map(pathOf));

const { check } = readOptions(
  "Usage: npm run openapi [-- --check]\n\nWrites the files that are generated from the contracts.",
  { check: { type: "boolean", default: false } },
);

const files = {
  "shared/http/openapi/openapi.json": buildOpenApi(functionDefinitions),
  "shared/accounts/usage/task-paths.json": taskPaths,
};

for (const [name, content] of Object.entries(files)) {
  const file = new URL(`../../${name}`, import.meta.url);
  const document = `${JSON.stringify(content, undefined, 2)}\n`;
  if (!check) writeFileSync(file, document);
  else if (readFileSync(file, "utf8") !== document) {
    process.stderr.write(`${name} is out of date; run \`npm run openapi\`.\n`);
    process.exitCode = 1;
  }
}
