import { createRequestLog } from "../../shared/accounts/requests/request-log.ts";
import { readEnvironment } from "../../shared/platform/config/environment.ts";
import { isReleaseCheck } from "../../shared/platform/release-check.ts";
import { describeErrorName, logger } from "../../shared/platform/telemetry/logger.ts";
import { requestTableFrom } from "../../shared/wiring/from-environment.ts";
import { requestLogFunction } from "./contract.ts";
import { readLines } from "./read-lines.ts";

const environment = readEnvironment(requestLogFunction.environment, process.env);
const log = createRequestLog(requestTableFrom(environment));

/** Stores a batch of log lines that CloudWatch sends. Lambda repeats it twice when it throws. */
export const handler = async (event: unknown): Promise<void> => {
  if (isReleaseCheck(event)) return;
  try {
    await log.add(await readLines(event));
  } catch (error) {
    logger.error("request_log.not_stored", { reason: describeErrorName(error) });
    throw error;
  }
};
