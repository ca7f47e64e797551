import { type Endpoint, endpoint } from "../../shared/http/endpoint.ts";
import { service } from "../../shared/http/function-definition.ts";
import { documentOfStage, type StageNames } from "../../shared/http/openapi/stage-document.ts";
import { healthOperation, languagesOperation, openApiOperation } from "./contract.ts";
import { listLanguages } from "./list-languages.ts";

export const docsEndpoints = (stage: StageNames): Endpoint[] => [
  endpoint(healthOperation, () => ({
    status: "ok" as const,
    service: service.name,
    version: service.apiVersion,
  })),
  endpoint(openApiOperation, () => documentOfStage(stage)),
  endpoint(languagesOperation, listLanguages),
];
