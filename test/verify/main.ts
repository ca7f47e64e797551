import { parseArgs } from "node:util";
import { runCommandLine, UsageError } from "../../infra/commands/command-line.ts";
import { cfnLintPart } from "./cfn-lint.ts";
import { chromiumPart } from "./chromium.ts";
import { goClientPart, guideProgramsPart, pythonClientsPart } from "./clients.ts";
import { cutsPart } from "./cuts.ts";
import { dynamoDbLocalPart } from "./dynamodb-local.ts";
import { exportsPart } from "./exports.ts";
import { generatedClientsPart } from "./generated-clients.ts";
import { mcpConformancePart } from "./mcp-conformance.ts";
import { motoBucketPart, motoServicePart, motoStacksPart, motoTablePart } from "./moto.ts";
import { openapiPart } from "./openapi.ts";
import { permissionsPart } from "./permissions.ts";
import { policiesPart } from "./policies.ts";
import { runParts } from "./run-parts.ts";
import { runtimePart } from "./runtime.ts";
import { scoresPart } from "./scores.ts";
import { secondFactorPart } from "./second-factor.ts";
import { translationClientsPart } from "./translation-clients.ts";
import { upgradePart } from "./upgrade/upgrade.ts";

const parts = [
  upgradePart,
  runtimePart,
  motoStacksPart,
  motoTablePart,
  motoBucketPart,
  motoServicePart,
  dynamoDbLocalPart,
  cfnLintPart,
  policiesPart,
  permissionsPart,
  openapiPart,
  secondFactorPart,
  scoresPart,
  chromiumPart,
  exportsPart,
  cutsPart,
  pythonClientsPart,
  guideProgramsPart,
  translationClientsPart,
  goClientPart,
  mcpConformancePart,
  generatedClientsPart,
];
const usage = `Usage: npm run verify
       npm run verify -- --only <part>

Asks other implementations about ours, says of each what it said, and fails when one contradicts. What cannot be installed here
is left out. --only takes the beginning, or any other piece, of a part's name:

${parts.map(({ name }) => `  ${name}`).join("\n")}`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

await runCommandLine(usage, async (args) => {
  const { values } = parseArgs({ args, options: { only: { type: "string", default: "" } } });
  const chosen = parts.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
  if (chosen.length === 0) throw new UsageError(`No part is called ${values.only}.`);
  const { passed, failed, leftOut } = await runParts(chosen, say);
  say(`${chosen.length} second opinions: ${passed} agree, ${failed} contradict, ${leftOut} left out.`);
  if (failed > 0) process.exitCode = 1;
});
