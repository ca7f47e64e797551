import { parseArgs } from "node:util";
import { cfnLintPart } from "./cfn-lint.ts";
import { chromiumPart } from "./chromium.ts";
import { goClientPart, pythonClientsPart, readmeProgramsPart } from "./clients.ts";
import { cutsPart } from "./cuts.ts";
import { dynamoDbLocalPart } from "./dynamodb-local.ts";
import { motoBucketPart, motoServicePart, motoStacksPart, motoTablePart } from "./moto.ts";
import { openapiPart } from "./openapi.ts";
import { policiesPart } from "./policies.ts";
import { runParts } from "./run-parts.ts";

/**
 * Asks other implementations about ours, says of each what it said, and fails when one contradicts. What cannot be installed
 * here is left out.
 *
 *     npm run verify
 *     npm run verify -- --only moto
 */
const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

const parts = [
  motoStacksPart,
  motoTablePart,
  motoBucketPart,
  motoServicePart,
  dynamoDbLocalPart,
  cfnLintPart,
  policiesPart,
  openapiPart,
  chromiumPart,
  cutsPart,
  pythonClientsPart,
  readmeProgramsPart,
  goClientPart,
];
const chosen = parts.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

const { passed, failed, leftOut } = await runParts(chosen, say);
say(`${chosen.length} second opinions: ${passed} agree, ${failed} contradict, ${leftOut} left out.`);
if (failed > 0 || chosen.length === 0) process.exitCode = 1;
