import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { isReleaseCheck } from "../../shared/platform/release-check.ts";
import { createStatusLog } from "../../shared/platform/status/status-log.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { canaryKeyFrom } from "../../shared/wiring/secrets-from-environment.ts";
import { checkService } from "./check-service.ts";
import { canaryFunction } from "./contract.ts";

const environment = readEnvironment(canaryFunction.environment, process.env);
const dependencies = {
  publicBaseUrl: environment.PUBLIC_BASE_URL,
  readKey: canaryKeyFrom(environment),
  log: createStatusLog(requestTableFrom(environment)),
};

/** Called on a schedule. */
export const handler = async (event: unknown): Promise<void> => {
  if (!isReleaseCheck(event)) await checkService(dependencies);
};
