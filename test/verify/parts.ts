import { runtimePart } from "../runtime/compare-runtimes.ts";
import { cfnLintPart } from "./cfn-lint.ts";
import { chromiumPart } from "./chromium.ts";
import {
  agentsPart,
  codexPart,
  goClientPart,
  guideProgramsPart,
  oldestClientsPart,
  pythonClientsPart,
} from "./clients.ts";
import { cutsPart } from "./cuts.ts";
import { documentsPart } from "./documents/documents.ts";
import { dynamoDbLocalPart } from "./dynamodb-local.ts";
import { exportsPart } from "./exports.ts";
import { generatedClientsPart } from "./generated-clients.ts";
import { lengthsPart, longRecordingsPart } from "./lengths.ts";
import { mcpConformancePart } from "./mcp-conformance.ts";
import { modelsPart } from "./models/models.ts";
import { motoBucketPart, motoServicePart, motoStacksPart, motoTablePart } from "./moto.ts";
import { openapiPart } from "./openapi.ts";
import { openapiLintPart } from "./openapi-lint.ts";
import { permissionsPart } from "./permissions.ts";
import { policiesPart } from "./policies.ts";
import type { Part } from "./run-parts.ts";
import { scoresPart } from "./scores.ts";
import { secondFactorPart } from "./second-factor.ts";
import { silentModelPart } from "./silent-model.ts";
import { translationClientsPart } from "./translation-clients.ts";
import { upgradePart } from "./upgrade/upgrade.ts";

/** They install packages of other languages first, which takes minutes. */
const installing: readonly Part[] = [
  motoTablePart,
  dynamoDbLocalPart,
  motoBucketPart,
  motoServicePart,
  motoStacksPart,
  generatedClientsPart,
  openapiPart,
  openapiLintPart,
  cfnLintPart,
  policiesPart,
  pythonClientsPart,
  guideProgramsPart,
  translationClientsPart,
  goClientPart,
  oldestClientsPart,
  silentModelPart,
  agentsPart,
  codexPart,
  mcpConformancePart,
  secondFactorPart,
  scoresPart,
  documentsPart,
];

/** All second opinions; those that take longest come first. */
export const parts: readonly Part[] = [
  upgradePart,
  permissionsPart,
  modelsPart,
  ...installing.map((part): Part => ({ ...part, isNightly: true })),
  chromiumPart,
  exportsPart,
  cutsPart,
  lengthsPart,
  longRecordingsPart,
  runtimePart,
];
