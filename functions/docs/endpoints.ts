import { endpoint } from "../../shared/http/endpoint.ts";
import type { Endpoint } from "../../shared/http/exchange.ts";
import { service } from "../../shared/http/function-definition.ts";
import { healthOperation, languagesOperation, openApiOperation } from "./contract.ts";
import { listLanguages } from "./list-languages.ts";
import { documentOfStage, type StageNames } from "./stage-document.ts";

export const docsEndpoints = (stage: StageNames): Endpoint[] => [
  endpoint(healthOperation, () => ({
    status: "ok" as const,
    service: service.name,
    version: service.apiVersion,
  })),
  endpoint(openApiOperation, () => documentOfStage(stage)),
  endpoint(languagesOperation, listLanguages),
];
