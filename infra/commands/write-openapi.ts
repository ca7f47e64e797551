/**
 * Writes the files that are generated: `openapi.json`, the tools for agents, the paths for reports of usage and requests and those
 * for the checks of releases from the contracts, and the handbook's table of what is stored. With `--check`, only reports whether they are up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { buildOpenApi } from "../../functions/docs/build-openapi.ts";
import { functionDefinitions, operations } from "../../functions/manifest.ts";
import { describeTools } from "../../functions/mcp/describe-tools.ts";
import type { FunctionDefinition } from "../../shared/http/function-definition.ts";
import type { Operation } from "../../shared/http/operation.ts";
import { isVendorsPath } from "../../shared/platform/config/vendors.ts";
import { retentionTable, tableMarkdown } from "../../shared/wiring/retention.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { readOptions } from "../command-line.ts";

const pathOf = ({ id, method, path, deprecated }: Operation) =>
  [id, { method, path, ...(deprecated ? { deprecated: true } : {}) }] as const;

const taskPaths = Object.fromEntries(
  operations.filter(({ auth, authorizer }) => auth === "user" || authorizer === true).map(pathOf),
);

/** The first route of each function that needs a token, in every stage. */
const guardedPaths = Object.fromEntries(
  functionDefinitions.flatMap(({ name, operations: own }: FunctionDefinition) => {
    const found = own.find(({ auth, path }) => auth === "user" && !isVendorsPath(path));
    return found ? [[name, { method: found.method, path: found.path }]] : [];
  }),
);

const retention = `# What is stored, and how long

Written by \`npm run openapi\` from [the list of everything that is stored](../../shared/wiring/stored-kinds.ts), which the deletion
of accounts, their export and the page \`/privacy\` read too. "At most" counts from the last change; DynamoDB and S3 may take a day
or two more to delete what has expired, which no request can read by then.

To store something new, add it to the list next to its keys (\`stored-kinds.ts\`), and to \`shared/wiring/stored-kinds.ts\` if it is a
new file. Tests fail for what is stored and not listed.

${tableMarkdown(retentionTable(storedKinds))}
`;

const { check } = readOptions(
  "Usage: npm run openapi [-- --check]\n\nWrites the files that are generated from the contracts.",
  { check: { type: "boolean", default: false } },
);

const asJson = (content: unknown): string => `${JSON.stringify(content, undefined, 2)}\n`;

const openApi = buildOpenApi(functionDefinitions);

const files = {
  "shared/http/openapi/openapi.json": asJson(openApi),
  "functions/mcp/tools.json": asJson(describeTools()),
  "shared/accounts/usage/task-paths.json": asJson(taskPaths),
  "functions/release-check/guarded-paths.json": asJson(guardedPaths),
  "infra/handbook/retention.md": retention,
};

for (const [name, document] of Object.entries(files)) {
  const file = new URL(`../../${name}`, import.meta.url);
  if (!check) writeFileSync(file, document);
  else if (readFileSync(file, "utf8") !== document) {
    process.stderr.write(`${name} is out of date; run \`npm run openapi\`.\n`);
    process.exitCode = 1;
  }
}
