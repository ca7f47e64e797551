import { createBufferedHandler } from "../../../shared/http/pipeline.ts";
import { readEnvironment } from "../../../shared/platform/config/environment.ts";
import { requestToolsFrom } from "../../../shared/wiring/from-environment.ts";
import { proverbsFunction } from "./contract.ts";
import { proverbsEndpoints } from "./endpoints.ts";

const environment = readEnvironment(proverbsFunction.environment, process.env);

export const handler = createBufferedHandler(proverbsEndpoints(), requestToolsFrom(environment));
